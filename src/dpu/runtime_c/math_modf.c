// What stands before the point and what behind it. Exact.
// Defines: modf modff

#include <math.h>

double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole) {
  double part;
  const double rest = modf(x, &part);
  *whole = (float)part;
  return (float)rest;
}
