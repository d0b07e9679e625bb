// Prefix sums, host half: scans the totals of the DPUs between the two kernels.
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
  const uint32_t elements = argc > 2 ? (uint32_t)atoi(argv[2]) : dpus * 1700 + 1;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));

  const uint32_t perDpu = (elements + dpus - 1) / dpus, bytes = perDpu * sizeof(T);
  T *const data = calloc((size_t)perDpu * dpus, sizeof(T)), *const scanned = malloc((size_t)bytes * dpus);
  T *const totals = malloc(dpus * sizeof(T));
  struct arguments *const arguments = malloc(dpus * sizeof(*arguments));
  for (uint32_t i = 0; i < elements; ++i) data[i] = (T)(int32_t)(i * 2654435761u) * 1000;

  uint32_t i;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, data + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  for (uint32_t kernel = kScan; kernel <= kAdd; ++kernel) {
    T sum = 0;
    DPU_FOREACH(set, dpu, i) {
      arguments[i] = (struct arguments){kernel, perDpu, sum};
      if (kernel == kAdd) sum += totals[i];
      DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*arguments), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, &totals[i]));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "total", 0, sizeof(T), DPU_XFER_DEFAULT));
  }
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, scanned + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_free(set));

  uint32_t wrong = 0;
  T sum = 0;
  for (uint32_t k = 0; k < elements; ++k) {
    sum += data[k];
    wrong += scanned[k] != sum;
  }
  printf("scan: %u elements on %u DPUs, %u wrong\n", elements, dpus, wrong);
  free(data), free(scanned), free(totals), free(arguments);
  return wrong != 0;
}
