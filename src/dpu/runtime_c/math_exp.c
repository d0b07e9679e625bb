// The exponential function, from its series: within 4 units of the last place.
// Defines: exp expf __math_exp

#include <math.h>

#define LN2_HIGH 0x1.62e42feep-1 /* 32 bits: products with whole numbers up to 2^21 are exact */
#define LN2_LOW 0x1.a39ef35793c76p-33

double __math_exp(double high, double low);

/// e^(high + low), |high| at most 800.
double __math_exp(double high, double low) {
  const int n = (int)(high * 1.44269504088896338700 + (high < 0 ? -0.5 : 0.5));
  const double r = (high - n * LN2_HIGH) - (n * LN2_LOW - low);  // |r| <= 0.35
  double sum = 1.0 / 6227020800.0;
  static const double kFactors[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                    1.0 / 40320,     1.0 / 5040,     1.0 / 720,     1.0 / 120,
                                    1.0 / 24,        1.0 / 6,        1.0 / 2};
  for (unsigned int i = 0; i < sizeof(kFactors) / sizeof(*kFactors); ++i) sum = sum * r + kFactors[i];
  return ldexp(1 + (r + r * r * sum), n);
}

double exp(double x) {
  if (x != x) return x;
  if (x > 710) return HUGE_VAL;
  if (x < -750) return 0;
  return __math_exp(x, 0);
}

float expf(float x) {
  return (float)exp(x);
}
