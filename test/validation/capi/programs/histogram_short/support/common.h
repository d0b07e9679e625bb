// What both halves know.
#pragma once

#include <stdint.h>

#ifndef BINS
#define BINS 64
#endif
#define DEPTH 12  // bits of a pixel

typedef uint16_t pixel_t;

static inline uint32_t bin_of(pixel_t pixel) {
  return ((uint32_t)pixel * BINS) >> DEPTH;
}
