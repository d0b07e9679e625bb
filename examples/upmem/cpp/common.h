// What both halves know.
#pragma once

#include <stdint.h>

#define BLOCK_BYTES 1024

// As Fletcher's checksum, with sums of 32 bits that wrap: the second one depends on the order of the words.
struct checksum {
  uint32_t words, weighted;
};
