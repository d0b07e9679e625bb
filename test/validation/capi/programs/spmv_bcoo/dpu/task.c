// y = A x for the DPU's blocks, A as a list of dense blocks with their place. All of x is in WRAM, shared by tasklets.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdbool.h>

#include "accumulate.h"
#include "common.h"

#define BLOCKS_PER_READ 4

__host struct dpu_arguments args;

BARRIER_INIT(setup, NR_TASKLETS);
BARRIER_INIT(ready, NR_TASKLETS);

static TYPE *x;

static void read_vector(uint32_t from, uint32_t bytes) {
  x = mem_alloc(bytes);
  for (uint32_t at = 0; at < bytes; at += 2048) {
    const uint32_t left = bytes - at;
    mram_read((__mram_ptr void const *)(from + at), (uint8_t *)x + at, left < 2048 ? left : 2048);
  }
}

static void take_block(const struct block_t *block, uint32_t sums) {
  for (int r = 0; r < B; ++r) {
    TYPE sum = 0;
    bool any = false;
    for (int c = 0; c < B; ++c) {
      const TYPE value = block->value[r * B + c];
      if (value == 0) continue;
      sum += value * x[block->column * B + c];
      any = true;
    }
    if (any) add_element(sums, block->row * B + r, sum);
  }
}

int main() {
  const uint32_t heap = (uint32_t)DPU_MRAM_HEAP_POINTER;
  const uint32_t sums = heap + args.sums_at;
  if (me() == 0) {
    mem_reset();
    read_vector(heap + args.vector_at, args.sums_at - args.vector_at);
  }
  clear_sums(sums, args.rows * B * sizeof(TYPE), me());
  barrier_wait(&setup);

  struct block_t *cache = mem_alloc(BLOCKS_PER_READ * sizeof(struct block_t));
  barrier_wait(&ready);
  for (uint32_t i = me() * BLOCKS_PER_READ; i < args.blocks; i += NR_TASKLETS * BLOCKS_PER_READ) {
    const uint32_t left = args.blocks - i, count = left < BLOCKS_PER_READ ? left : BLOCKS_PER_READ;
    mram_read((__mram_ptr void const *)(heap + i * sizeof(struct block_t)), cache, count * sizeof(struct block_t));
    for (uint32_t k = 0; k < count; ++k) take_block(cache + k, sums);
  }
  return 0;
}
