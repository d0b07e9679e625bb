// What both halves know.
#pragma once

#include <stdint.h>

#define MAX_PATTERN 16
#define MAX_TEXT 8192
#define NR_PATTERNS 3

struct pattern {
  uint32_t length;
  char text[MAX_PATTERN];
};

struct request {
  uint32_t length;    // of the DPU's part of the text, in which occurrences begin
  uint32_t readable;  // the part, and what follows it so that occurrences may end there
  struct pattern patterns[NR_PATTERNS];
};
