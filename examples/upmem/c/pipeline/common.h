// What both halves of pipeline know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 128

struct arguments {
  uint32_t blocks;  // of this DPU, on the heap of MRAM; each becomes one number behind them
};

// What becomes of a block.
static inline uint64_t digest(const uint8_t *bytes) {
  uint32_t a = 1, b = 0;
  for (int i = 0; i < BLOCK_BYTES; ++i) {
    a = (a + bytes[i]) % 65521;
    b = (b + a) % 65521;
  }
  return ((uint64_t)b << 32) | a;
}
