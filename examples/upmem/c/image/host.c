// Several kernels in one binary, host half: one launch for each.
//   host [DPUS [ROWS [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

static uint8_t expected(uint32_t kernel, int32_t value, const uint8_t *row, int i) {
  switch (kernel) {
    case kInvert:
      return (uint8_t)~row[i];
    case kThreshold:
      return row[i] >= value ? 255 : 0;
    case kMirror:
      return row[WIDTH - 1 - i];
    case kSmooth:
      return (uint8_t)((row[i > 0 ? i - 1 : 0] + 2 * row[i] + row[i < WIDTH - 1 ? i + 1 : i] + 2) / 4);
    default: {
      const int32_t x = row[i] * value / 16;
      return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
    }
  }
}

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t rows = argc > 2 ? (uint32_t)atoi(argv[2]) : 37, bytes = rows * WIDTH;
  static const int32_t kValues[kKernels] = {0, 100, 0, 0, 23};
  if (rows > MOST_ROWS) return fprintf(stderr, "image: at most %u rows\n", MOST_ROWS), 2;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));
  uint8_t *const images = malloc((size_t)dpus * bytes), *const results = malloc((size_t)dpus * bytes);
  for (uint32_t i = 0; i < dpus * bytes; ++i) images[i] = (uint8_t)((i * 2654435761u) >> 24);
  uint32_t i, wrong = 0;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, images + (size_t)i * bytes));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "image", 0, bytes, DPU_XFER_DEFAULT));
  for (uint32_t kernel = 0; kernel < kKernels; ++kernel) {
    const struct arguments arguments = {kernel, rows, kValues[kernel]};
    DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, results + (size_t)i * bytes));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, bytes, DPU_XFER_DEFAULT));
    for (uint32_t k = 0; k < dpus * bytes; ++k)
      wrong += results[k] != expected(kernel, kValues[kernel], images + k / WIDTH * WIDTH, (int)(k % WIDTH));
  }
  DPU_ASSERT(dpu_free(set));
  printf("image: %u rows on each of %u DPUs, %u pixels wrong\n", rows, dpus, wrong);
  free(images), free(results);
  return wrong != 0;
}
