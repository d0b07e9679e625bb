// Distances: within 4 units of the last place.
// Defines: hypot hypotf

#include <math.h>

double hypot(double x, double y) {
  x = fabs(x);
  y = fabs(y);
  if (isinf(x) || isinf(y)) return HUGE_VAL;
  const double larger = x > y ? x : y, smaller = x > y ? y : x;
  if (!(larger > 0)) return x + y;
  const double ratio = smaller / larger;
  return larger * sqrt(1 + ratio * ratio);
}

float hypotf(float x, float y) {
  return (float)hypot(x, y);
}
