// What both halves know.
#pragma once

#include <stdint.h>

#define MAX_NODES 4096  // of the graph; a multiple of 64
#define MAX_OWN 1024    // of a DPU
#define MAX_EDGES 8192  // of a DPU
#define WORDS (MAX_NODES / 64)

// A DPU has some consecutive nodes with their edges.
struct graph {
  uint32_t nodes;  // of the whole graph
  uint32_t first, own;
  uint32_t level;
};
