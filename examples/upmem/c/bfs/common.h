// What both halves of bfs know.
#pragma once

#include <stdint.h>

#define MOST_NODES 4096  // of the whole graph
#define WORDS (MOST_NODES / 32)

// The heap of MRAM holds the row pointers of this DPU's nodes (one more than there are, padded), then their neighbours.
struct arguments {
  uint32_t first, nodes;  // of this DPU
  uint32_t neighbours;    // bytes from the heap's start to the neighbours
  uint32_t level;
};
