// Histograms. Few bins: every tasklet counts for itself, and all are added up. Many bins: one histogram for all, under
// a pool of mutexes or virtual ones. Or the bins lie in MRAM, and single ones are changed there.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <mutex_pool.h>
#include <vmutex.h>

#include "common.h"

__host struct arguments arguments;
__mram uint32_t histogram[LARGE_BINS];

static uint32_t *bins;  // shared
static uint32_t *ofTasklet[NR_TASKLETS];

BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_POOL_INIT(pool, 16);
VMUTEX_INIT(locks, LARGE_BINS, 8);

static void increment(int32_t *value, void *args) {
  (void)args;
  ++*value;
}

static void count(const uint16_t *values, unsigned int elements, uint32_t *mine) {
  for (unsigned int i = 0; i < elements; ++i) {
    const uint32_t bin = ((uint32_t)values[i] * arguments.bins) >> DEPTH;
    switch (arguments.way) {
      case kPerTasklet:
        ++mine[bin];
        break;
      case kMutexPool:
        mutex_pool_lock(&pool, (uint16_t)bin);
        ++bins[bin];
        mutex_pool_unlock(&pool, (uint16_t)bin);
        break;
      case kVirtualMutexes:
        vmutex_lock(&locks, (uint16_t)bin);
        ++bins[bin];
        vmutex_unlock(&locks, (uint16_t)bin);
        break;
      default:
        mram_update_int_atomic((__mram_ptr int32_t *)&histogram[bin], increment, NULL);
    }
  }
}

// Bins first to last, from WRAM to MRAM.
static void writeBins(uint32_t first, uint32_t last) {
  for (uint32_t at = first; at < last; at += 256) {
    const uint32_t n = last - at < 256 ? last - at : 256;
    mram_write(bins + at, &histogram[at], n * sizeof(uint32_t));
  }
}

int main(void) {
  const unsigned int tasklet = me();
  const uint32_t size = arguments.bins * sizeof(uint32_t);
  if (tasklet == 0) {
    mem_reset();
    bins = mem_alloc(size);
    for (uint32_t i = 0; i < arguments.bins; ++i) bins[i] = 0;
    writeBins(0, arguments.bins);
  }
  barrier_wait(&everybody);

  uint32_t *const mine = arguments.way == kPerTasklet ? mem_alloc(size) : bins;
  uint16_t *const buffer = mem_alloc(BLOCK_BYTES);
  if (arguments.way == kPerTasklet)
    for (uint32_t i = 0; i < arguments.bins; ++i) mine[i] = 0;
  ofTasklet[tasklet] = mine;

  const uint32_t bytes = arguments.elements * sizeof(uint16_t), heap = (uint32_t)DPU_MRAM_HEAP_POINTER;
  for (uint32_t at = tasklet * BLOCK_BYTES; at < bytes; at += NR_TASKLETS * BLOCK_BYTES) {
    const uint32_t left = bytes - at, part = left < BLOCK_BYTES ? left : BLOCK_BYTES;
    mram_read((__mram_ptr void const *)(heap + at), buffer, (part + 7) & ~7u);
    count(buffer, part / sizeof(uint16_t), mine);
  }
  barrier_wait(&everybody);
  if (arguments.way == kPerTasklet) {
    for (uint32_t bin = tasklet; bin < arguments.bins; bin += NR_TASKLETS) {
      uint32_t sum = 0;
      for (unsigned int t = 0; t < NR_TASKLETS; ++t) sum += ofTasklet[t][bin];
      bins[bin] = sum;
    }
    barrier_wait(&everybody);
  }
  if (tasklet == 0 && arguments.way != kInMram) writeBins(0, arguments.bins);
  return 0;
}
