// What both halves know.
#pragma once

#include <stdint.h>

#define TWO_PI 6.28318530717958647692f
#define PRECISION 9  // the table has 2^PRECISION entries for a full turn, and one more
#define TABLE_ENTRIES ((1 << PRECISION) + 1)
#define TABLE_ROOM (TABLE_ENTRIES + 1)  // whole words of 8 bytes
#define STEPS_PER_RADIAN ((1 << PRECISION) / TWO_PI)

typedef struct {
  float sine, cosine;
} pair_t;
