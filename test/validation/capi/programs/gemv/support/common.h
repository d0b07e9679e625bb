// What both halves know.
#pragma once

#include <stdint.h>

#ifndef T
#define T int32_t
#endif
#define BLOCK_ELEMENTS ((1 << BL) / (uint32_t)sizeof(T))

struct arguments {
  uint32_t columns;         // a multiple of 8
  uint32_t rows, max_rows;  // of this DPU; of any, even
  uint32_t unused;
};
