// Run-length compression of bytes and back.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 1509);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_BYTES) return fprintf(stderr, "at most %d bytes per DPU\n", MAX_BYTES), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  uint8_t *bytes = calloc(dpus, MAX_BYTES), *expanded = calloc(dpus, MAX_BYTES);
  uint32_t state = p.seed;
  for (d = 0; d < dpus; ++d)
    for (uint32_t i = 0; i < p.n;) {
      const uint8_t byte = (uint8_t)random_below(&state, 5);
      for (uint32_t n = d % 7 == 0 ? 700 : 1 + random_below(&state, 20); n > 0 && i < p.n; --n)
        bytes[d * MAX_BYTES + i++] = byte;
    }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, bytes + d * MAX_BYTES));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "bytes", 0, MAX_BYTES, DPU_XFER_DEFAULT));
  for (uint32_t mode = kCompress; mode <= kExpand; ++mode) {
    const uint32_t job[2] = {p.n, mode};
    DPU_ASSERT(dpu_broadcast_to(set, "job", 0, job, sizeof(job), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  }
  static struct run runs[MAX_BYTES];
  DPU_FOREACH(set, dpu, d) {
    struct job job;
    DPU_ASSERT(dpu_copy_from(dpu, "job", 0, &job, sizeof(job)));
    DPU_ASSERT(dpu_copy_from(dpu, "runs", 0, runs, sizeof(runs)));
    DPU_ASSERT(dpu_copy_from(dpu, "expanded", 0, expanded, MAX_BYTES));
    for (uint32_t t = 0; t < NR_TASKLETS; ++t) {
      const uint32_t begin = p.n * t / NR_TASKLETS, end = p.n * (t + 1) / NR_TASKLETS;
      uint32_t n = 0;
      for (uint32_t i = begin; i < end; ++n) {
        uint32_t k = i;
        while (k < end && k - i < 256 && bytes[d * MAX_BYTES + k] == bytes[d * MAX_BYTES + i]) ++k;
        expect_equal("length", begin + n, runs[begin + n].length + 1, k - i);
        expect_equal("byte of a run", begin + n, runs[begin + n].byte, bytes[d * MAX_BYTES + i]);
        i = k;
      }
      expect_equal("runs", t, job.runs[t], n);
    }
    for (uint32_t i = 0; i < p.n; ++i) expect_equal("byte", i, expanded[i], bytes[d * MAX_BYTES + i]);
  }
  DPU_ASSERT(dpu_free(set));
  free(bytes), free(expanded);
  return verdict("run_length");
}
