// y = A x for the DPU's rows. On the heap: rows, the vector, results. A tasklet has pairs of rows (8 of int8_t), so
// that what it writes is whole words.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;

BARRIER_INIT(my_barrier, NR_TASKLETS);

#define ROWS_PER_WORD (8 / sizeof(T))

static T dot(const T *a, const T *x, uint32_t n) {
  T sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += a[i] * x[i];
  return sum;
}

static T row_times_vector(const __mram_ptr T *row, const __mram_ptr T *vector, T *cache_a, T *cache_x) {
  T sum = 0;
  for (uint32_t c = 0; c < arguments.columns; c += BLOCK_ELEMENTS) {
    const uint32_t left = arguments.columns - c, n = left < BLOCK_ELEMENTS ? left : BLOCK_ELEMENTS;
    mram_read(row + c, cache_a, n * sizeof(T));
    mram_read(vector + c, cache_x, n * sizeof(T));
    sum += dot(cache_a, cache_x, n);
  }
  return sum;
}

int main() {
  if (me() == 0) mem_reset();
  barrier_wait(&my_barrier);
  T *cache_a = mem_alloc(1 << BL), *cache_x = mem_alloc(1 << BL), *cache_y = mem_alloc(8);
  const __mram_ptr T *matrix = DPU_MRAM_HEAP_POINTER;
  const __mram_ptr T *vector = matrix + arguments.max_rows * arguments.columns;
  __mram_ptr T *results = (__mram_ptr T *)(vector + arguments.columns);
  for (uint32_t row = me() * ROWS_PER_WORD; row < arguments.rows; row += NR_TASKLETS * ROWS_PER_WORD) {
    for (uint32_t k = 0; k < ROWS_PER_WORD; k++)
      cache_y[k] = row + k < arguments.rows
                       ? row_times_vector(matrix + (row + k) * arguments.columns, vector, cache_a, cache_x)
                       : 0;
    mram_write(cache_y, results + row, 8);
  }
  return 0;
}
