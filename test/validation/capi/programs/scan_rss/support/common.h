// What both halves know.
#pragma once

#include <stdint.h>

#define BLOCK_WORDS ((1 << BL) / 4)

// Kernels of one binary; the host chooses.
enum kernel { kReduce, kScan };

struct arguments {
  uint32_t n;  // words of this DPU, a multiple of 2
  uint32_t kernel;
  int32_t before;  // kScan: the sum of the DPUs before
  int32_t unused;
};
