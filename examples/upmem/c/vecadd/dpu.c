// Vector addition: tasklets take blocks in turn and bring them to WRAM. The vectors lie one after another on the heap
// of MRAM: a, b, and the sum where b was.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;

BARRIER_INIT(everybody, NR_TASKLETS);

static void add(T *b, const T *a, unsigned int elements) {
  for (unsigned int i = 0; i < elements; ++i) b[i] += a[i];
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) mem_reset();
  barrier_wait(&everybody);

  const uint32_t a = (uint32_t)DPU_MRAM_HEAP_POINTER, b = a + arguments.capacity;
  T *const bufferA = mem_alloc(BLOCK_BYTES), *const bufferB = mem_alloc(BLOCK_BYTES);
  for (uint32_t at = tasklet * BLOCK_BYTES; at < arguments.bytes; at += NR_TASKLETS * BLOCK_BYTES) {
    const uint32_t left = arguments.bytes - at;
    const uint32_t bytes = left < BLOCK_BYTES ? left : BLOCK_BYTES;
    mram_read((__mram_ptr void const *)(a + at), bufferA, bytes);
    mram_read((__mram_ptr void const *)(b + at), bufferB, bytes);
    add(bufferB, bufferA, bytes / sizeof(T));
    mram_write(bufferB, (__mram_ptr void *)(b + at), bytes);
  }
  return 0;
}
