// What both halves know.
#pragma once

#include <stdint.h>

#ifndef BL
#define BL 8
#endif
#define BLOCK_SIZE (1 << BL)  // bytes of a transfer of features
#define BLOCK_POINTS (BLOCK_SIZE / (int)sizeof(float))

#define NFEATURES 4
#define NCLASSES 3
#define MAX_POINTS 512  // of a DPU

enum command { kMinMax, kEvaluate, kCommit };

typedef struct {
  uint32_t command;
  uint32_t leaf, feature;
  uint32_t new_leaf;  // kCommit: of points beyond the threshold
  float threshold;
  uint32_t nr_points;
} command_t;

typedef struct {
  float least, most;            // kMinMax
  uint32_t count[2][NCLASSES];  // kEvaluate: points up to and beyond the threshold
} answer_t;
