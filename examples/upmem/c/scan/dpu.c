// Prefix sums, in place: scan, then add. Blocks are scanned round by round, and a chain of handshakes hands the sum of
// what lies before from tasklet to tasklet; the second kernel adds what other DPUs hold.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;
__host T total;

static T before[NR_TASKLETS + 1];

BARRIER_INIT(everybody, NR_TASKLETS);

static T scanBlock(T *block, unsigned int elements) {
  T sum = 0;
  for (unsigned int i = 0; i < elements; ++i) {
    sum += block[i];
    block[i] = sum;
  }
  return sum;
}

static void addToBlock(T *block, unsigned int elements, T value) {
  for (unsigned int i = 0; i < elements; ++i) block[i] += value;
}

static T chain(unsigned int tasklet, T mine) {
  if (tasklet != 0) handshake_wait_for(tasklet - 1);
  const T sum = before[tasklet];
  before[tasklet + 1] = sum + mine;
  if (tasklet < NR_TASKLETS - 1) handshake_notify();
  return sum;
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) {
    mem_reset();
    before[0] = 0;
  }
  barrier_wait(&everybody);
  T *const block = mem_alloc(BLOCK_BYTES);
  const uint32_t heap = (uint32_t)DPU_MRAM_HEAP_POINTER, bytes = arguments.elements * sizeof(T);
  for (uint32_t round = 0; round < bytes; round += NR_TASKLETS * BLOCK_BYTES) {
    const uint32_t at = round + tasklet * BLOCK_BYTES;
    const uint32_t left = at < bytes ? bytes - at : 0, size = left < BLOCK_BYTES ? left : BLOCK_BYTES;
    if (size > 0) mram_read((__mram_ptr void const *)(heap + at), block, size);
    T offset = arguments.offset;
    if (arguments.kernel == kScan) {
      offset = chain(tasklet, scanBlock(block, size / sizeof(T)));
      barrier_wait(&everybody);
      if (tasklet == 0) before[0] = before[NR_TASKLETS];
    }
    addToBlock(block, size / sizeof(T), offset);
    if (size > 0) mram_write(block, (__mram_ptr void *)(heap + at), size);
  }
  if (tasklet == 0 && arguments.kernel == kScan) total = before[0];
  return 0;
}
