// The hyperbolic tangent: within 4 units of the last place.
// Defines: tanh tanhf __math_exp_less_1

#include <math.h>

double __math_exp_less_1(double x);

/// e^x - 1 without cancellation.
double __math_exp_less_1(double x) {
  if (fabs(x) > 0.4) return exp(x) - 1;
  double sum = 1;
  for (int k = 16; k >= 2; --k) sum = 1 + sum * x / k;
  return x * sum;
}

double tanh(double x) {
  const double a = fabs(x);
  if (a != a) return x;
  const double e = a > 22 ? HUGE_VAL : __math_exp_less_1(2 * a);
  const double y = a > 22 ? 1 : e / (e + 2);
  if (a == 0) return x;
  return x < 0 ? -y : y;
}

float tanhf(float x) {
  return (float)tanh(x);
}
