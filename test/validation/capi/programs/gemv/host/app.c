// Matrix times vector: rows are shared out among DPUs. Values are small integers, so that sums of floats are exact.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 19);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  struct timer timer;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t rows = p.n * dpus - dpus / 3, columns = 72, max_rows = round_up((rows + dpus - 1) / dpus, 8);
  T *a = calloc((size_t)max_rows * dpus * columns, sizeof(T)), *x = calloc(columns, sizeof(T)),
    *y = calloc((size_t)max_rows * dpus, sizeof(T));
  uint32_t state = p.seed;
  for (uint32_t c = 0; c < columns; ++c) x[c] = (T)((int32_t)random_below(&state, 100) - 50);
  struct arguments *arguments = calloc(dpus, sizeof(*arguments));
  for (d = 0; d < dpus; ++d) {
    const uint32_t begin = (uint32_t)((uint64_t)rows * d / dpus), end = (uint32_t)((uint64_t)rows * (d + 1) / dpus);
    arguments[d] = (struct arguments){columns, end - begin, max_rows, 0};
    for (uint32_t i = 0; i < (end - begin) * columns; ++i)
      a[(size_t)d * max_rows * columns + i] = (T)((int32_t)random_below(&state, 100) - 50);
  }
  start(&timer, kToDpu, 0);
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, arguments + d));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*arguments), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, a + (size_t)d * max_rows * columns));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, max_rows * columns * sizeof(T),
                           DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, x));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, max_rows * columns * sizeof(T),
                           columns * sizeof(T), DPU_XFER_DEFAULT));
  stop(&timer, kToDpu);
  for (uint32_t rep = 0; rep < p.warmup + p.reps; ++rep) {
    start(&timer, kKernel, (int)(rep - p.warmup));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    stop(&timer, kKernel);
  }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, y + (size_t)d * max_rows));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, (max_rows + 1) * columns * sizeof(T),
                           max_rows * sizeof(T), DPU_XFER_DEFAULT));
  for (d = 0; d < dpus; ++d)
    for (uint32_t r = 0; r < arguments[d].rows; ++r) {
      T sum = 0;
      for (uint32_t c = 0; c < columns; ++c) sum = (T)(sum + a[((size_t)d * max_rows + r) * columns + c] * x[c]);
      expect_same("y", d * max_rows + r, (double)y[(size_t)d * max_rows + r], (double)sum);
    }
  DPU_ASSERT(dpu_free(set));
  free(a), free(x), free(y), free(arguments);
  return verdict("gemv");
}
