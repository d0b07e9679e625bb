// What both halves know.
#pragma once

#include <stdint.h>

#define NFEATURES 5  // of a point
#define STRIDE 8     // features of a point in memory, so that points are whole transfers
#define NCLUSTERS 6
#define TILE_POINTS 16

typedef int16_t int_feature;

// Of one DPU, for the host to add up.
typedef struct {
  int64_t sum[NCLUSTERS][NFEATURES];
  uint64_t count[NCLUSTERS];
  uint64_t inertia;
} result_t;
