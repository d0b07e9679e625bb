// Binary search: all DPUs have the same array and different queries.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 201);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_QUERIES) return fprintf(stderr, "at most %d queries\n", MAX_QUERIES), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t elements = 3000 / BLOCK_ELEMENTS * BLOCK_ELEMENTS;
  int64_t *sorted = malloc(elements * 8), *queries = malloc((size_t)p.n * dpus * 8),
          *places = malloc((size_t)p.n * dpus * 8);
  uint32_t state = p.seed;
  int64_t value = -(INT64_C(1) << 40);
  for (uint32_t i = 0; i < elements; ++i) sorted[i] = value += (int64_t)random_below(&state, 1u << 30) * (i % 5 != 0);
  for (size_t i = 0; i < (size_t)p.n * dpus; ++i) {
    queries[i] = sorted[random_below(&state, elements)] + (int64_t)random_below(&state, 3) - 1;
    if (i % 50 == 0) queries[i] = i % 100 == 0 ? INT64_MAX : INT64_MIN;
  }
  const sizes_t sizes = {elements, p.n};
  DPU_ASSERT(dpu_broadcast_to(set, "sizes", 0, &sizes, sizeof(sizes), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_broadcast_to(set, DPU_MRAM_HEAP_POINTER_NAME, 0, sorted, elements * 8, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, queries + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "queries", 0, p.n * 8, DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, places + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "places", 0, p.n * 8, DPU_XFER_DEFAULT));
  for (size_t i = 0; i < (size_t)p.n * dpus; ++i) {
    int64_t wanted = 0;
    while (wanted < elements && sorted[wanted] < queries[i]) ++wanted;
    expect_equal("place", i, places[i], wanted);
  }
  DPU_ASSERT(dpu_free(set));
  free(sorted), free(queries), free(places);
  return verdict("binary_search");
}
