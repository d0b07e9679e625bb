// What both halves know.
#pragma once

#include <stdint.h>

#ifndef T
#define T int64_t
#endif
#define BLOCK_ELEMENTS ((1 << BL) / (uint32_t)sizeof(T))
#define MAX_ELEMENTS 4096

static inline int is_kept(T element) {
  return (element & 3) != 1;
}
