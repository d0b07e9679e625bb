// What both halves know.
#pragma once

#include <stdint.h>

#define NFEATURES 6    // and the constant 1 as the last
#define SHIFT 10       // fractional bits
#define SIGMOID_END 8  // beyond it the sigmoid is taken as 1
#define TABLE_SHIFT 4  // the table has an entry per 2^TABLE_SHIFT of the argument
#define TABLE_ENTRIES ((SIGMOID_END << SHIFT) >> TABLE_SHIFT)

struct sample {
  int32_t x[NFEATURES];
  int32_t label;  // 0 or 1, in fixed point
  int32_t unused;
};
