// What both halves know.
#pragma once

#include <stdint.h>

#define MAX_ROWS 512  // of either table on a DPU
#define MAX_MATCHES 4096
#define BUCKETS 128  // a power of two

typedef struct {
  uint32_t key, payload;
} row_t;

typedef struct {
  uint32_t left, right;  // payloads
} match_t;

typedef struct {
  uint32_t left_rows, right_rows;
} sizes_t;

static inline uint32_t hash(uint32_t key) {
  key *= 0x9e3779b1u;
  return key >> 16;
}
