// Binary search of 64-bit numbers in MRAM: whole blocks are found by single elements, and searched in WRAM.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

#define BLOCK 16

__host struct arguments arguments;

BARRIER_INIT(everybody, NR_TASKLETS);

static int64_t find(__mram_ptr const int64_t *sorted, int64_t key, int64_t *block) {
  uint32_t first = 0, last = arguments.elements;
  while (last - first > BLOCK) {
    const uint32_t middle = first + (last - first) / 2;
    if (sorted[middle] <= key)
      first = middle;
    else
      last = middle;
  }
  if (first == last) return NOT_FOUND;
  mram_read(sorted + first, block, (last - first) * sizeof(int64_t));
  for (uint32_t i = 0; i < last - first; ++i)
    if (block[i] == key) return first + i;
  return NOT_FOUND;
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) mem_reset();
  barrier_wait(&everybody);
  __mram_ptr int64_t *const sorted = DPU_MRAM_HEAP_POINTER, *const queries = sorted + arguments.elements;
  int64_t *const block = mem_alloc(BLOCK * sizeof(int64_t));
  for (uint32_t q = tasklet; q < arguments.queries; q += NR_TASKLETS) queries[q] = find(sorted, queries[q], block);
  return 0;
}
