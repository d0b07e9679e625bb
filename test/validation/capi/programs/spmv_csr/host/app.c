// Sparse matrix in CSR times vector: rows are shared out among DPUs, elements of a DPU among its tasklets.
#include <assert.h>
#include <dpu.h>
#include <dpu_log.h>

#include "common.h"
#include "params.h"
#include "spmv.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

// Offsets of the parts of the largest DPU, so that all have the same.
static dpu_arguments_t layout(uint32_t rows, uint32_t columns, uint32_t elements) {
  dpu_arguments_t a = {rows, columns, elements, 0, 0, 0, 0, 0};
  a.columns_at = round_up((rows + 1) * sizeof(uint32_t), 8);
  a.values_at = a.columns_at + round_up(elements * sizeof(uint32_t), 8);
  a.vector_at = a.values_at + round_up(elements * sizeof(TYPE), 8);
  a.sums_at = a.vector_at + round_up(columns * sizeof(TYPE), 8);
  return a;
}

static void share_out(struct csr m, uint32_t first_row, dpu_arguments_t args, tasklet_arguments_t *tasklets) {
  const uint32_t chunk = (args.elements + NR_TASKLETS - 1) / NR_TASKLETS;
  for (uint32_t t = 0; t < NR_TASKLETS; ++t) {
    const uint32_t begin = t * chunk < args.elements ? t * chunk : args.elements;
    const uint32_t end = begin + chunk < args.elements ? begin + chunk : args.elements;
    uint32_t row = 0;
    while (row + 1 < args.rows && m.first[first_row + row + 1] - args.first_element <= begin) ++row;
    tasklets[t] = (tasklet_arguments_t){begin, end, row};
  }
}

static void push(struct dpu_set_t set, dpu_xfer_t direction, uint8_t *buffer, size_t stride, uint32_t offset,
                 size_t bytes) {
  struct dpu_set_t dpu;
  uint32_t i;
  DPU_FOREACH(set, dpu, i) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, buffer + i * stride));
  }
  DPU_ASSERT(dpu_push_xfer(set, direction, DPU_MRAM_HEAP_POINTER_NAME, offset, bytes, DPU_XFER_DEFAULT));
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 61);
  struct dpu_set_t dpu_set, dpu;
  uint32_t nr_of_dpus, i;
  struct timer timer;

  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
  DPU_ASSERT(dpu_load(dpu_set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr_of_dpus));
  assert(nr_of_dpus == NR_DPUS);

  uint32_t state = p.seed;
  const uint32_t columns = 150;
  struct csr m = random_matrix(p.n * nr_of_dpus - nr_of_dpus / 2, columns, &state);
  TYPE *x = random_vector(columns, &state);
  start(&timer, kCpu, 0);
  TYPE *y = product(m, x);
  stop(&timer, kCpu);

  dpu_arguments_t *args = calloc(nr_of_dpus, sizeof(*args));
  tasklet_arguments_t(*tasklets)[NR_TASKLETS] = calloc(nr_of_dpus, sizeof(*tasklets));
  uint32_t most_elements = 0;
  for (i = 0; i < nr_of_dpus; ++i) {
    const uint32_t begin = i * p.n, end = begin + p.n < m.rows ? begin + p.n : m.rows;
    const uint32_t elements = m.first[end] - m.first[begin];
    if (elements > most_elements) most_elements = elements;
    args[i].rows = end - begin;
    args[i].elements = elements;
    args[i].first_element = m.first[begin];
  }
  const dpu_arguments_t most = layout(p.n, columns, most_elements);
  const size_t part = most.sums_at;  // bytes to every DPU
  uint8_t *buffer = calloc(nr_of_dpus, part);
  for (i = 0; i < nr_of_dpus; ++i) {
    dpu_arguments_t a = most;
    a.rows = args[i].rows, a.elements = args[i].elements, a.first_element = args[i].first_element;
    args[i] = a;
    share_out(m, i * p.n, a, tasklets[i]);
    uint8_t *to = buffer + i * part;
    memcpy(to, m.first + i * p.n, (a.rows + 1) * sizeof(uint32_t));
    memcpy(to + a.columns_at, m.column + a.first_element, a.elements * sizeof(uint32_t));
    memcpy(to + a.values_at, m.value + a.first_element, a.elements * sizeof(TYPE));
    memcpy(to + a.vector_at, x, columns * sizeof(TYPE));
  }

  start(&timer, kToDpu, 0);
  DPU_FOREACH(dpu_set, dpu, i) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, args + i));
  }
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(*args), DPU_XFER_DEFAULT));
  DPU_FOREACH(dpu_set, dpu, i) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, tasklets[i]));
  }
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "TASKLET_ARGUMENTS", 0, sizeof(*tasklets), DPU_XFER_DEFAULT));
  push(dpu_set, DPU_XFER_TO_DPU, buffer, part, 0, part);
  stop(&timer, kToDpu);

  for (uint32_t rep = 0; rep < p.warmup + p.reps; ++rep) {
    start(&timer, kKernel, (int)(rep - p.warmup));
    DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
    stop(&timer, kKernel);
  }

  const size_t sums_bytes = round_up(p.n * sizeof(TYPE), 8);
  uint8_t *sums = malloc(nr_of_dpus * sums_bytes);
  start(&timer, kFromDpu, 0);
  push(dpu_set, DPU_XFER_FROM_DPU, sums, sums_bytes, most.sums_at, sums_bytes);
  stop(&timer, kFromDpu);
  DPU_ASSERT(dpu_free(dpu_set));

  for (i = 0; i < m.rows; ++i)
    expect_same("y", i, (double)((TYPE *)(sums + i / p.n * sums_bytes))[i % p.n], (double)y[i]);
  start(&timer, kInterDpu, 0);
  print_times(&timer, (int)p.reps);
  free(buffer), free(sums), free(args), free(tasklets), free(x), free(y);
  free_matrix(m);
  return verdict("spmv_csr");
}
