// What both halves know.
#pragma once

#include <stdint.h>

typedef int64_t T;

// A DPU has M rows of N tiles, of m rows of n elements.
enum { kTiles, kElements };

typedef struct {
  uint32_t m, n, M, N;
  uint32_t kernel;
  uint32_t padding;
} dpu_arguments_t;
