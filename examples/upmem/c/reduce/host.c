// Sum of an array, host half: all three ways on the same data.
//   host [DPUS [ELEMENTS [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t elements = argc > 2 ? (uint32_t)atoi(argv[2]) : dpus * 4000 + 3;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));

  const uint32_t perDpu = ((elements + dpus - 1) / dpus + 1) / 2 * 2;
  int32_t *const data = calloc((size_t)perDpu * dpus, sizeof(*data));
  int64_t expected = 0;
  for (uint32_t i = 0; i < elements; ++i) {
    data[i] = (int32_t)(i * 2654435761u);
    expected += data[i];
  }
  uint32_t i;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, data + (size_t)i * perDpu));
  DPU_ASSERT(
      dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, perDpu * sizeof(*data), DPU_XFER_DEFAULT));

  struct result *const results = malloc(dpus * sizeof(*results));
  int isWrong = 0;
  for (uint32_t way = 0; way < kWays; ++way) {
    DPU_FOREACH(set, dpu, i) {
      const uint32_t first = i * perDpu < elements ? i * perDpu : elements;
      struct arguments arguments = {elements - first < perDpu ? elements - first : perDpu, way};
      DPU_ASSERT(dpu_copy_to(dpu, "arguments", 0, &arguments, sizeof(arguments)));
    }
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, &results[i]));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, sizeof(*results), DPU_XFER_DEFAULT));
    int64_t sum = 0;
    uint64_t cycles = 0;
    for (uint32_t d = 0; d < dpus; ++d) {
      sum += results[d].sum;
      if (results[d].cycles > cycles) cycles = results[d].cycles;
    }
    printf("reduce: way %u gives %lld, expected %lld, in %llu cycles\n", way, (long long)sum, (long long)expected,
           (unsigned long long)cycles);
    isWrong |= sum != expected || cycles == 0;
  }
  DPU_ASSERT(dpu_free(set));
  free(data), free(results);
  return isWrong;
}
