// What both halves know.
#pragma once

#include <stdint.h>

#define MAX_BYTES 4096
#define MAX_PARTS 24

enum { kCompress, kExpand };

struct run {
  uint8_t length;  // less one
  uint8_t byte;
};

struct job {
  uint32_t bytes, mode;
  uint32_t runs[MAX_PARTS];  // of every tasklet's part; its runs begin at run 2 * (first byte of the part)
};
