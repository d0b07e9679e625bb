// What both halves know.
#pragma once

#include <stdint.h>

#define QUERY 32  // values of the query

typedef int32_t value_t;

struct arguments {
  uint32_t windows;  // that begin on this DPU
  uint32_t unused;
  value_t query[QUERY];  // less its mean
};

struct best {
  int64_t distance;
  uint32_t at;
  uint32_t windows;  // looked at
};
