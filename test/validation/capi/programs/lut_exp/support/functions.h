// The functions; `tables` is filled by the host. The names of C, because programs bring their own faster ones.
#pragma once

#include "common.h"

union bits {
  float value;
  uint32_t word;
};

/// Without subnormal results.
FUNCTION float NAME(ldexpf)(float x, int exponent) {
  union bits b = {x};
  const int e = (int)(b.word >> 23 & 0xff);
  if (e == 0) return x;
  if (e + exponent <= 0) return 0;
  if (e + exponent >= 255) {
    b.word = (b.word & 0x80000000u) | 0x7f800000u;
    return b.value;
  }
  b.word += (uint32_t)exponent << 23;
  return b.value;
}

FUNCTION float NAME(frexpf)(float x, int *exponent) {
  union bits b = {x};
  *exponent = (int)(b.word >> 23 & 0xff) - 126;
  b.word = (b.word & 0x807fffffu) | 0x3f000000u;
  return b.value;
}

FUNCTION float interpolate(const float *table, float place) {
  const int32_t index = (int32_t)place;
  return table[index] + (table[index + 1] - table[index]) * (place - (float)index);
}

FUNCTION float NAME(expf)(float x) {
  const float y = x * 1.44269504f;
  int32_t whole = (int32_t)y;
  if ((float)whole > y) whole -= 1;
  return NAME(ldexpf)(interpolate(tables.exp2, NAME(ldexpf)(y - (float)whole, TABLE_BITS)), whole);
}

FUNCTION float NAME(logf)(float x) {
  int exponent;
  const float m = NAME(frexpf)(x, &exponent) * 2;
  return interpolate(tables.ln, NAME(ldexpf)(m - 1, TABLE_BITS)) + (float)(exponent - 1) * 0.69314718f;
}

FUNCTION float NAME(sqrtf)(float x) {
  int exponent;
  float m = NAME(frexpf)(x, &exponent) * 2;
  exponent -= 1;
  if (exponent & 1) m *= 2;
  return NAME(ldexpf)(interpolate(tables.sqrt, NAME(ldexpf)(m - 1, TABLE_BITS) / 3), exponent >> 1);
}

FUNCTION float NAME(tanhf)(float x) {
  const float e = NAME(expf)(x + x);
  return (e - 1) / (e + 1);
}

FUNCTION float apply(uint32_t function, float x) {
  switch (function) {
    case kExp:
      return NAME(expf)(x);
    case kLog:
      return NAME(logf)(x);
    case kSqrt:
      return NAME(sqrtf)(x);
    default:
      return NAME(tanhf)(x);
  }
}
