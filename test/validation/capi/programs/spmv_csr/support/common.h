// What both halves know.
#pragma once

#include <stdint.h>

#ifndef TYPE
#define TYPE int32_t
#endif

// One DPU has some consecutive rows. On its heap, each rounded up to 8 bytes: first elements of rows (rows + 1),
// columns, values, the vector, the sums.
typedef struct {
  uint32_t rows, columns, elements;
  uint32_t columns_at, values_at, vector_at, sums_at;  // offsets from the heap's start
  uint32_t first_element;                              // of this DPU in the whole matrix
} dpu_arguments_t;

// Elements are shared out evenly among tasklets, so that a row may belong to several.
typedef struct {
  uint32_t begin, end;  // elements, from 0
  uint32_t row;         // of the first one
} tasklet_arguments_t;
