// Remainders, digit by digit. Exact.
// Defines: fmod fmodf

#include <__math_bits.h>
#include <math.h>

/// The mantissa of a positive number with its first bit in place 52, and its exponent.
static uint64_t normalised(uint64_t bits, int *exponent) {
  *exponent = (int)(bits >> 52);
  if (*exponent != 0) return (bits & ((1ull << 52) - 1)) | (1ull << 52);
  const int shift = __builtin_clzll(bits) - 11;
  *exponent = 1 - shift;
  return bits << shift;
}

double fmod(double x, double y) {
  uint64_t a = bitsOf(x), b = bitsOf(y);
  const uint64_t sign = a & (1ull << 63), infinity = 2047ull << 52;
  a &= ~(1ull << 63);
  b &= ~(1ull << 63);
  if (a >= infinity || b > infinity || b == 0) return (x * y) / (x * y);
  if (a < b) return x;
  int expA, expB;
  a = normalised(a, &expA);
  b = normalised(b, &expB);
  for (; expA > expB; --expA) {
    if (a >= b) a -= b;
    a <<= 1;
  }
  if (a >= b) a -= b;
  if (a != 0) {
    const int shift = __builtin_clzll(a) - 11;
    a <<= shift;
    expB -= shift;
    if (expB >= 1)
      a = (a & ((1ull << 52) - 1)) | ((uint64_t)expB << 52);
    else
      a >>= 1 - expB;
  }
  return ofBits(a | sign);
}

float fmodf(float x, float y) {
  return (float)fmod(x, y);
}
