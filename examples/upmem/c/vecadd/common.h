// What both halves of vecadd know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 512
#define T int32_t

struct arguments {
  uint32_t bytes;     // of the elements of this DPU
  uint32_t capacity;  // bytes between two vectors in MRAM
};
