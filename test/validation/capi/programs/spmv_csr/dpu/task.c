// y = A x for the DPU's rows, A in compressed sparse rows. A tasklet streams its elements and adds what it has of a row
// to the sums in MRAM when the row ends.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>
#include <seqread.h>
#include <stdio.h>

#include "accumulate.h"
#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host tasklet_arguments_t TASKLET_ARGUMENTS[NR_TASKLETS];
__host uint64_t cycles[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

int main() {
  unsigned int tasklet_id = me();
  if (tasklet_id == 0) {
    mem_reset();
    perfcounter_config(COUNT_CYCLES, true);
  }
  barrier_wait(&my_barrier);

  const uint32_t heap = (uint32_t)DPU_MRAM_HEAP_POINTER;
  const dpu_arguments_t *args = &DPU_INPUT_ARGUMENTS;
  const uint32_t sums = heap + args->sums_at, vector = heap + args->vector_at;
  clear_sums(sums, (args->rows * sizeof(TYPE) + 7) & ~7u, tasklet_id);
  barrier_wait(&my_barrier);

  uint32_t element = TASKLET_ARGUMENTS[tasklet_id].begin, row = TASKLET_ARGUMENTS[tasklet_id].row;
  const uint32_t end = TASKLET_ARGUMENTS[tasklet_id].end;
  if (element < end) {
    seqreader_t rows_reader, columns_reader, values_reader;
    // The end of the current row is the first element of the next.
    uint32_t *row_end =
        seqread_init(seqread_alloc(), (__mram_ptr void *)(heap + (row + 1) * sizeof(uint32_t)), &rows_reader);
    uint32_t *column = seqread_init(
        seqread_alloc(), (__mram_ptr void *)(heap + args->columns_at + element * sizeof(uint32_t)), &columns_reader);
    TYPE *value = seqread_init(seqread_alloc(), (__mram_ptr void *)(heap + args->values_at + element * sizeof(TYPE)),
                               &values_reader);
    TYPE sum = 0;
    uint32_t end_of_row = *row_end - args->first_element;
    for (; element < end; ++element) {
      while (element == end_of_row) {
        if (sum != 0) add_element(sums, row, sum);
        sum = 0;
        ++row;
        row_end = seqread_get(row_end, sizeof(*row_end), &rows_reader);
        end_of_row = *row_end - args->first_element;
      }
      sum += *value * load_element(vector, *column);
      column = seqread_get(column, sizeof(*column), &columns_reader);
      value = seqread_get(value, sizeof(*value), &values_reader);
    }
    add_element(sums, row, sum);
  }
  cycles[tasklet_id] = perfcounter_get();
  return 0;
}
