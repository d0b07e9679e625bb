// What both halves know.
#pragma once

#include <stdint.h>

#ifndef ITERATIONS
#define ITERATIONS 24
#endif

typedef int32_t fixed_t;  // Q3.28
#define FRACTION 28

// Input: an angle from -pi/2 to pi/2, and a vector with x > 0.
struct input {
  fixed_t angle, x, y, unused;
};

struct output {
  fixed_t sine, cosine, angle, length;  // length: times the gain
};
