// What both halves know.
#pragma once

#include <stdint.h>

#ifndef FEATURE
#define FEATURE int32_t
#endif

#define NFEATURES 8
#define SHIFT 6  // fractional bits of features, weights and targets
#define MAX_SAMPLES 1024

// Rounds towards minus infinity, as an arithmetic shift does.
static inline int32_t predict(const FEATURE *x, const int32_t *w) {
  int32_t sum = 0;
  for (int f = 0; f < NFEATURES; ++f) sum += (x[f] * w[f]) >> SHIFT;
  return sum;
}
