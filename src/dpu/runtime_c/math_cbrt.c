// Cubic roots: within 4 units of the last place.
// Defines: cbrt cbrtf

#include <math.h>

double cbrt(double x) {
  if (x == 0 || x != x || isinf(x)) return x;
  const double a = fabs(x);
  if (a < 0x1p-900) return cbrt(x * 0x1p600) * 0x1p-200;
  double y = exp(log(a) / 3);
  y -= (y * y * y - a) / (3 * y * y);
  return x < 0 ? -y : y;
}

float cbrtf(float x) {
  return (float)cbrt(x);
}
