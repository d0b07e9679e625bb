// Mantissas and exponents. Exact.
// Defines: frexp frexpf ldexp ldexpf

#include <__math_bits.h>
#include <math.h>

double frexp(double x, int *exponent) {
  uint64_t bits = bitsOf(x);
  *exponent = 0;
  if ((bits << 1) == 0 || exponentOf(bits) == 1024) return x;
  if (exponentOf(bits) == -1023) {
    bits = bitsOf(x * 18014398509481984.0);  // 2^54: subnormal
    *exponent = -54;
  }
  *exponent += exponentOf(bits) + 1;
  return ofBits((bits & ~(2047ull << 52)) | (1022ull << 52));
}

double ldexp(double x, int exponent) {
  // Three steps reach from the smallest number to the largest; only the last one may round.
  if (exponent > 3000) exponent = 3000;
  if (exponent < -3000) exponent = -3000;
  while (exponent > 1000) {
    x *= 0x1p1000;
    exponent -= 1000;
  }
  while (exponent < -960) {
    // Stays normal, with room for the rounding below.
    x *= 0x1p-900;
    exponent += 900;
  }
  return x * ofBits((uint64_t)(exponent + 1023) << 52);
}

float frexpf(float x, int *exponent) {
  return (float)frexp(x, exponent);
}

float ldexpf(float x, int exponent) {
  return (float)ldexp(x, exponent);
}
