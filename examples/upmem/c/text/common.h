// What both halves of text know.
#pragma once

#include <stdint.h>

#define LONGEST 31

struct arguments {
  uint32_t bytes;   // of this DPU's text, on the heap of MRAM
  uint32_t number;  // of the DPU
};
