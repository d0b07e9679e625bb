// The bits of floating-point numbers. Internal to the run-time library.
#ifndef PIMENTO_DPU_MATH_BITS_H
#define PIMENTO_DPU_MATH_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bitsOf(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

static inline double ofBits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

static inline int exponentOf(uint64_t bits) {
  return (int)((bits >> 52) & 2047) - 1023;
}

static inline uint32_t bitsOfFloat(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

static inline float ofFloatBits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

#endif
