// Bitonic sort. Keys that are missing to a power of two are the greatest there are.
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdbool.h>

#include "common.h"

__host uint32_t nr_keys;
__mram_noinit int32_t keys[MAX_KEYS];

__dma_aligned static int32_t cache[MAX_KEYS];

BARRIER_INIT(step_barrier, NR_TASKLETS);

static void compare_exchange(int32_t *a, int32_t *b, bool ascending) {
  const int32_t x = *a, y = *b;
  if ((x > y) == ascending) {
    *a = y;
    *b = x;
  }
}

int main() {
  const uint32_t id = me();
  // Transfers of 64 keys, one after another to the tasklets.
  for (uint32_t i = id * 64; i < MAX_KEYS; i += NR_TASKLETS * 64) mram_read(&keys[i], &cache[i], 64 * sizeof(int32_t));
  barrier_wait(&step_barrier);
  for (uint32_t i = nr_keys + id; i < MAX_KEYS; i += NR_TASKLETS) cache[i] = INT32_MAX;
  barrier_wait(&step_barrier);
  for (uint32_t size = 2; size <= MAX_KEYS; size <<= 1) {
    for (uint32_t distance = size >> 1; distance > 0; distance >>= 1) {
      for (uint32_t pair = id; pair < MAX_KEYS / 2; pair += NR_TASKLETS) {
        const uint32_t low = pair / distance * distance * 2 + pair % distance;
        compare_exchange(&cache[low], &cache[low + distance], (low & size) == 0);
      }
      barrier_wait(&step_barrier);
    }
  }
  for (uint32_t i = id * 64; i < MAX_KEYS; i += NR_TASKLETS * 64) mram_write(&cache[i], &keys[i], 64 * sizeof(int32_t));
  return 0;
}
