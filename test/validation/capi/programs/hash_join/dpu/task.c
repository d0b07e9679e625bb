// Hash join: all tasklets build the table of the smaller side, then all probe it with rows of the other.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <vmutex.h>

#include "common.h"

__host sizes_t sizes;
__host uint32_t nr_matches;
__mram_noinit row_t left[MAX_ROWS];
__mram_noinit row_t right[MAX_ROWS];
__mram_noinit match_t matches[MAX_MATCHES];

struct entry {
  row_t row;
  struct entry *next;
};

static struct entry *buckets[BUCKETS];

BARRIER_INIT(start_barrier, NR_TASKLETS);
BARRIER_INIT(built_barrier, NR_TASKLETS);
MUTEX_INIT(matches_mutex);
#ifdef LOCKING_VIRTUAL
VMUTEX_INIT(bucket_locks, BUCKETS, 8);
#define LOCK(bucket) vmutex_lock(&bucket_locks, bucket)
#define UNLOCK(bucket) vmutex_unlock(&bucket_locks, bucket)
#else
MUTEX_POOL_INIT(bucket_locks, 8);
#define LOCK(bucket) mutex_pool_lock(&bucket_locks, bucket)
#define UNLOCK(bucket) mutex_pool_unlock(&bucket_locks, bucket)
#endif

#define ROWS_PER_READ 8
#define MATCHES_PER_WRITE 16

struct output {
  match_t *cache;
  uint32_t count;
};

static void flush(struct output *output) {
  if (output->count == 0) return;
  mutex_lock(matches_mutex);
  const uint32_t at = nr_matches;
  nr_matches = at + output->count;
  mutex_unlock(matches_mutex);
  if (at + output->count > MAX_MATCHES) halt();
  mram_write(output->cache, &matches[at], output->count * sizeof(match_t));
  output->count = 0;
}

static void build(const row_t *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct entry *entry = mem_alloc(sizeof(struct entry));
    const uint32_t bucket = hash(rows[i].key) % BUCKETS;
    entry->row = rows[i];
    LOCK(bucket);
    entry->next = buckets[bucket];
    buckets[bucket] = entry;
    UNLOCK(bucket);
  }
}

static void probe(const row_t *rows, uint32_t count, struct output *output) {
  for (uint32_t i = 0; i < count; i++) {
    for (const struct entry *e = buckets[hash(rows[i].key) % BUCKETS]; e != NULL; e = e->next) {
      if (e->row.key != rows[i].key) continue;
      output->cache[output->count++] = (match_t){e->row.payload, rows[i].payload};
      if (output->count == MATCHES_PER_WRITE) flush(output);
    }
  }
}

int main() {
  const uint32_t id = me();
  if (id == 0) {
    mem_reset();
    nr_matches = 0;
  }
  for (uint32_t b = id; b < BUCKETS; b += NR_TASKLETS) buckets[b] = NULL;
  barrier_wait(&start_barrier);
  row_t *rows = mem_alloc(ROWS_PER_READ * sizeof(row_t));
  for (uint32_t i = id * ROWS_PER_READ; i < sizes.left_rows; i += NR_TASKLETS * ROWS_PER_READ) {
    mram_read(&left[i], rows, ROWS_PER_READ * sizeof(row_t));
    const uint32_t rest = sizes.left_rows - i;
    build(rows, rest < ROWS_PER_READ ? rest : ROWS_PER_READ);
  }
  struct output output = {mem_alloc(MATCHES_PER_WRITE * sizeof(match_t)), 0};
  barrier_wait(&built_barrier);
  for (uint32_t i = id * ROWS_PER_READ; i < sizes.right_rows; i += NR_TASKLETS * ROWS_PER_READ) {
    mram_read(&right[i], rows, ROWS_PER_READ * sizeof(row_t));
    const uint32_t rest = sizes.right_rows - i;
    probe(rows, rest < ROWS_PER_READ ? rest : ROWS_PER_READ, &output);
  }
  flush(&output);
  return 0;
}
