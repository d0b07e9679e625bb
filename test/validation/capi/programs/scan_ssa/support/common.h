// What both halves know.
#pragma once

#include <stdint.h>

#ifndef T
#define T int64_t
#endif
#define BLOCK_BYTES (1 << BL)
#define BLOCK_ELEMENTS (BLOCK_BYTES / (uint32_t)sizeof(T))

enum step { kScanParts, kAddOffset, kSteps };

struct job {
  uint32_t elements;  // of this DPU; whole blocks
  uint32_t step;
  T offset;  // kAddOffset: the sum of all DPUs before this one
};
