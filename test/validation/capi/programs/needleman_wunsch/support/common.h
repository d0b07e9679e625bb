// What both halves know.
#pragma once

#include <stdint.h>

#define BLOCK 8                    // elements of a block's side
#define MAX_LENGTH 96              // of a sequence; a multiple of BLOCK
#define SIDE (MAX_LENGTH + BLOCK)  // of the matrix, whose rows are whole transfers

#define MATCH 3
#define MISMATCH (-2)
#define GAP (-4)

struct pair {
  uint32_t length_a, length_b;  // multiples of BLOCK
  uint8_t a[MAX_LENGTH], b[MAX_LENGTH];
};
