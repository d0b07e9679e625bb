// Square roots, digit by digit. Exact.
// Defines: sqrt sqrtf

#include <__math_bits.h>
#include <math.h>

double sqrt(double x) {
  const uint64_t bits = bitsOf(x);
  if ((bits << 1) == 0 || x != x || bits == 2047ull << 52) return x;
  if (bits >> 63) return (x - x) / (x - x);
  int exponent = (int)(bits >> 52);
  uint64_t mantissa = bits & ((1ull << 52) - 1);
  if (exponent == 0) {
    const int shift = __builtin_clzll(mantissa) - 11;
    mantissa <<= shift;
    exponent = 1 - shift;
  } else {
    mantissa |= 1ull << 52;
  }
  exponent -= 1075;  // x = mantissa * 2^exponent
  if (exponent & 1) {
    mantissa <<= 1;
    --exponent;
  }
  // The root of mantissa * 2^54 has 54 bits: one more than the result.
  uint64_t root = 0, rest = 0;
  mantissa <<= 10;
  for (int i = 0; i < 54; ++i) {
    rest = (rest << 2) | (mantissa >> 62);
    mantissa <<= 2;
    const uint64_t trial = (root << 2) | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  root = (root >> 1) + (root & 1);  // never in the middle between two numbers
  const uint64_t result = ((uint64_t)((exponent - 54) / 2 + 1 + 52 + 1023) << 52) + (root - (1ull << 52));
  return ofBits(result);
}

float sqrtf(float x) {
  const uint32_t bits = bitsOfFloat(x);
  if ((bits << 1) == 0 || x != x || bits == 255u << 23) return x;
  if (bits >> 31) return (x - x) / (x - x);
  int exponent = (int)(bits >> 23);
  uint32_t mantissa = bits & ((1u << 23) - 1);
  if (exponent == 0) {
    const int shift = __builtin_clz(mantissa) - 8;
    mantissa <<= shift;
    exponent = 1 - shift;
  } else {
    mantissa |= 1u << 23;
  }
  exponent -= 150;
  const int shift = (exponent & 1) ? 1 : 2;
  mantissa <<= shift;
  exponent -= shift;
  // The root of mantissa * 2^24 has 25 bits.
  uint32_t root = 0, rest = 0;
  mantissa <<= 6;
  for (int i = 0; i < 25; ++i) {
    rest = (rest << 2) | (mantissa >> 30);
    mantissa <<= 2;
    const uint32_t trial = (root << 2) | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  root = (root >> 1) + (root & 1);
  const uint32_t result = ((uint32_t)((exponent - 24) / 2 + 1 + 23 + 127) << 23) + (root - (1u << 23));
  return ofFloatBits(result);
}
