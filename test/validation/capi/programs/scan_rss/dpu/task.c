// Reduce: every tasklet sums up a contiguous part. Scan: prefix sums of its part, from the sums of parts before.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;
__host int32_t total;
__mram_noinit int32_t words[8192];
static int32_t sums[NR_TASKLETS];

BARRIER_INIT(barrier, NR_TASKLETS);

struct range {
  uint32_t begin, end;
};

static struct range part(uint32_t id) {
  const uint32_t pairs = arguments.n / 2;
  return (struct range){pairs * id / NR_TASKLETS * 2, pairs * (id + 1) / NR_TASKLETS * 2};
}

static int32_t reduce(struct range r, int32_t *cache) {
  int32_t sum = 0;
  for (uint32_t i = r.begin; i < r.end; i += BLOCK_WORDS) {
    const uint32_t left = r.end - i, count = left < BLOCK_WORDS ? left : BLOCK_WORDS;
    mram_read(&words[i], cache, count * sizeof(int32_t));
    for (uint32_t k = 0; k < count; ++k) sum += cache[k];
  }
  return sum;
}

static void scan(struct range r, int32_t *cache, int32_t sum) {
  for (uint32_t i = r.begin; i < r.end; i += BLOCK_WORDS) {
    const uint32_t left = r.end - i, count = left < BLOCK_WORDS ? left : BLOCK_WORDS;
    mram_read(&words[i], cache, count * sizeof(int32_t));
    for (uint32_t k = 0; k < count; ++k) {
      const int32_t word = cache[k];
      cache[k] = sum;
      sum += word;
    }
    mram_write(cache, &words[i], count * sizeof(int32_t));
  }
}

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  barrier_wait(&barrier);
  int32_t *cache = mem_alloc(BLOCK_WORDS * sizeof(int32_t));
  const struct range mine = part(id);
  if (arguments.kernel == kReduce) {
    sums[id] = reduce(mine, cache);
    barrier_wait(&barrier);
    if (id == 0) {
      total = 0;
      for (uint32_t t = 0; t < NR_TASKLETS; ++t) total += sums[t];
    }
  } else {
    // WRAM keeps what the last launch left.
    int32_t before = arguments.before;
    for (uint32_t t = 0; t < id; ++t) before += sums[t];
    scan(mine, cache, before);
  }
  return 0;
}
