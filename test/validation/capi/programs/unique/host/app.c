// Unique on every DPU; the host drops the first of a DPU that equals the last of the one before.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 1022);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_ELEMENTS) return fprintf(stderr, "at most %d elements per DPU\n", MAX_ELEMENTS), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  T *from = malloc((size_t)p.n * dpus * sizeof(T)), *to = malloc((size_t)p.n * dpus * sizeof(T));
  uint32_t state = p.seed, n = 0;
  for (size_t i = 0; i < (size_t)p.n * dpus; ++i)
    from[i] = i > 0 && random_below(&state, 3) != 0 ? from[i - 1] : (T)random_below(&state, 4) << 33;
  const uint32_t sizes[2] = {p.n, 0};
  DPU_ASSERT(dpu_broadcast_to(set, "sizes", 0, sizes, sizeof(sizes), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, from + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "elements", 0, p.n * sizeof(T), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  T *part = malloc(p.n * sizeof(T));
  DPU_FOREACH(set, dpu) {
    uint32_t count;
    DPU_ASSERT(dpu_copy_from(dpu, "sizes", sizeof(uint32_t), &count, sizeof(count)));
    DPU_ASSERT(dpu_copy_from(dpu, "unique", 0, part, count * sizeof(T)));
    const uint32_t skip = n > 0 && to[n - 1] == part[0];
    memcpy(to + n, part + skip, (count - skip) * sizeof(T));
    n += count - skip;
  }
  uint32_t k = 0;
  for (size_t i = 0; i < (size_t)p.n * dpus; ++i) {
    if (i > 0 && from[i] == from[i - 1]) continue;
    if (k < n) expect_equal("element", k, to[k], from[i]);
    ++k;
  }
  expect_equal("elements", 0, n, k);
  DPU_ASSERT(dpu_free(set));
  free(from), free(to), free(part);
  return verdict("unique");
}
