// A network whose neurons are shared out among DPUs: each has WIDTH of a layer of DPUs * WIDTH / DPUs.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

DPU_INCBIN(dpu_code, "bin/dpu_code");

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 3);  // inputs to classify
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load_from_incbin(set, &dpu_code, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  static int8_t weights[LAYERS][WIDTH][WIDTH];
  static const int32_t biases[LAYERS] = {40, -25, 7};
  uint32_t state = p.seed;
  for (int l = 0; l < LAYERS; ++l)
    for (int r = 0; r < WIDTH; ++r)
      for (int c = 0; c < WIDTH; ++c) weights[l][r][c] = (int8_t)(random_word(&state) >> 24);
  uint32_t *first = calloc(dpus + 1, 4);
  for (d = 0; d <= dpus; ++d) first[d] = WIDTH * d / dpus;
  DPU_FOREACH(set, dpu, d)
  for (int l = 0; l < LAYERS; ++l) {
    const uint32_t bytes = (first[d + 1] - first[d]) * WIDTH;
    if (bytes > 0)
      DPU_ASSERT(dpu_copy_to(dpu, "weights", (uint32_t)l * MAX_NEURONS * WIDTH, weights[l][first[d]], bytes));
  }
  struct arguments *arguments = calloc(dpus, sizeof(*arguments));
  int8_t(*parts)[MAX_NEURONS] = calloc(dpus, sizeof(*parts));
  for (uint32_t k = 0; k < p.n; ++k) {
    int8_t values[WIDTH], wanted[WIDTH], next[WIDTH];
    for (int i = 0; i < WIDTH; ++i) wanted[i] = values[i] = (int8_t)random_below(&state, 128);
    for (uint32_t layer = 0; layer < LAYERS; ++layer) {
      for (d = 0; d < dpus; ++d) arguments[d] = (struct arguments){layer, first[d + 1] - first[d]};
      DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, arguments + d));
      DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*arguments), DPU_XFER_DEFAULT));
      DPU_ASSERT(dpu_broadcast_to(set, "inputs", 0, values, sizeof(values), DPU_XFER_DEFAULT));
      DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
      DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, parts[d]));
      DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "outputs", 0, sizeof(*parts), DPU_XFER_DEFAULT));
      for (d = 0; d < dpus; ++d) memcpy(values + first[d], parts[d], first[d + 1] - first[d]);
      for (int r = 0; r < WIDTH; ++r) {
        int32_t sum = biases[layer];
        for (int c = 0; c < WIDTH; ++c) sum += weights[layer][r][c] * wanted[c];
        next[r] = activate(sum);
      }
      memcpy(wanted, next, sizeof(next));
      for (size_t i = 0; i < WIDTH; ++i) expect_equal("value", layer * WIDTH + i, values[i], wanted[i]);
    }
  }
  DPU_ASSERT(dpu_free(set));
  free(first), free(arguments), free(parts);
  return verdict("mlp");
}
