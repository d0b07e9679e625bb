// Hyperbolic functions: within 4 units of the last place.
// Defines: sinh sinhf cosh coshf tanh tanhf

#include <math.h>

/// e^x - 1 without cancellation.
static double expLess1(double x) {
  if (fabs(x) > 0.4) return exp(x) - 1;
  double sum = 1;
  for (int k = 16; k >= 2; --k) sum = 1 + sum * x / k;
  return x * sum;
}

/// e^a / 2, as far as it is a number.
static double halfExp(double a) {
  const double root = exp(a / 2);
  return root / 2 * root;
}

double sinh(double x) {
  const double a = fabs(x);
  if (a == 0) return x;
  if (!(a < 22)) return x < 0 ? -halfExp(a) : x != x ? x : halfExp(a);
  const double e = expLess1(a), y = (e + e / (e + 1)) / 2;
  return x < 0 ? -y : y;
}

double cosh(double x) {
  const double a = fabs(x);
  if (a != a) return x;
  if (a > 22) return halfExp(a);
  const double e = exp(a);
  return (e + 1 / e) / 2;
}

double tanh(double x) {
  const double a = fabs(x);
  if (a != a) return x;
  const double e = a > 22 ? HUGE_VAL : expLess1(2 * a);
  const double y = a > 22 ? 1 : e / (e + 2);
  if (a == 0) return x;
  return x < 0 ? -y : y;
}

float sinhf(float x) {
  return (float)sinh(x);
}

float coshf(float x) {
  return (float)cosh(x);
}

float tanhf(float x) {
  return (float)tanh(x);
}
