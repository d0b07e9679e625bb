// Matrix times vector, of integers or floating point. A tasklet takes two rows at a time, so that their results fill
// the 8 bytes of the smallest transfer.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;

BARRIER_INIT(everybody, NR_TASKLETS);

union word {
  int32_t i;
  float f;
};

static union word dot(union word sum, const union word *a, const union word *b, unsigned int n) {
  if (arguments.type == kInt)
    for (unsigned int i = 0; i < n; ++i) sum.i += a[i].i * b[i].i;
  else
    for (unsigned int i = 0; i < n; ++i) sum.f += a[i].f * b[i].f;
  return sum;
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) mem_reset();
  barrier_wait(&everybody);
  const uint32_t rowBytes = arguments.columns * sizeof(union word);
  const uint32_t matrix = (uint32_t)DPU_MRAM_HEAP_POINTER;
  const uint32_t vector = matrix + arguments.rows * rowBytes, result = vector + rowBytes;
  union word *const a = mem_alloc(BLOCK_BYTES), *const x = mem_alloc(BLOCK_BYTES);
  __dma_aligned union word y[2];
  for (uint32_t row = 2 * tasklet; row < arguments.rows; row += 2 * NR_TASKLETS) {
    for (unsigned int r = 0; r < 2; ++r) {
      y[r].i = 0;  // the same bits as 0.0
      for (uint32_t at = 0; at < rowBytes; at += BLOCK_BYTES) {
        const uint32_t size = rowBytes - at < BLOCK_BYTES ? rowBytes - at : BLOCK_BYTES;
        mram_read((__mram_ptr void const *)(matrix + (row + r) * rowBytes + at), a, size);
        mram_read((__mram_ptr void const *)(vector + at), x, size);
        y[r] = dot(y[r], a, x, size / sizeof(union word));
      }
    }
    mram_write(y, (__mram_ptr void *)(result + row * sizeof(union word)), sizeof(y));
  }
  return 0;
}
