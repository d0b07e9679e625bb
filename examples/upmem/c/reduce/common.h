// What both halves of reduce know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 512

enum { kBarrier, kBarrierTree, kHandshakeTree, kWays };

struct arguments {
  uint32_t elements;  // of this DPU: 32-bit numbers on the heap of MRAM
  uint32_t way;
};

struct result {
  int64_t sum;
  uint64_t cycles;
};
