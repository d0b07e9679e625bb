// The window of the DPU's part that is nearest to the query. A window slides through a buffer in WRAM; its sum is
// updated, its distance computed anew.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <sem.h>
#include <string.h>

#include "common.h"

__host struct arguments arguments;
__host struct best best;

SEMAPHORE_INIT(best_semaphore, 1);
BARRIER_INIT(my_barrier, NR_TASKLETS);

#define BUFFER (2 * QUERY)

static int64_t distance(const value_t *window, value_t mean) {
  int64_t sum = 0;
  for (int i = 0; i < QUERY; ++i) {
    const value_t difference = window[i] - mean - arguments.query[i];
    sum += (int64_t)difference * difference;
  }
  return sum;
}

static struct best search(uint32_t begin, uint32_t end, value_t *buffer) {
  struct best found = {INT64_MAX, 0, 0};
  const uint32_t series = (uint32_t)DPU_MRAM_HEAP_POINTER;
  uint32_t first = begin & ~1u;  // of the buffer
  mram_read((__mram_ptr void const *)(series + first * sizeof(value_t)), buffer, BUFFER * sizeof(value_t));
  value_t sum = 0;
  for (int i = 0; i < QUERY; ++i) sum += buffer[begin - first + i];
  for (uint32_t at = begin; at < end; ++at) {
    if (at - first + QUERY + 1 > BUFFER) {
      first = at & ~1u;
      mram_read((__mram_ptr void const *)(series + first * sizeof(value_t)), buffer, BUFFER * sizeof(value_t));
    }
    const value_t *window = buffer + (at - first);
    const int64_t d = distance(window, sum / QUERY);
    if (d < found.distance) {
      found.distance = d;
      found.at = at;
    }
    found.windows++;
    sum += window[QUERY] - window[0];
  }
  return found;
}

int main() {
  const uint32_t id = me();
  if (id == 0) {
    mem_reset();
    best = (struct best){INT64_MAX, 0, 0};
  }
  barrier_wait(&my_barrier);
  value_t *buffer = mem_alloc(BUFFER * sizeof(value_t));
  const uint32_t begin = arguments.windows * id / NR_TASKLETS, end = arguments.windows * (id + 1) / NR_TASKLETS;
  if (begin == end) return 0;
  const struct best mine = search(begin, end, buffer);
  sem_take(&best_semaphore);
  best.windows += mine.windows;
  if (mine.distance < best.distance || (mine.distance == best.distance && mine.at < best.at)) {
    best.distance = mine.distance;
    best.at = mine.at;
  }
  sem_give(&best_semaphore);
  return 0;
}
