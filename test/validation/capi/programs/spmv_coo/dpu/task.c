// y = A x for the DPU's elements, A as a list of (row, column, value) in order of rows.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <seqread.h>

#include "accumulate.h"
#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__mram_noinit struct elem_t elements[MAX_ELEMENTS];
__mram_noinit TYPE vector[MAX_COLUMNS];
__mram_noinit TYPE sums[MAX_ROWS];

BARRIER_INIT(my_barrier, NR_TASKLETS)

int main(void) {
  const uint32_t tasklet_id = me();
  if (tasklet_id == 0) mem_reset();
  barrier_wait(&my_barrier);
  TYPE *cache_x = NULL;
  const uint32_t nr_elements = DPU_INPUT_ARGUMENTS.elements;
  clear_sums((uint32_t)sums, (DPU_INPUT_ARGUMENTS.rows * sizeof(TYPE) + 7) & ~7u, tasklet_id);
  barrier_wait(&my_barrier);

  const uint32_t per_tasklet = nr_elements / NR_TASKLETS, rest = nr_elements % NR_TASKLETS;
  const uint32_t begin = tasklet_id * per_tasklet + (tasklet_id < rest ? tasklet_id : rest);
  const uint32_t end = begin + per_tasklet + (tasklet_id < rest);
  if (begin == end) return 0;

  cache_x = mem_alloc(8);
  seqreader_t reader;
  const struct elem_t *element = seqread_init(seqread_alloc(), &elements[begin], &reader);
  TYPE sum = 0;
  uint32_t row = element->row;
  for (uint32_t i = begin; i < end; ++i) {
    if (element->row != row) {
      add_element((uint32_t)sums, row, sum);
      row = element->row;
      sum = 0;
    }
    const uint32_t at = (uint32_t)&vector[element->column];
    mram_read((__mram_ptr void const *)(at & ~7u), cache_x, 8);
    sum += element->value * cache_x[(at & 7u) / sizeof(TYPE)];
    element = seqread_get((void *)element, sizeof(*element), &reader);
  }
  add_element((uint32_t)sums, row, sum);
  return 0;
}
