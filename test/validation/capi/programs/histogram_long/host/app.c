// A histogram of random pixels over all DPUs, many equal.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 1205);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t room = round_up(p.n, 2);
  uint32_t *pixels = malloc((size_t)room * dpus * 4), wanted[BINS] = {0}, sums[BINS] = {0}, one[BINS], state = p.seed;
  for (size_t i = 0; i < (size_t)room * dpus; ++i) {
    pixels[i] = random_below(&state, 4) == 0 ? 77 : random_below(&state, 1u << DEPTH);
    if (i % room < p.n) wanted[pixels[i] * BINS >> DEPTH]++;
  }
  DPU_ASSERT(dpu_broadcast_to(set, "nr_pixels", 0, &p.n, 4, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, pixels + (size_t)d * room));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, room * 4, DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu) {
    DPU_ASSERT(dpu_copy_from(dpu, "histogram", 0, one, sizeof(one)));
    for (int bin = 0; bin < BINS; ++bin) sums[bin] += one[bin];
  }
  for (size_t bin = 0; bin < BINS; ++bin) expect_equal("bin", bin, sums[bin], wanted[bin]);
  DPU_ASSERT(dpu_free(set));
  free(pixels);
  return verdict("histogram_long");
}
