// What both halves know.
#pragma once

#include <stdint.h>

#ifndef TYPE
#define TYPE int32_t
#endif

#define B 4  // a block has B rows and B columns

struct block_t {
  uint32_t row, column;  // of blocks
  TYPE value[B * B];
};

// On the heap of a DPU: its blocks, then the vector, then the sums.
struct dpu_arguments {
  uint32_t blocks, rows;        // rows of blocks
  uint32_t vector_at, sums_at;  // offsets from the heap's start
};
