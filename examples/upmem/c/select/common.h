// What both halves of select know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 512
#define T int64_t

struct arguments {
  uint32_t elements;  // of this DPU, from the start of the heap of MRAM
  uint32_t output;    // bytes from there to the output
};

// What is left out.
static inline int isRejected(T x) {
  return x % 3 == 0;
}
