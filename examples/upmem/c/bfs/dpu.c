// Breadth-first search, one level: nodes of this DPU that are in the frontier put their neighbours into the next one,
// which all tasklets share under a mutex. Row pointers are read by themselves, straight from MRAM.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <string.h>

#include "common.h"

__host struct arguments arguments;
__host uint32_t found;  // nodes of this DPU that the frontier reached for the first time
__mram_noinit uint32_t frontier[WORDS], next[WORDS], visited[WORDS];
__mram_noinit uint32_t levels[MOST_NODES];

static __dma_aligned uint32_t current[WORDS], upcoming[WORDS], seen[WORDS];

BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_INIT(upcomingMutex);
MUTEX_INIT(foundMutex);

#define NEIGHBOURS 16

static void expand(uint32_t node, uint32_t *buffer) {
  __mram_ptr uint32_t *const rows = (__mram_ptr uint32_t *)DPU_MRAM_HEAP_POINTER;
  const uint32_t first = rows[node], last = rows[node + 1];
  const uint32_t neighbours = (uint32_t)DPU_MRAM_HEAP_POINTER + arguments.neighbours;
  for (uint32_t at = first & ~1u; at < last; at += NEIGHBOURS) {
    mram_read((__mram_ptr void const *)(neighbours + at * sizeof(uint32_t)), buffer, NEIGHBOURS * sizeof(uint32_t));
    for (uint32_t i = at < first ? 1 : 0; i < NEIGHBOURS && at + i < last; ++i) {
      const uint32_t other = buffer[i];
      mutex_lock(upcomingMutex);
      upcoming[other / 32] |= 1u << (other % 32);
      mutex_unlock(upcomingMutex);
    }
  }
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) {
    mem_reset();
    found = 0;
    mram_read(frontier, current, sizeof(current));
    mram_read(visited, seen, sizeof(seen));
    memset(upcoming, 0, sizeof(upcoming));
  }
  barrier_wait(&everybody);
  uint32_t *const buffer = mem_alloc(NEIGHBOURS * sizeof(uint32_t));
  uint32_t mine = 0;
  // 32 nodes at a time, so that no other tasklet writes to the same 8 bytes of `levels`.
  for (uint32_t first = 32 * tasklet; first < arguments.nodes; first += 32 * NR_TASKLETS) {
    for (uint32_t node = first; node < first + 32 && node < arguments.nodes; ++node) {
      const uint32_t global = arguments.first + node, bit = 1u << (global % 32);
      if ((current[global / 32] & bit) == 0 || (seen[global / 32] & bit) != 0) continue;
      levels[node] = arguments.level;
      ++mine;
      expand(node, buffer);
    }
  }
  mutex_lock(foundMutex);
  found += mine;
  mutex_unlock(foundMutex);
  barrier_wait(&everybody);
  if (tasklet == 0) {
    for (uint32_t i = 0; i < WORDS; ++i) seen[i] |= current[i];
    mram_write(seen, visited, sizeof(seen));
    mram_write(upcoming, next, sizeof(upcoming));
  }
  return 0;
}
