// Histograms, host half: adds up those of all DPUs.
//   host [DPUS [ELEMENTS [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t elements = argc > 2 ? (uint32_t)atoi(argv[2]) : dpus * 1200 + 11;
  static const uint32_t kBins[kWays] = {SMALL_BINS, LARGE_BINS, LARGE_BINS, 256};

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));

  const uint32_t perDpu = ((elements + dpus - 1) / dpus + 3) / 4 * 4;
  uint16_t *const data = calloc((size_t)perDpu * dpus, sizeof(*data));
  for (uint32_t i = 0; i < elements; ++i) data[i] = (uint16_t)((i * 2654435761u) >> (32 - DEPTH));
  uint32_t i;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, data + (size_t)i * perDpu));
  DPU_ASSERT(
      dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, perDpu * sizeof(*data), DPU_XFER_DEFAULT));

  uint32_t *const parts = malloc(dpus * LARGE_BINS * sizeof(*parts));
  struct arguments *const arguments = malloc(dpus * sizeof(*arguments));
  uint32_t wrong = 0;
  for (uint32_t way = 0; way < kWays; ++way) {
    const uint32_t bins = kBins[way];
    DPU_FOREACH(set, dpu, i) {
      const uint32_t first = i * perDpu < elements ? i * perDpu : elements;
      arguments[i] = (struct arguments){elements - first < perDpu ? elements - first : perDpu, bins, way};
      DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*arguments), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, parts + (size_t)i * bins));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "histogram", 0, bins * sizeof(*parts), DPU_XFER_DEFAULT));

    uint32_t *const expected = calloc(bins, sizeof(*expected));
    for (uint32_t k = 0; k < elements; ++k) ++expected[((uint32_t)data[k] * bins) >> DEPTH];
    for (uint32_t bin = 0; bin < bins; ++bin) {
      uint32_t sum = 0;
      for (uint32_t d = 0; d < dpus; ++d) sum += parts[(size_t)d * bins + bin];
      wrong += sum != expected[bin];
    }
    free(expected);
  }
  DPU_ASSERT(dpu_free(set));
  printf("histogram: %u elements, %u bins wrong\n", elements, wrong);
  free(data), free(parts), free(arguments);
  return wrong != 0;
}
