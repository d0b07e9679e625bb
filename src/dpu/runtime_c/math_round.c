// To whole numbers. Exact.
// Defines: floor floorf ceil ceilf trunc truncf round roundf rint rintf nearbyint nearbyintf lround lroundf

#include <__math_bits.h>
#include <math.h>

/// Without what stands behind the point.
static double cut(double x) {
  const uint64_t bits = bitsOf(x);
  const int exponent = exponentOf(bits);
  if (exponent >= 52) return x;
  if (exponent < 0) return ofBits(bits & (1ull << 63));
  return ofBits(bits & ~((1ull << (52 - exponent)) - 1));
}

double trunc(double x) {
  return cut(x);
}

double floor(double x) {
  const double whole = cut(x);
  return whole > x ? whole - 1 : whole;
}

double ceil(double x) {
  const double whole = cut(x);
  if (!(whole < x)) return whole;
  return whole + 1;
}

double round(double x) {
  const double whole = cut(x), rest = x - whole;
  if (rest >= 0.5) return whole + 1;
  return rest <= -0.5 ? whole - 1 : whole;
}

double rint(double x) {
  const double large = 4503599627370496.0;  // 2^52: sums have no place for anything behind the point
  const uint64_t sign = bitsOf(x) & (1ull << 63);
  if (exponentOf(bitsOf(x)) >= 52) return x;
  volatile double sum = sign != 0 ? x - large : x + large;
  const double whole = sign != 0 ? sum + large : sum - large;
  return ofBits((bitsOf(whole) & ~(1ull << 63)) | sign);
}

double nearbyint(double x) {
  return rint(x);
}

long lround(double x) {
  return (long)round(x);
}

float truncf(float x) {
  return (float)cut(x);
}

float floorf(float x) {
  return (float)floor(x);
}

float ceilf(float x) {
  return (float)ceil(x);
}

float roundf(float x) {
  return (float)round(x);
}

float rintf(float x) {
  return (float)rint(x);
}

float nearbyintf(float x) {
  return (float)rint(x);
}

long lroundf(float x) {
  return (long)round(x);
}
