// Vector addition, host half: splits two vectors among DPUs and checks their sum.
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
  const uint32_t elements = argc > 2 ? (uint32_t)atoi(argv[2]) : dpus * 3000 + 5;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));

  // Every DPU gets the same number of elements, a multiple of 8 bytes; the last ones may be padding.
  const uint32_t perDpu = ((elements + dpus - 1) / dpus + 1) / 2 * 2;
  T *const a = calloc((size_t)perDpu * dpus, sizeof(T)), *const b = calloc((size_t)perDpu * dpus, sizeof(T));
  T *const sum = malloc((size_t)perDpu * dpus * sizeof(T));
  struct arguments *const arguments = calloc(dpus, sizeof(*arguments));
  for (uint32_t i = 0; i < elements; ++i) {
    a[i] = (T)(i * 2654435761u);
    b[i] = (T)(i ^ 0x5bd1e995u);
  }

  uint32_t i;
  DPU_FOREACH(set, dpu, i) {
    arguments[i] = (struct arguments){perDpu * sizeof(T), perDpu * sizeof(T)};
    DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*arguments), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, a + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, perDpu * sizeof(T), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, b + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, perDpu * sizeof(T), perDpu * sizeof(T),
                           DPU_XFER_DEFAULT));

  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));

  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, sum + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, perDpu * sizeof(T), perDpu * sizeof(T),
                           DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_free(set));

  uint32_t wrong = 0;
  for (uint32_t k = 0; k < elements; ++k) wrong += sum[k] != (T)((uint32_t)a[k] + (uint32_t)b[k]);
  printf("vecadd: %u elements on %u DPUs, %u wrong\n", elements, dpus, wrong);
  free(a), free(b), free(sum), free(arguments);
  return wrong != 0;
}
