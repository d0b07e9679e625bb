// What both halves of scan know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 512
#define T int64_t

enum { kScan, kAdd };

struct arguments {
  uint32_t kernel;
  uint32_t elements;  // of this DPU, on the heap of MRAM
  T offset;           // kAdd: what all DPUs before this one sum up to
};
