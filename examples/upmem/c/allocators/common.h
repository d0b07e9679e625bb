// What both halves of allocators know.
#pragma once

#include <stdint.h>

#define MOST_NUMBERS 512

struct arguments {
  uint32_t numbers;  // of this DPU
  uint32_t rounds;   // of work on blocks of changing size
};

struct result {
  uint32_t distinct;  // numbers, once each, in order in `sorted`
  uint32_t errors;    // blocks whose contents somebody else changed
};
