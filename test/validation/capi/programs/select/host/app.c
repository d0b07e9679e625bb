// Selection over all DPUs; what they kept is collected in order, each with its own length.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

struct block_arguments {
  T *to;                          // of all
  const uint32_t *first, *count;  // of a DPU
};

// One block per DPU: its part of the result.
static bool get_block(struct sg_block_info *out, uint32_t dpu_index, uint32_t block_index, void *args) {
  const struct block_arguments *a = args;
  if (block_index >= 1) return false;
  out->addr = (uint8_t *)(a->to + a->first[dpu_index]);
  out->length = a->count[dpu_index] * sizeof(T);
  return true;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 1111);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_ELEMENTS) return fprintf(stderr, "at most %d elements per DPU\n", MAX_ELEMENTS), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, "sgXferEnable=true", &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  T *from = malloc((size_t)p.n * dpus * sizeof(T) + 8), *to = malloc((size_t)p.n * dpus * sizeof(T));
  uint32_t *first = calloc(dpus + 1, 4), *count = calloc(dpus, 4), state = p.seed, most = 0;
  for (size_t i = 0; i < (size_t)p.n * dpus; ++i) from[i] = (T)(random_word(&state) >> 4);
  DPU_ASSERT(dpu_broadcast_to(set, "nr_elements", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, from + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "elements", 0, round_up(p.n * sizeof(T), 8), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, &count[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "nr_kept", 0, sizeof(*count), DPU_XFER_DEFAULT));
  for (d = 0; d < dpus; ++d) {
    first[d + 1] = first[d] + count[d];
    if (count[d] > most) most = count[d];
  }
  struct block_arguments arguments = {to, first, count};
  get_block_t get_block_info = {.f = get_block, .args = &arguments, .args_size = sizeof(arguments)};
  DPU_ASSERT(dpu_push_sg_xfer(set, DPU_XFER_FROM_DPU, "kept", 0, round_up(most * sizeof(T), 8), &get_block_info,
                              DPU_SG_XFER_DISABLE_LENGTH_CHECK));
  uint32_t n = 0;
  for (size_t i = 0; i < (size_t)p.n * dpus; ++i) {
    if (!is_kept(from[i])) continue;
    if (n < first[dpus]) expect_equal("element", n, (int64_t)to[n], (int64_t)from[i]);
    ++n;
  }
  expect_equal("kept", 0, first[dpus], n);
  DPU_ASSERT(dpu_free(set));
  free(from), free(to), free(first), free(count);
  return verdict("select");
}
