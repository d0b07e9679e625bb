// A histogram per tasklet on the heap of WRAM; bins are shared out among tasklets to be added up.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <string.h>

#include "common.h"

__host uint32_t nr_pixels;
__host uint32_t histogram[BINS];
__mram_noinit pixel_t pixels[16384];

static uint32_t *mine[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

#define BLOCK_PIXELS ((1 << BL) / 2)

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  barrier_wait(&my_barrier);
  pixel_t *cache = mem_alloc(BLOCK_PIXELS * sizeof(pixel_t));
  uint32_t *bins = mem_alloc(BINS * sizeof(uint32_t));
  memset(bins, 0, BINS * sizeof(uint32_t));
  mine[id] = bins;
  for (uint32_t first = id * BLOCK_PIXELS; first < nr_pixels; first += NR_TASKLETS * BLOCK_PIXELS) {
    const uint32_t left = nr_pixels - first;
    mram_read(&pixels[first], cache, BLOCK_PIXELS * sizeof(pixel_t));
    for (uint32_t i = 0; i < (left < BLOCK_PIXELS ? left : BLOCK_PIXELS); ++i) bins[bin_of(cache[i])]++;
  }
  barrier_wait(&my_barrier);
  for (uint32_t bin = id; bin < BINS; bin += NR_TASKLETS) {
    uint32_t sum = 0;
    for (uint32_t t = 0; t < NR_TASKLETS; ++t) sum += mine[t][bin];
    histogram[bin] = sum;
  }
  return 0;
}
