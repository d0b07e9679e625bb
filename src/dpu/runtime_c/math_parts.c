// Numbers and their parts. Exact.
// Defines: frexp frexpf ldexp ldexpf modf modff

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t bitsOf(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

static double ofBits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

static int exponentOf(uint64_t bits) {
  return (int)((bits >> 52) & 2047) - 1023;
}

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

double modf(double x, double *whole) {
  *whole = trunc(x);
  const double rest = exponentOf(bitsOf(x)) == 1024 && x == x ? 0 : x - *whole;
  return ofBits((bitsOf(rest) & ~(1ull << 63)) | (bitsOf(x) & (1ull << 63)));
}

float frexpf(float x, int *exponent) {
  return (float)frexp(x, exponent);
}

float ldexpf(float x, int exponent) {
  return (float)ldexp(x, exponent);
}

float modff(float x, float *whole) {
  double part;
  const double rest = modf(x, &part);
  *whole = (float)part;
  return (float)rest;
}
