// What both halves of matvec know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 256

enum { kInt, kFloat };

// The heap of MRAM holds the rows of this DPU, then the vector, then the result.
struct arguments {
  uint32_t rows;     // a multiple of 2
  uint32_t columns;  // a multiple of 2
  uint32_t type;
};
