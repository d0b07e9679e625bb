// Matrix times vector, host half: rows are split among DPUs, the vector goes to all.
//   host [DPUS [COLUMNS [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

union word {
  int32_t i;
  float f;
};

static union word value(uint32_t n, uint32_t type) {
  union word w;
  if (type == kInt)
    w.i = (int32_t)((n * 2654435761u) >> 20) - 2048;
  else
    w.f = (float)((int32_t)((n * 2654435761u) >> 12) - 500000) / 1024.0f;
  return w;
}

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t columns = argc > 2 ? (uint32_t)atoi(argv[2]) : 90;
  const uint32_t perDpu = 26, rows = dpus * perDpu, rowBytes = columns * sizeof(union word);

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));
  union word *const a = malloc((size_t)rows * rowBytes), *const x = malloc(rowBytes);
  union word *const y = malloc(rows * sizeof(*y));
  uint32_t wrong = 0;
  for (uint32_t type = kInt; type <= kFloat; ++type) {
    for (uint32_t i = 0; i < rows * columns; ++i) a[i] = value(i, type);
    for (uint32_t i = 0; i < columns; ++i) x[i] = value(i + 77, type);
    const struct arguments arguments = {perDpu, columns, type};
    DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
    uint32_t i;
    DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, a + (size_t)i * perDpu * columns));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, perDpu * rowBytes, DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_broadcast_to(set, DPU_MRAM_HEAP_POINTER_NAME, perDpu * rowBytes, x, rowBytes, DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_ASYNCHRONOUS));
    DPU_ASSERT(dpu_sync(set));
    DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, y + (size_t)i * perDpu));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, (perDpu + 1) * rowBytes,
                             perDpu * sizeof(*y), DPU_XFER_DEFAULT));
    for (uint32_t r = 0; r < rows; ++r) {
      union word sum = {0};
      for (uint32_t c = 0; c < columns; ++c) {
        if (type == kInt) {
          sum.i += a[r * columns + c].i * x[c].i;
        } else {
          volatile float product = a[r * columns + c].f * x[c].f;  // rounded, as on the DPU
          sum.f += product;
        }
      }
      wrong += memcmp(&sum, &y[r], sizeof(sum)) != 0;
    }
  }
  DPU_ASSERT(dpu_free(set));
  printf("matvec: %u x %u, %u wrong\n", rows, columns, wrong);
  free(a), free(x), free(y);
  return wrong != 0;
}
