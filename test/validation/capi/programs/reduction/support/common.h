// What both halves know.
#pragma once

#include <stdint.h>

#define BLOCK_SIZE (1 << BL)

struct arguments {
  uint32_t size;  // bytes
  uint32_t unused;
};

struct result {
  uint64_t instructions;  // of all tasklets until this one was done
  int64_t sum;
};
