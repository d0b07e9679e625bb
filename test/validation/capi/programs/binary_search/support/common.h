// What both halves know.
#pragma once

#include <stdint.h>

#define BLOCK_ELEMENTS ((1 << BL) / (int)sizeof(int64_t))
#define MAX_QUERIES 512

typedef struct {
  uint32_t elements;  // sorted, a multiple of BLOCK_ELEMENTS
  uint32_t nr_queries;
} sizes_t;
