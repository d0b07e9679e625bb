// y = A x for the DPU's rows of blocks, A in block compressed sparse rows: the blocks of a row are one after another.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "accumulate.h"
#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__mram_noinit uint32_t row_ends[MAX_BLOCK_ROWS];
__mram_noinit uint32_t block_columns[MAX_BLOCKS];
__mram_noinit TYPE blocks[MAX_BLOCKS * B * B];
__mram_noinit TYPE vector[MAX_COLUMNS];
__mram_noinit TYPE sums[MAX_BLOCK_ROWS * B];

BARRIER_INIT(my_barrier, NR_TASKLETS);

static uint32_t read_word(const __mram_ptr uint32_t *at) {
  __dma_aligned uint32_t pair[2];
  mram_read((__mram_ptr void const *)((uint32_t)at & ~7u), pair, sizeof(pair));
  return pair[((uint32_t)at >> 2) & 1];
}

static void multiply_block(const TYPE *block, const TYPE *x, TYPE *y) {
  for (uint32_t r = 0; r < B; r++) {
    TYPE sum = 0;
    for (uint32_t c = 0; c < B; c++) sum += block[r * B + c] * x[c];
    y[r] += sum;
  }
}

static void flush(uint32_t block_row, TYPE *y) {
  for (uint32_t r = 0; r < B; r++) {
    if (y[r] != 0) add_element((uint32_t)sums, block_row * B + r, y[r]);
    y[r] = 0;
  }
}

int main() {
  const uint32_t tasklet_id = me();
  if (tasklet_id == 0) mem_reset();
  clear_sums((uint32_t)sums, DPU_INPUT_ARGUMENTS.block_rows * B * sizeof(TYPE), tasklet_id);
  barrier_wait(&my_barrier);

  TYPE *block = mem_alloc(B * B * sizeof(TYPE)), *x = mem_alloc(B * sizeof(TYPE)), *y = mem_alloc(B * sizeof(TYPE));
  for (uint32_t r = 0; r < B; r++) y[r] = 0;
  uint32_t row = DPU_INPUT_ARGUMENTS.first_block_row[tasklet_id];
  const uint32_t end = DPU_INPUT_ARGUMENTS.first_block[tasklet_id + 1];
  uint32_t row_end = read_word(&row_ends[row]);
  for (uint32_t i = DPU_INPUT_ARGUMENTS.first_block[tasklet_id]; i < end; i++) {
    while (i == row_end) {
      flush(row, y);
      row_end = read_word(&row_ends[++row]);
    }
    mram_read(&blocks[i * B * B], block, B * B * sizeof(TYPE));
    mram_read(&vector[read_word(&block_columns[i]) * B], x, B * sizeof(TYPE));
    multiply_block(block, x, y);
  }
  flush(row, y);
  return 0;
}
