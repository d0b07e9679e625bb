// Hyperbolic functions: within 4 units of the last place.
// Defines: sinh sinhf cosh coshf

#include <math.h>

double __math_exp_less_1(double x);

/// e^a / 2, as far as it is a number.
static double halfExp(double a) {
  const double root = exp(a / 2);
  return root / 2 * root;
}

double sinh(double x) {
  const double a = fabs(x);
  if (a == 0) return x;
  if (!(a < 22)) return x < 0 ? -halfExp(a) : x != x ? x : halfExp(a);
  const double e = __math_exp_less_1(a), y = (e + e / (e + 1)) / 2;
  return x < 0 ? -y : y;
}

double cosh(double x) {
  const double a = fabs(x);
  if (a != a) return x;
  if (a > 22) return halfExp(a);
  const double e = exp(a);
  return (e + 1 / e) / 2;
}

float sinhf(float x) {
  return (float)sinh(x);
}

float coshf(float x) {
  return (float)cosh(x);
}
