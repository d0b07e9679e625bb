// What both halves know.
#pragma once

#include <stdint.h>

#ifndef TYPE
#define TYPE int32_t
#endif

struct elem_t {
  uint16_t row, column;
  TYPE value;
};

// One DPU has some consecutive elements of the whole matrix, whose rows may begin before and end after it.
typedef struct {
  uint32_t rows;  // from `first_row` on
  uint32_t columns;
  uint32_t elements;
  uint32_t first_row;
} dpu_arguments_t;

#define MAX_ELEMENTS 4096
#define MAX_COLUMNS 512
#define MAX_ROWS 4096
