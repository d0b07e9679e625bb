// Allocators at work, host half.
//   host [DPUS [NUMBERS [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

static int compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t numbers = argc > 2 ? (uint32_t)atoi(argv[2]) : 301, capacity = (numbers + 1) / 2 * 2;
  if (numbers > MOST_NUMBERS) return fprintf(stderr, "allocators: at most %u numbers\n", MOST_NUMBERS), 2;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));
  int32_t *const data = calloc((size_t)dpus * capacity, sizeof(*data));
  int32_t *const sorted = malloc((size_t)dpus * capacity * sizeof(*sorted));
  struct result *const results = malloc(dpus * sizeof(*results));
  uint32_t i, wrong = 0;
  DPU_FOREACH(set, dpu, i) {
    for (uint32_t k = 0; k < numbers; ++k)
      data[i * capacity + k] = (int32_t)(((i * numbers + k) * 2654435761u) >> 8) % 200 - 100;
    DPU_ASSERT(dpu_prepare_xfer(dpu, data + (size_t)i * capacity));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "numbers", 0, capacity * sizeof(*data), DPU_XFER_DEFAULT));
  const struct arguments arguments = {numbers, 12};
  DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, &results[i]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, sizeof(*results), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, sorted + (size_t)i * capacity));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "sorted", 0, capacity * sizeof(*sorted), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_free(set));

  for (uint32_t d = 0; d < dpus; ++d) {
    int32_t *const mine = data + (size_t)d * capacity;
    qsort(mine, numbers, sizeof(*mine), compare);
    uint32_t n = 0;
    for (uint32_t k = 0; k < numbers; ++k) {
      if (k > 0 && mine[k] == mine[k - 1]) continue;
      wrong += n >= results[d].distinct || sorted[(size_t)d * capacity + n] != mine[k];
      ++n;
    }
    wrong += results[d].distinct != n;
    wrong += results[d].errors;
  }
  printf("allocators: %u DPUs, %u wrong\n", dpus, wrong);
  free(data), free(sorted), free(results);
  return wrong != 0;
}
