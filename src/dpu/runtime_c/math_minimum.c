// Signs, and the smaller and the larger of two numbers: a NaN is neither.
// Defines: fabs fabsf copysign copysignf fmin fminf fmax fmaxf

#include <__math_bits.h>
#include <math.h>

double fabs(double x) {
  const uint64_t bits = bitsOf(x);
  return ofBits(bits & ~(1ull << 63));
}
float fabsf(float x) {
  const uint32_t bits = bitsOfFloat(x);
  return ofFloatBits(bits & ~(1u << 31));
}
double copysign(double x, double y) {
  const uint64_t bits = bitsOf(x);
  return ofBits((bits & ~(1ull << 63)) | (bitsOf(y) & (1ull << 63)));
}
float copysignf(float x, float y) {
  const uint32_t bits = bitsOfFloat(x);
  return ofFloatBits((bits & ~(1u << 31)) | (bitsOfFloat(y) & (1u << 31)));
}

double fmin(double x, double y) {
  if (x != x) return y;
  return y < x ? y : x;
}
float fminf(float x, float y) {
  if (x != x) return y;
  return y < x ? y : x;
}
double fmax(double x, double y) {
  if (x != x) return y;
  return y > x ? y : x;
}
float fmaxf(float x, float y) {
  if (x != x) return y;
  return y > x ? y : x;
}
