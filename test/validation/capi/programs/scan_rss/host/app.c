// Exclusive prefix sums over all DPUs, in place.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 1234);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > 8192) return fprintf(stderr, "at most 8192 words per DPU\n"), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t n = round_up(p.n, 2);
  int32_t *words = malloc((size_t)n * dpus * 4), *result = malloc((size_t)n * dpus * 4), *totals = malloc(dpus * 4);
  uint32_t state = p.seed;
  for (size_t i = 0; i < (size_t)n * dpus; ++i) words[i] = (int32_t)random_below(&state, 2000) - 1000;

  // Everything in the background; buffers stay prepared for the way back.
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, words + (size_t)d * n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "words", 0, n * 4, DPU_XFER_ASYNC));
  const struct arguments reduce = {n, kReduce, 0, 0};
  DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &reduce, sizeof(reduce), DPU_XFER_ASYNC));
  DPU_ASSERT(dpu_launch(set, DPU_ASYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, totals + d));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "total", 0, 4, DPU_XFER_ASYNC));
  DPU_ASSERT(dpu_sync(set));

  struct arguments *scan = malloc(dpus * sizeof(*scan));
  int32_t before = 0;
  for (d = 0; d < dpus; before += totals[d++]) scan[d] = (struct arguments){n, kScan, before, 0};
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, scan + d));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*scan), DPU_XFER_ASYNC));
  DPU_ASSERT(dpu_launch(set, DPU_ASYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, result + (size_t)d * n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "words", 0, n * 4, DPU_XFER_ASYNC));
  DPU_ASSERT(dpu_sync(set));
  bool done = false, fault = true;
  DPU_ASSERT(dpu_status(set, &done, &fault));
  expect_equal("done", 0, done, true);
  expect_equal("fault", 0, fault, false);
  int32_t sum = 0;
  for (size_t i = 0; i < (size_t)n * dpus; ++i) {
    expect_equal("sum", i, result[i], sum);
    sum += words[i];
  }
  DPU_ASSERT(dpu_free(set));
  free(words), free(result), free(totals), free(scan);
  return verdict("scan_rss");
}
