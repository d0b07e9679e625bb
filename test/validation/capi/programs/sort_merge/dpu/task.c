// Merge sort of more keys than WRAM holds. Runs are merged pair by pair, from one buffer in MRAM to another.
#define SEQREAD_CACHE_SIZE 64
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <seqread.h>

#include "common.h"

__host uint32_t nr_keys;
__host uint32_t nr_runs_merged[NR_TASKLETS];
__mram_noinit int32_t keys[MAX_KEYS];
__mram_noinit int32_t other[MAX_KEYS];
__mram_noinit int32_t sorted[MAX_KEYS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

struct writer {
  int32_t *cache;
  uint32_t count;
  __mram_ptr int32_t *to;
};

static void put(struct writer *writer, int32_t key) {
  writer->cache[writer->count++] = key;
  if (writer->count < BLOCK_KEYS) return;
  mram_write(writer->cache, writer->to, BLOCK_KEYS * sizeof(int32_t));
  writer->to += BLOCK_KEYS;
  writer->count = 0;
}

static void sort_run(int32_t *run, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    const int32_t key = run[i];
    uint32_t k = i;
    for (; k > 0 && run[k - 1] > key; --k) run[k] = run[k - 1];
    run[k] = key;
  }
}

// Runs are whole blocks; the last one is filled up with the greatest key.
static void merge(__mram_ptr int32_t *from, uint32_t count_a, uint32_t count_b, struct writer *writer,
                  seqreader_buffer_t buffer_a, seqreader_buffer_t buffer_b) {
  seqreader_t reader_a, reader_b;
  int32_t *a = seqread_init(buffer_a, from, &reader_a);
  if (count_b == 0) {
    for (; count_a > 0; --count_a) {
      put(writer, *a);
      a = seqread_get(a, sizeof(*a), &reader_a);
    }
    return;
  }
  int32_t *b = seqread_init(buffer_b, from + count_a, &reader_b);
  while (count_a + count_b > 0) {
    if (count_b == 0 || (count_a > 0 && *a <= *b)) {
      put(writer, *a);
      if (--count_a > 0) a = seqread_get(a, sizeof(*a), &reader_a);
    } else {
      put(writer, *b);
      if (--count_b > 0) b = seqread_get(b, sizeof(*b), &reader_b);
    }
  }
}

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  nr_runs_merged[id] = 0;
  barrier_wait(&my_barrier);
  int32_t *cache = mem_alloc(BLOCK_KEYS * sizeof(int32_t));
  const seqreader_buffer_t buffer_a = seqread_alloc(), buffer_b = seqread_alloc();
  for (uint32_t first = id * BLOCK_KEYS; first < MAX_KEYS; first += NR_TASKLETS * BLOCK_KEYS) {
    if (first < nr_keys) mram_read(&keys[first], cache, BLOCK_KEYS * sizeof(int32_t));
    for (uint32_t i = 0; i < BLOCK_KEYS; ++i)
      if (first + i >= nr_keys) cache[i] = INT32_MAX;
    sort_run(cache, BLOCK_KEYS);
    mram_write(cache, &keys[first], BLOCK_KEYS * sizeof(int32_t));
  }
  barrier_wait(&my_barrier);
  const uint32_t used = (nr_keys + BLOCK_KEYS - 1) / BLOCK_KEYS * BLOCK_KEYS;
  __mram_ptr int32_t *from = keys, *to = other;
  for (uint32_t run = BLOCK_KEYS; run < used; run *= 2) {
    if (run * 2 >= used) to = sorted;
    for (uint32_t first = id * 2 * run; first < used; first += NR_TASKLETS * 2 * run) {
      const uint32_t left = used - first, a = left < run ? left : run, b = left - a < run ? left - a : run;
      struct writer writer = {cache, 0, to + first};
      merge(from + first, a, b, &writer, buffer_a, buffer_b);
      nr_runs_merged[id]++;
    }
    __mram_ptr int32_t *next = from;
    from = to;
    to = next;
    barrier_wait(&my_barrier);
  }
  return 0;
}
