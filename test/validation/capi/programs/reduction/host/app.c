// A sum over all DPUs.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 801);
  struct dpu_set_t rank_set, rank, dpu;
  uint32_t dpus, ranks, d = 0;
  struct timer timer;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &rank_set));
  DPU_ASSERT(dpu_load(rank_set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(rank_set, &dpus));
  DPU_ASSERT(dpu_get_nr_ranks(rank_set, &ranks));
  expect_equal("ranks", 0, ranks, (NR_DPUS + 63) / 64);
  int64_t *data = malloc((size_t)p.n * dpus * sizeof(*data)), wanted = 0, got = 0;
  uint32_t state = p.seed, last = 0;
  for (size_t i = 0; i < (size_t)p.n * dpus; ++i) data[i] = (int64_t)random_word(&state) * (int32_t)random_word(&state);
  // The last DPU has less; a set of one DPU is written on its own.
  const uint32_t less = p.n / 3;
  start(&timer, kToDpu, 0);
  DPU_RANK_FOREACH(rank_set, rank) {
    DPU_FOREACH(rank, dpu) {
      last = d == dpus - 1;
      struct arguments arguments = {(last ? p.n - less : p.n) * (uint32_t)sizeof(int64_t), 0};
      DPU_ASSERT(dpu_copy_to(dpu, "arguments", 0, &arguments, sizeof(arguments)));
      DPU_ASSERT(dpu_copy_to(dpu, DPU_MRAM_HEAP_POINTER_NAME, 0, data + (size_t)d * p.n, arguments.size));
      d++;
    }
  }
  stop(&timer, kToDpu);
  expect_equal("DPUs of all ranks", 0, d, dpus);
  for (size_t i = 0; i < (size_t)p.n * dpus - less; ++i) wanted += data[i];
  for (uint32_t rep = 0; rep < p.warmup + p.reps; ++rep) {
    start(&timer, kKernel, (int)(rep - p.warmup));
    DPU_ASSERT(dpu_launch(rank_set, DPU_SYNCHRONOUS));
    stop(&timer, kKernel);
    got = 0;
    struct result results[NR_TASKLETS];
    DPU_FOREACH(rank_set, dpu) {
      DPU_ASSERT(dpu_copy_from(dpu, "results", 0, results, sizeof(results)));
      got += results[0].sum;
      // All tasklets together issue at least an instruction per element.
      uint64_t most = 0;
      for (int t = 0; t < NR_TASKLETS; ++t) most = results[t].instructions > most ? results[t].instructions : most;
      expect_equal("instructions", 0, most >= p.n - less, 1);
    }
    expect_equal("sum", rep, got, wanted);
  }
  DPU_ASSERT(dpu_free(rank_set));
  free(data);
  return verdict("reduction");
}
