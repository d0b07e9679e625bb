// What both halves know.
#pragma once

#include <stdint.h>

#define BLOCK_SIZE (1 << BL)  // bytes of a transfer

struct checksums {
  uint32_t adler32, fletcher32;
  uint16_t fletcher16;
  uint16_t tasklets;
};
