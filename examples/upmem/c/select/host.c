// Selection, host half: puts the parts of all DPUs together.
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
  const uint32_t elements = argc > 2 ? (uint32_t)atoi(argv[2]) : dpus * 1500 + 7;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));

  const uint32_t perDpu = (elements + dpus - 1) / dpus, bytes = perDpu * sizeof(T);
  T *const in = calloc((size_t)perDpu * dpus, sizeof(T)), *const out = calloc((size_t)perDpu * dpus, sizeof(T));
  for (uint32_t i = 0; i < elements; ++i) in[i] = (T)((i * 2654435761u) >> 7) - 1000000;

  uint32_t i;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, in + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, i) {
    const uint32_t first = i * perDpu < elements ? i * perDpu : elements;
    struct arguments arguments = {elements - first < perDpu ? elements - first : perDpu, bytes};
    DPU_ASSERT(dpu_copy_to(dpu, "arguments", 0, &arguments, sizeof(arguments)));
  }
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));

  uint32_t total = 0;
  DPU_FOREACH(set, dpu, i) {
    uint32_t kept = 0;
    DPU_ASSERT(dpu_copy_from(dpu, "kept", 0, &kept, sizeof(kept)));
    if (kept > perDpu) return printf("select: DPU %u kept %u\n", i, kept), 1;
    if (kept > 0) DPU_ASSERT(dpu_copy_from(dpu, DPU_MRAM_HEAP_POINTER_NAME, bytes, out + total, kept * sizeof(T)));
    total += kept;
  }
  DPU_ASSERT(dpu_free(set));

  uint32_t expected = 0, wrong = 0;
  for (uint32_t k = 0; k < elements; ++k) {
    if (isRejected(in[k])) continue;
    wrong += expected >= total || out[expected] != in[k];
    ++expected;
  }
  printf("select: %u of %u kept, expected %u, %u wrong\n", total, elements, expected, wrong);
  free(in), free(out);
  return wrong != 0 || total != expected;
}
