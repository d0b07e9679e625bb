// The sum of the DPU's words, in three ways to add the tasklets' sums.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <perfcounter.h>

#include "common.h"

__host struct arguments arguments;
__host struct result results[NR_TASKLETS];

static int64_t sums[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

static int64_t reduce_block(const int64_t *buffer, uint32_t count) {
  int64_t sum = 0;
  for (uint32_t j = 0; j < count; j++) sum += buffer[j];
  return sum;
}

// The sum is in sums[0] at last.
static void combine(uint32_t tasklet_id) {
#if defined(VERSION_SINGLE)
  barrier_wait(&my_barrier);
  if (tasklet_id == 0)
    for (uint32_t t = 1; t < NR_TASKLETS; t++) sums[0] += sums[t];
#elif defined(VERSION_TREE)
  barrier_wait(&my_barrier);
  for (uint32_t offset = 1; offset < NR_TASKLETS; offset <<= 1) {
    if ((tasklet_id & (2 * offset - 1)) == 0 && tasklet_id + offset < NR_TASKLETS)
      sums[tasklet_id] += sums[tasklet_id + offset];
    barrier_wait(&my_barrier);
  }
#else
  for (uint32_t offset = 1; offset < NR_TASKLETS; offset <<= 1) {
    if ((tasklet_id & (2 * offset - 1)) != 0) {
      handshake_notify();
      return;
    }
    if (tasklet_id + offset < NR_TASKLETS) {
      handshake_wait_for(tasklet_id + offset);
      sums[tasklet_id] += sums[tasklet_id + offset];
    }
  }
#endif
}

int main(void) {
  const uint32_t tasklet_id = me();
  if (tasklet_id == 0) {
    mem_reset();
    perfcounter_config(COUNT_INSTRUCTIONS, true);
  }
  barrier_wait(&my_barrier);
  int64_t *cache = mem_alloc(BLOCK_SIZE);
  const uint32_t size = arguments.size;
  int64_t sum = 0;
  for (uint32_t at = tasklet_id << BL; at < size; at += BLOCK_SIZE * NR_TASKLETS) {
    const uint32_t bytes = at + BLOCK_SIZE >= size ? size - at : BLOCK_SIZE;
    mram_read((__mram_ptr void const *)(DPU_MRAM_HEAP_POINTER + at), cache, bytes);
    sum += reduce_block(cache, bytes >> 3);
  }
  sums[tasklet_id] = sum;
  combine(tasklet_id);
  results[tasklet_id].sum = sums[tasklet_id];
  results[tasklet_id].instructions = perfcounter_get();
  return 0;
}
