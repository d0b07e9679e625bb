// What both halves know.
#pragma once

#include <stdint.h>

#define WORDS 64

struct record {
  uint32_t key;
  float weight;
  uint8_t tag[3];
};

struct fields {
  int16_t sum[5];
  uint32_t bits : 12;
  uint8_t last;
};

// In WRAM.
struct state {
  uint64_t products[WORDS / 4];
  uint32_t words[WORDS], looped[WORDS], called[WORDS];
  uint32_t tried;
  float weights[WORDS / 4];
  struct fields fields[8];
};
