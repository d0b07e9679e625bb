// Signs, and the smaller and the larger of two numbers: a NaN is neither.
// Defines: fabs fabsf copysign copysignf fmin fminf fmax fmaxf

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
static uint32_t bitsOfFloat(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}
static float ofFloatBits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

// Volatile: a compiler that knows these functions would make each of a call of itself.
double fabs(double x) {
  volatile uint64_t bits = bitsOf(x);
  return ofBits(bits & ~(1ull << 63));
}
float fabsf(float x) {
  volatile uint32_t bits = bitsOfFloat(x);
  return ofFloatBits(bits & ~(1u << 31));
}
double copysign(double x, double y) {
  volatile uint64_t bits = bitsOf(x);
  return ofBits((bits & ~(1ull << 63)) | (bitsOf(y) & (1ull << 63)));
}
float copysignf(float x, float y) {
  volatile uint32_t bits = bitsOfFloat(x);
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
