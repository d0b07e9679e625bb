// The look-up; ENTRY(i) is entry i of the table.
#pragma once

#include "common.h"

static inline float look_up_turned(float angle, int32_t turned) {
  const float place = angle * STEPS_PER_RADIAN;
#ifdef METHOD_LINEAR
  int32_t index = (int32_t)place;
  if ((float)index > place) --index;
  const float fraction = place - (float)index;
  index = (index + turned) & ((1 << PRECISION) - 1);
  const float low = ENTRY(index), high = ENTRY(index + 1);
  return low + (high - low) * fraction;
#else
  const int32_t index = (int32_t)(place < 0 ? place - 0.5f : place + 0.5f) + turned;
  return ENTRY(index & ((1 << PRECISION) - 1));
#endif
}

static inline float lut_sin(float angle) {
  return look_up_turned(angle, 0);
}

static inline float lut_cos(float angle) {
  return look_up_turned(angle, 1 << (PRECISION - 2));
}
