// Unique. Tasklets have a contiguous part each; the first element of a part is compared with the last of the part
// before, which is read from MRAM. Counts are added up after a barrier; then all write.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdbool.h>

#include "common.h"

__host struct {
  uint32_t nr_elements;
  uint32_t nr_unique;
} sizes;
__mram_noinit T elements[MAX_ELEMENTS];
__mram_noinit T unique[MAX_ELEMENTS];

static uint32_t counts[NR_TASKLETS];

BARRIER_INIT(counted, NR_TASKLETS);

// Counts the elements that remain, and writes them to `to` if asked. Address 0 of MRAM is a variable's: `to` cannot say
// so.
static uint32_t scan(uint32_t begin, uint32_t end, T *from, T *cache, bool is_written, __mram_ptr T *to) {
  uint32_t count = 0, cached = 0;
  T before = begin > 0 ? elements[begin - 1] : 0;
  for (uint32_t i = begin; i < end; i += BLOCK_ELEMENTS) {
    const uint32_t n = end - i < BLOCK_ELEMENTS ? end - i : BLOCK_ELEMENTS;
    mram_read(&elements[i], from, n * sizeof(T));
    for (uint32_t k = 0; k < n; ++k) {
      if (from[k] == before && i + k != 0) continue;
      before = from[k];
      ++count;
      if (!is_written) continue;
      cache[cached++] = before;
      if (cached == BLOCK_ELEMENTS) {
        mram_write(cache, to, BLOCK_ELEMENTS * sizeof(T));
        to += BLOCK_ELEMENTS;
        cached = 0;
      }
    }
  }
  if (cached > 0) mram_write(cache, to, cached * sizeof(T));
  return count;
}

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  barrier_wait(&counted);
  T *from = mem_alloc(BLOCK_ELEMENTS * sizeof(T)), *cache = mem_alloc(BLOCK_ELEMENTS * sizeof(T));
  const uint32_t n = sizes.nr_elements, begin = n * id / NR_TASKLETS, end = n * (id + 1) / NR_TASKLETS;
  counts[id] = scan(begin, end, from, cache, false, unique);
  barrier_wait(&counted);
  uint32_t to = 0;
  for (uint32_t t = 0; t < id; ++t) to += counts[t];
  if (id == NR_TASKLETS - 1) sizes.nr_unique = to + counts[id];
  scan(begin, end, from, cache, true, &unique[to]);
  return 0;
}
