// Sparse matrix in coordinate format times vector: elements are shared out evenly among DPUs, whose sums of the rows
// that they share the host adds.
#include <dpu.h>

#include "common.h"
#include "params.h"
#include "spmv.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 59);
  struct dpu_set_t dpu_set, dpu;
  uint32_t nr_of_dpus, i = 0;
  struct timer timer;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
  DPU_ASSERT(dpu_load(dpu_set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr_of_dpus));
  printf("Allocated %u DPU(s), %d tasklet(s) each\n", nr_of_dpus, NR_TASKLETS);

  uint32_t state = p.seed + 1;
  const uint32_t columns = 163;
  struct csr m = random_matrix(p.n * nr_of_dpus + 1, columns, &state);
  TYPE *x = random_vector(columns, &state), *y = product(m, x);
  const uint32_t per_dpu = (m.elements + nr_of_dpus - 1) / nr_of_dpus;
  if (per_dpu > MAX_ELEMENTS || m.rows > MAX_ROWS) return fprintf(stderr, "too large\n"), 2;

  struct elem_t *elements = calloc((size_t)per_dpu * nr_of_dpus, sizeof(*elements));
  uint32_t *rows = malloc((m.elements + 1) * sizeof(*rows));
  for (uint32_t row = 0; row < m.rows; ++row)
    for (uint32_t k = m.first[row]; k < m.first[row + 1]; ++k) rows[k] = row;
  dpu_arguments_t *args = calloc(nr_of_dpus, sizeof(*args));
  uint32_t most_rows = 0;
  for (i = 0; i < nr_of_dpus; ++i) {
    const uint32_t begin = i * per_dpu < m.elements ? i * per_dpu : m.elements;
    const uint32_t end = begin + per_dpu < m.elements ? begin + per_dpu : m.elements;
    args[i].columns = columns;
    args[i].elements = end - begin;
    if (begin < end) {
      args[i].first_row = rows[begin];
      args[i].rows = rows[end - 1] - rows[begin] + 1;
    }
    if (args[i].rows > most_rows) most_rows = args[i].rows;
    for (uint32_t k = begin; k < end; ++k) {
      struct elem_t *e = &elements[k];
      e->row = (uint16_t)(rows[k] - args[i].first_row);
      e->column = (uint16_t)m.column[k];
      e->value = m.value[k];
    }
  }

  start(&timer, kToDpu, 0);
  i = 0;
  DPU_FOREACH(dpu_set, dpu) {
    DPU_ASSERT(dpu_copy_to(dpu, "DPU_INPUT_ARGUMENTS", 0, &args[i], sizeof(args[i])));
    i++;
  }
  DPU_ASSERT(dpu_broadcast_to(dpu_set, "vector", 0, x, round_up(columns * sizeof(TYPE), 8), DPU_XFER_DEFAULT));
  DPU_FOREACH(dpu_set, dpu, i) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, elements + i * per_dpu));
  }
  // The last DPU's buffer ends with the array, which is not a multiple of 8 bytes: it has its own.
  uint8_t *last = calloc(1, per_dpu * sizeof(*elements) + 8);
  memcpy(last, elements + (nr_of_dpus - 1) * (size_t)per_dpu, per_dpu * sizeof(*elements));
  DPU_FOREACH(dpu_set, dpu, i) {
    if (i == nr_of_dpus - 1) DPU_ASSERT(dpu_prepare_xfer(dpu, last));
  }
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "elements", 0, round_up(per_dpu * sizeof(*elements), 8),
                           DPU_XFER_DEFAULT));
  stop(&timer, kToDpu);

  start(&timer, kKernel, 0);
  DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
  stop(&timer, kKernel);

  const size_t sums_bytes = round_up(most_rows * sizeof(TYPE), 8);
  uint8_t *sums = malloc(nr_of_dpus * sums_bytes);
  start(&timer, kFromDpu, 0);
  DPU_FOREACH(dpu_set, dpu, i) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, sums + i * sums_bytes));
  }
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, "sums", 0, sums_bytes, DPU_XFER_DEFAULT));
  stop(&timer, kFromDpu);

  start(&timer, kInterDpu, 0);
  TYPE *merged = calloc(m.rows, sizeof(TYPE));
  for (i = 0; i < nr_of_dpus; ++i)
    for (uint32_t k = 0; k < args[i].rows; ++k)
      merged[args[i].first_row + k] = (TYPE)(merged[args[i].first_row + k] + ((TYPE *)(sums + i * sums_bytes))[k]);
  stop(&timer, kInterDpu);
  for (i = 0; i < m.rows; ++i) expect_same("y", i, (double)merged[i], (double)y[i]);
  DPU_ASSERT(dpu_free(dpu_set));
  free(elements), free(rows), free(args), free(last), free(sums), free(merged), free(x), free(y);
  free_matrix(m);
  return verdict("spmv_coo");
}
