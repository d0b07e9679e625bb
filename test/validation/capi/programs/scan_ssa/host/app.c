// Inclusive prefix sums over all DPUs.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 900);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  struct timer timer;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));

  const uint32_t per_dpu = round_up(p.n, BLOCK_ELEMENTS);
  const size_t bytes = per_dpu * sizeof(T);
  T *from = calloc(dpus, bytes), *to = malloc(dpus * bytes), *sums = malloc(dpus * sizeof(T));
  struct job *jobs = calloc(dpus, sizeof(*jobs));
  uint32_t state = p.seed;
  for (size_t k = 0; k < (size_t)p.n * dpus; k++) from[k] = (T)random_word(&state) << (sizeof(T) == 8 ? 20 : 0);
  start(&timer, kToDpu, 0);
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, from + (size_t)d * per_dpu));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  stop(&timer, kToDpu);
  for (uint32_t step = 0; step < kSteps; step++) {
    T offset = 0;
    for (d = 0; d < dpus; d++) {
      jobs[d] = (struct job){per_dpu, step, offset};
      if (step == kAddOffset) offset += sums[d];
    }
    DPU_FOREACH(set, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, &jobs[d]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "job", 0, sizeof(*jobs), DPU_XFER_DEFAULT));
    start(&timer, kKernel, (int)step);
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    stop(&timer, kKernel);
    DPU_FOREACH(set, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, &sums[d]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "dpu_sum", 0, sizeof(T), DPU_XFER_DEFAULT));
  }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, to + (size_t)d * per_dpu));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  T sum = 0;
  for (size_t k = 0; k < (size_t)per_dpu * dpus; k++) {
    sum += from[k];
    expect_equal("sum", k, (int64_t)to[k], (int64_t)sum);
  }
  DPU_ASSERT(dpu_free(set));
  free(from), free(to), free(sums), free(jobs);
  return verdict("scan_ssa");
}
