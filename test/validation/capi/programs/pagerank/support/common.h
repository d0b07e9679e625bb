// What both halves know.
#pragma once

#include <stdint.h>

#define MAX_NODES 4096
#define MAX_OWN 512
#define MAX_EDGES 4096

#ifdef RANK_FIXED
typedef uint32_t rank_t;  // 2^28 is 1
#define ONE (1u << 28)
#define DAMP(sum) ((rank_t)(((uint64_t)(sum) * 870) >> 10))
#define SHARE(rank, degree) ((rank) / (degree))
#else
typedef float rank_t;
#define ONE 1.0f
#define DAMP(sum) ((sum) * 0.85f)
#define SHARE(rank, degree) ((rank) / (float)(degree))
#endif

struct arguments {
  uint32_t own;  // nodes of this DPU
  rank_t base;   // what every node gets
};
