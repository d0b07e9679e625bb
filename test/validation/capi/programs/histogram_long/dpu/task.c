// One histogram in WRAM for all tasklets, under locks; pixels come through the sequential reader.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <seqread.h>

#include "common.h"

__host uint32_t nr_pixels;
__host uint32_t histogram[BINS];

BARRIER_INIT(my_barrier, NR_TASKLETS);
#if LOCKS > 1
MUTEX_POOL_INIT(bin_mutexes, LOCKS);
#else
MUTEX_INIT(bins_mutex);
#endif

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  for (uint32_t bin = id; bin < BINS; bin += NR_TASKLETS) histogram[bin] = 0;
  barrier_wait(&my_barrier);
  const uint32_t begin = nr_pixels * id / NR_TASKLETS, end = nr_pixels * (id + 1) / NR_TASKLETS;
  seqreader_t reader;
  uint32_t *pixel =
      seqread_init(seqread_alloc(), (__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER + begin * sizeof(uint32_t), &reader);
  for (uint32_t i = begin; i < end; ++i) {
    const uint32_t bin = *pixel * BINS >> DEPTH;
#if LOCKS > 1
    mutex_pool_lock(&bin_mutexes, bin);
    histogram[bin] += 1;
    mutex_pool_unlock(&bin_mutexes, bin);
#else
    mutex_lock(bins_mutex);
    histogram[bin] += 1;
    mutex_unlock(bins_mutex);
#endif
    pixel = seqread_get(pixel, sizeof(*pixel), &reader);
  }
  return 0;
}
