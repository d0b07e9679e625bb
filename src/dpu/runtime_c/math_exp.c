// Exponential functions and logarithms, from their series: within 4 units of the last place.
// Defines: exp expf exp2 exp2f log logf log2 log2f log10 log10f pow powf cbrt cbrtf hypot hypotf
// Defines: sinh sinhf cosh coshf tanh tanhf

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LN2_HIGH 0x1.62e42feep-1 /* 32 bits: products with whole numbers up to 2^21 are exact */
#define LN2_LOW 0x1.a39ef35793c76p-33

/// e^(high + low), |high| at most 800.
static double expOf(double high, double low) {
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
  return expOf(x, 0);
}

/// log(x) of a positive finite number, in two parts.
static double logOf(double x, double *low) {
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
  const double high = logOf(x, &low);
  return high + low;
}
double log2(double x) {
  if (!hasLogarithm(x)) return logOfOther(x);
  int n;
  const double m = frexp(x, &n);
  if (m == 0.5) return n - 1;
  return m < 0.70710678118654752440 ? (n - 1) + log(2 * m) * 1.44269504088896338700
                                    : n + log(m) * 1.44269504088896338700;
}
double log10(double x) {
  if (!hasLogarithm(x)) return logOfOther(x);
  double low;
  const double high = logOf(x, &low);
  return high * 0.43429448190325182765 + low * 0.43429448190325182765;
}
double exp2(double x) {
  if (x != x) return x;
  if (x > 1024) return HUGE_VAL;
  if (x < -1080) return 0;
  const double n = rint(x);
  return ldexp(expOf((x - n) * M_LN2, 0), (int)n);
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  const int isWhole = fabs(y) >= 9007199254740992.0 || y == trunc(y);
  const int isOdd = isWhole && fabs(y) < 9007199254740992.0 && fmod(y, 2) != 0;
  const double sign = signbit(x) && isOdd ? -1 : 1, a = fabs(x);
  if (a == 0) return y > 0 ? sign * 0 : sign * HUGE_VAL;
  if (a == 1 && isinf(y)) return 1;
  if (a == HUGE_VAL || isinf(y)) return (a > 1) == (y > 0) ? sign * HUGE_VAL : sign * 0;
  if (x < 0 && !isWhole) return (x - x) / (x - x);
  if (isWhole && fabs(y) <= 64) {  // by squaring: small powers of small whole numbers are exact
    double power = 1, square = a;
    for (unsigned int n = (unsigned int)fabs(y); n != 0; n >>= 1) {
      if (n & 1) power *= square;
      square *= square;
    }
    if (power != HUGE_VAL && power > 0x1p-1000) return sign * (y < 0 ? 1 / power : power);
  }
  double low;
  const double high = logOf(a, &low);
  // y * log(a) in two parts: the upper half of each factor has 26 bits.
  const double total = high + low, rest = (high - total) + low;
  uint64_t bits;
  memcpy(&bits, &total, sizeof(bits));
  bits &= ~((1ull << 27) - 1);
  double upper, upperY;
  memcpy(&upper, &bits, sizeof(upper));
  memcpy(&bits, &y, sizeof(bits));
  bits &= ~((1ull << 27) - 1);
  memcpy(&upperY, &bits, sizeof(upperY));
  const double product = upper * upperY;
  if (product > 720) return sign * HUGE_VAL;
  if (product < -760) return sign * 0;
  return sign * expOf(product, (total - upper + rest) * y + upper * (y - upperY));
}

double cbrt(double x) {
  if (x == 0 || x != x || isinf(x)) return x;
  const double a = fabs(x);
  if (a < 0x1p-900) return cbrt(x * 0x1p600) * 0x1p-200;
  double y = exp(log(a) / 3);
  y -= (y * y * y - a) / (3 * y * y);
  return x < 0 ? -y : y;
}
double hypot(double x, double y) {
  x = fabs(x);
  y = fabs(y);
  if (isinf(x) || isinf(y)) return HUGE_VAL;
  const double larger = x > y ? x : y, smaller = x > y ? y : x;
  if (!(larger > 0)) return x + y;
  const double ratio = smaller / larger;
  return larger * sqrt(1 + ratio * ratio);
}

/// e^x - 1 without cancellation.
static double expLess1(double x) {
  if (fabs(x) > 0.4) return exp(x) - 1;
  double sum = 1;
  for (int k = 16; k >= 2; --k) sum = 1 + sum * x / k;
  return x * sum;
}
double sinh(double x) {
  const double a = fabs(x);
  if (a == 0) return x;
  if (!(a < 22)) return x < 0 ? -exp(a - M_LN2) : x != x ? x : exp(a - M_LN2);
  const double e = expLess1(a), y = (e + e / (e + 1)) / 2;
  return x < 0 ? -y : y;
}
double cosh(double x) {
  const double a = fabs(x);
  if (a != a) return x;
  if (a > 22) return exp(a - M_LN2);
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

float expf(float x) {
  return (float)exp(x);
}
float exp2f(float x) {
  return (float)exp2(x);
}
float logf(float x) {
  return (float)log(x);
}
float log2f(float x) {
  return (float)log2(x);
}
float log10f(float x) {
  return (float)log10(x);
}
float powf(float x, float y) {
  return (float)pow(x, y);
}
float cbrtf(float x) {
  return (float)cbrt(x);
}
float hypotf(float x, float y) {
  return (float)hypot(x, y);
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
