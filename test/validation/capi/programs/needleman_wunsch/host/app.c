// Alignment of a pair of random sequences on every DPU.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static int32_t wanted[SIDE][SIDE], got[SIDE][SIDE];

static void align(const struct pair *p) {
  for (uint32_t i = 0; i <= p->length_a; ++i) {
    for (uint32_t j = 0; j <= p->length_b; ++j) {
      int32_t best = i == 0 ? (int32_t)j * GAP : (int32_t)i * GAP;
      if (i > 0 && j > 0) {
        best = wanted[i - 1][j - 1] + (p->a[i - 1] == p->b[j - 1] ? MATCH : MISMATCH);
        if (wanted[i - 1][j] + GAP > best) best = wanted[i - 1][j] + GAP;
        if (wanted[i][j - 1] + GAP > best) best = wanted[i][j - 1] + GAP;
      }
      wanted[i][j] = best;
    }
  }
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 56);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_LENGTH - 2 * BLOCK) return fprintf(stderr, "at most %d letters\n", MAX_LENGTH - 2 * BLOCK), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  struct pair *pairs = calloc(dpus, sizeof(*pairs));
  uint32_t state = p.seed;
  for (d = 0; d < dpus; ++d) {
    pairs[d].length_a = round_up(p.n, BLOCK);
    pairs[d].length_b = round_up(p.n - random_below(&state, p.n / 2), BLOCK);
    for (uint32_t i = 0; i < pairs[d].length_a; ++i) pairs[d].a[i] = (uint8_t)random_below(&state, 4);
    for (uint32_t i = 0; i < pairs[d].length_b; ++i)
      pairs[d].b[i] = random_below(&state, 5) == 0 ? (uint8_t)random_below(&state, 4) : pairs[d].a[i];
  }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, &pairs[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "pair", 0, sizeof(*pairs), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    int32_t score;
    DPU_ASSERT(dpu_copy_from(dpu, "score", 0, &score, sizeof(score)));
    DPU_ASSERT(dpu_copy_from(dpu, "matrix", 0, got, sizeof(got)));
    align(&pairs[d]);
    expect_equal("score", d, score, wanted[pairs[d].length_a][pairs[d].length_b]);
    for (uint32_t i = 0; i <= pairs[d].length_a; ++i)
      for (uint32_t j = 0; j <= pairs[d].length_b; ++j)
        expect_equal("matrix", i * SIDE + j, got[i + BLOCK - 1][j + BLOCK - 1], wanted[i][j]);
  }
  DPU_ASSERT(dpu_free(set));
  free(pairs);
  return verdict("needleman_wunsch");
}
