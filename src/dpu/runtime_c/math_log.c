// The logarithm, from its series: within 4 units of the last place.
// Defines: log logf __math_log

#include <math.h>

#define LN2_HIGH 0x1.62e42feep-1 /* 32 bits: products with whole numbers up to 2^21 are exact */
#define LN2_LOW 0x1.a39ef35793c76p-33

double __math_log(double x, double *low);

/// log(x) of a positive finite number, in two parts.
double __math_log(double x, double *low) {
  int n;
  double m = frexp(x, &n);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --n;
  }
  const double f = m - 1, s = f / (2 + f), z = s * s;  // log(m) = 2 s + 2 s^3 / 3 + 2 s^5 / 5 + ...
  double sum = 2.0 / 23;
  for (int k = 21; k >= 3; k -= 2) sum = sum * z + 2.0 / k;
  // 2 s = f - s f: f is exact.
  const double tail = s * (f - z * sum);
  const double whole = n * LN2_HIGH + f;
  *low = (f - (whole - n * LN2_HIGH)) - (tail - n * LN2_LOW);
  return whole;
}

/// Logarithms of numbers that have none.
static double logOfOther(double x) {
  if (x == 0) return -HUGE_VAL;
  return x > 0 || x != x ? x : (x - x) / (x - x);
}

static int hasLogarithm(double x) {
  return x > 0 && x < HUGE_VAL;
}

double log(double x) {
  if (!hasLogarithm(x)) return logOfOther(x);
  double low;
  const double high = __math_log(x, &low);
  return high + low;
}

float logf(float x) {
  return (float)log(x);
}
