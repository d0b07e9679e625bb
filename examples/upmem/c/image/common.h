// What both halves of image know.
#pragma once

#include <stdint.h>

#define WIDTH 64  // pixels of 8 bits
#define MOST_ROWS 64

enum { kInvert, kThreshold, kMirror, kSmooth, kBrightness, kKernels };

struct arguments {
  uint32_t kernel, rows;
  int32_t value;  // threshold; brightness in 1/16
};
