// What both halves know.
#pragma once

#include <stdint.h>

enum function { kExp, kLog, kSqrt, kTanh, kFunctions };

#define TABLE_BITS 7
#define TABLE_ENTRIES ((1 << TABLE_BITS) + 2)  // one more for interpolation, one to be even

// 2^x for x from 0 to 1; ln(x) for x from 1 to 2; sqrt(x) for x from 1 to 4, in steps of 3 / 2^TABLE_BITS.
struct tables {
  float exp2[TABLE_ENTRIES], ln[TABLE_ENTRIES], sqrt[TABLE_ENTRIES];
};

struct arguments {
  uint32_t n, function;
};
