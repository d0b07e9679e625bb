// What both halves know.
#pragma once

#include <stdint.h>

#ifndef SIZE
#define SIZE 3
#endif
#define HALO (SIZE / 2)
#define MAX_WIDTH 120
#define STRIDE 128  // bytes between rows, the first of which are HALO pixels of border
#define MAX_ROWS 128

struct arguments {
  uint32_t rows, width;  // of the strip, without borders
  int32_t shift;
  int8_t kernel[SIZE * SIZE];
};

static inline uint8_t clamp(int32_t value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}
