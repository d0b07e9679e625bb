// Binary search, host half: all DPUs have the numbers, each its own queries.
//   host [DPUS [ELEMENTS [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

#define QUERIES 60

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t elements = argc > 2 ? (uint32_t)atoi(argv[2]) : 10001;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));
  const uint32_t bytes = elements * sizeof(int64_t);
  int64_t *const sorted = malloc(bytes), *const queries = malloc(dpus * QUERIES * sizeof(int64_t));
  int64_t *const answers = malloc(dpus * QUERIES * sizeof(int64_t));
  for (uint32_t i = 0; i < elements; ++i) sorted[i] = ((int64_t)i - 5000) * 3000000000;
  for (uint32_t q = 0; q < dpus * QUERIES; ++q)
    queries[q] = ((int64_t)(q * 2654435761u % (elements + 20)) - 5010) * 3000000000 + (q % 4 == 0);

  const struct arguments arguments = {elements, QUERIES};
  DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_broadcast_to(set, DPU_MRAM_HEAP_POINTER_NAME, 0, sorted, bytes, DPU_XFER_DEFAULT));
  uint32_t i;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, queries + (size_t)i * QUERIES));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, bytes, QUERIES * sizeof(int64_t),
                           DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, answers + (size_t)i * QUERIES));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, bytes, QUERIES * sizeof(int64_t),
                           DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_free(set));

  uint32_t wrong = 0, found = 0;
  for (uint32_t q = 0; q < dpus * QUERIES; ++q) {
    int64_t expected = NOT_FOUND;
    for (uint32_t k = 0; k < elements; ++k)
      if (sorted[k] == queries[q]) expected = k;
    wrong += answers[q] != expected;
    found += expected != NOT_FOUND;
  }
  printf("search: %u of %u queries found, %u wrong\n", found, dpus * QUERIES, wrong);
  free(sorted), free(queries), free(answers);
  return wrong != 0;
}
