// What both halves of histogram know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 256
#define DEPTH 12
#define SMALL_BINS 64
#define LARGE_BINS 2048

enum { kPerTasklet, kMutexPool, kVirtualMutexes, kInMram, kWays };

struct arguments {
  uint32_t elements;  // of this DPU: 16-bit numbers below 1 << DEPTH on the heap of MRAM
  uint32_t bins;
  uint32_t way;
};
