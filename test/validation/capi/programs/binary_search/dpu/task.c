// The place of the first element that is not less than a query.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host sizes_t sizes;
__mram_noinit int64_t queries[MAX_QUERIES];
__mram_noinit int64_t places[MAX_QUERIES];

BARRIER_INIT(barrier, NR_TASKLETS);

static uint32_t lower_bound(const __mram_ptr int64_t *sorted, int64_t key, int64_t *block) {
  uint32_t low = 0, high = sizes.elements / BLOCK_ELEMENTS;  // blocks; the first whose last element is not less
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (sorted[middle * BLOCK_ELEMENTS + BLOCK_ELEMENTS - 1] < key)
      low = middle + 1;
    else
      high = middle;
  }
  if (low * BLOCK_ELEMENTS == sizes.elements) return sizes.elements;
  mram_read(sorted + low * BLOCK_ELEMENTS, block, BLOCK_ELEMENTS * sizeof(int64_t));
  uint32_t k = 0;
  while (block[k] < key) ++k;
  return low * BLOCK_ELEMENTS + k;
}

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  barrier_wait(&barrier);
  int64_t *block = mem_alloc(BLOCK_ELEMENTS * sizeof(int64_t));
  const __mram_ptr int64_t *sorted = DPU_MRAM_HEAP_POINTER;
  for (uint32_t q = id; q < sizes.nr_queries; q += NR_TASKLETS) places[q] = lower_bound(sorted, queries[q], block);
  return 0;
}
