// Powers of two: within 4 units of the last place.
// Defines: exp2 exp2f

#include <math.h>

double __math_exp(double high, double low);

double exp2(double x) {
  if (x != x) return x;
  if (x > 1024) return HUGE_VAL;
  if (x < -1080) return 0;
  const double n = rint(x);
  return ldexp(__math_exp((x - n) * M_LN2, 0), (int)n);
}

float exp2f(float x) {
  return (float)exp2(x);
}
