// Keeps the elements that no predicate rejects, in order. In every round each tasklet filters a block; a chain of
// handshakes tells it how many elements go before its own.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;
__host uint32_t kept;

static uint32_t before[NR_TASKLETS + 1];

BARRIER_INIT(everybody, NR_TASKLETS);

static unsigned int filter(T *out, const T *in, unsigned int elements) {
  unsigned int n = 0;
  for (unsigned int i = 0; i < elements; ++i)
    if (!isRejected(in[i])) out[n++] = in[i];
  return n;
}

// Waits for the left neighbour, tells the right one, and gives what lies before.
static uint32_t chain(unsigned int tasklet, uint32_t mine) {
  if (tasklet != 0) handshake_wait_for(tasklet - 1);
  const uint32_t first = before[tasklet];
  before[tasklet + 1] = first + mine;
  if (tasklet < NR_TASKLETS - 1) handshake_notify();
  return first;
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) {
    mem_reset();
    before[0] = 0;
  }
  barrier_wait(&everybody);
  const uint32_t input = (uint32_t)DPU_MRAM_HEAP_POINTER, output = input + arguments.output;
  const uint32_t bytes = arguments.elements * sizeof(T);
  T *const in = mem_alloc(BLOCK_BYTES), *const out = mem_alloc(BLOCK_BYTES);
  for (uint32_t round = 0; round < bytes; round += NR_TASKLETS * BLOCK_BYTES) {
    const uint32_t at = round + tasklet * BLOCK_BYTES;
    unsigned int n = 0;
    if (at < bytes) {
      const uint32_t size = bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
      mram_read((__mram_ptr void const *)(input + at), in, size);
      n = filter(out, in, size / sizeof(T));
    }
    const uint32_t first = chain(tasklet, n);
    if (n > 0) mram_write(out, (__mram_ptr void *)(output + first * sizeof(T)), n * sizeof(T));
    barrier_wait(&everybody);
    if (tasklet == 0) before[0] = before[NR_TASKLETS];
  }
  if (tasklet == 0) kept = before[0];
  return 0;
}
