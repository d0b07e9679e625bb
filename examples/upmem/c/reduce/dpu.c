// Sum of an array. Every tasklet adds up its blocks; their sums are put together in one of three ways: by one tasklet
// behind a barrier, in a tree with a barrier per level, in a tree whose pairs meet by handshakes.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <perfcounter.h>

#include "common.h"

__host struct arguments arguments;
__host struct result result;

static int64_t sums[NR_TASKLETS];

BARRIER_INIT(everybody, NR_TASKLETS);

static int64_t sumOfBlocks(unsigned int tasklet) {
  int32_t *const buffer = mem_alloc(BLOCK_BYTES);
  const uint32_t bytes = arguments.elements * sizeof(int32_t), heap = (uint32_t)DPU_MRAM_HEAP_POINTER;
  int64_t sum = 0;
  for (uint32_t at = tasklet * BLOCK_BYTES; at < bytes; at += NR_TASKLETS * BLOCK_BYTES) {
    const uint32_t left = bytes - at, size = left < BLOCK_BYTES ? left : BLOCK_BYTES;
    mram_read((__mram_ptr void const *)(heap + at), buffer, (size + 7) & ~7u);
    for (unsigned int i = 0; i < size / sizeof(int32_t); ++i) sum += buffer[i];
  }
  return sum;
}

static void collectBehindBarrier(unsigned int tasklet) {
  barrier_wait(&everybody);
  if (tasklet != 0) return;
  for (unsigned int i = 1; i < NR_TASKLETS; ++i) sums[0] += sums[i];
}

static void collectInBarrierTree(unsigned int tasklet) {
  for (unsigned int offset = 1; offset < NR_TASKLETS; offset <<= 1) {
    barrier_wait(&everybody);
    if ((tasklet & (2 * offset - 1)) == 0 && tasklet + offset < NR_TASKLETS) sums[tasklet] += sums[tasklet + offset];
  }
}

static void collectInHandshakeTree(unsigned int tasklet) {
  for (unsigned int offset = 1; offset < NR_TASKLETS; offset <<= 1) {
    if ((tasklet & offset) != 0) {
      handshake_notify();
      return;
    }
    if (tasklet + offset < NR_TASKLETS) {
      handshake_wait_for(tasklet + offset);
      sums[tasklet] += sums[tasklet + offset];
    }
  }
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) {
    mem_reset();
    perfcounter_config(COUNT_CYCLES, true);
  }
  barrier_wait(&everybody);
  sums[tasklet] = sumOfBlocks(tasklet);
  if (arguments.way == kBarrier)
    collectBehindBarrier(tasklet);
  else if (arguments.way == kBarrierTree)
    collectInBarrierTree(tasklet);
  else
    collectInHandshakeTree(tasklet);
  if (tasklet == 0) {
    result.sum = sums[0];
    result.cycles = perfcounter_get();
  }
  return 0;
}
