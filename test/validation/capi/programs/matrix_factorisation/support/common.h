// What both halves know, with the step that both make.
#pragma once

#include <stdint.h>

#define FACTORS 8
#define SHIFT 12  // fractional bits
#define RATE_SHIFT 5
#define MAX_USERS 64      // of a DPU
#define MAX_ITEMS 48      // of a group
#define MAX_RATINGS 1024  // of a DPU and a group
#define MAX_TASKLETS 24

typedef int32_t factors_t[FACTORS];

struct rating {
  uint16_t user, item;
  int32_t value;
};

// Ratings are sorted by blocks: a tasklet has the users u with u mod tasklets = its number, and in every of `tasklets`
// steps the items i with i mod tasklets = (its number + step) mod tasklets. So no two tasklets touch the same factors.
struct arguments {
  uint32_t users, items;
  uint16_t first[MAX_TASKLETS][MAX_TASKLETS + 1];  // ratings of [tasklet][step], and where the next step's begin
};

static inline void learn(int32_t *user, int32_t *item, int32_t value) {
  int32_t prediction = 0;
  for (int f = 0; f < FACTORS; ++f) prediction += (user[f] * item[f]) >> SHIFT;
  const int32_t error = value - prediction;
  for (int f = 0; f < FACTORS; ++f) {
    const int32_t u = user[f], i = item[f];
    user[f] += ((error * i) >> SHIFT) >> RATE_SHIFT;
    item[f] += ((error * u) >> SHIFT) >> RATE_SHIFT;
  }
}
