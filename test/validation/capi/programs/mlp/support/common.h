// What both halves know.
#pragma once

#include <stdint.h>

#define LAYERS 3
#define WIDTH 64           // neurons of a layer, and inputs
#define MAX_NEURONS WIDTH  // of a DPU
#define SHIFT 5            // sums are scaled down by 2^SHIFT

struct arguments {
  uint32_t layer, neurons;  // of this DPU
};

// What a neuron gives for a sum.
static inline int8_t activate(int32_t sum) {
  sum >>= SHIFT;
  return (int8_t)(sum < 0 ? 0 : sum > 127 ? 127 : sum);
}
