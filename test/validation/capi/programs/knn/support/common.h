// What both halves know.
#pragma once

#include <stdint.h>

#define DIMENSIONS 6
#define K 5

struct point {
  int32_t at[DIMENSIONS];
  uint32_t label;
  uint32_t unused;
};

struct neighbour {
  uint32_t distance, label;
};

struct query {
  int32_t at[DIMENSIONS];
  uint32_t nr_points;  // of this DPU
  uint32_t unused;
};

// Smaller distances first, then smaller labels, so that there is one answer.
static inline int is_nearer(struct neighbour a, struct neighbour b) {
  return a.distance != b.distance ? a.distance < b.distance : a.label < b.label;
}
