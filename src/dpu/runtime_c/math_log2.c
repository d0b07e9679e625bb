// Logarithms to bases 2 and 10: within 4 units of the last place.
// Defines: log2 log2f log10 log10f

#include <math.h>

double __math_log(double x, double *low);

/// To any base, the logarithms of others are the same.
static int hasLogarithm(double x) {
  return x > 0 && x < HUGE_VAL;
}

double log2(double x) {
  if (!hasLogarithm(x)) return log(x);
  int n;
  const double m = frexp(x, &n);
  if (m == 0.5) return n - 1;
  return m < 0.70710678118654752440 ? (n - 1) + log(2 * m) * 1.44269504088896338700
                                    : n + log(m) * 1.44269504088896338700;
}

double log10(double x) {
  if (!hasLogarithm(x)) return log(x);
  double low;
  const double high = __math_log(x, &low);
  return high * 0.43429448190325182765 + low * 0.43429448190325182765;
}

float log2f(float x) {
  return (float)log2(x);
}

float log10f(float x) {
  return (float)log10(x);
}
