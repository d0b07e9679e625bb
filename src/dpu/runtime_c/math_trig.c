// Sine, cosine and tangent, from their series: within 4 units of the last place for |x| up to 1e5; beyond, the error
// grows with x (the multiple of a quarter turn is taken off with 101 bits of pi).
// Defines: sin sinf cos cosf tan tanf

#include <math.h>

#define PI_2_A 0x1.921fb54p0 /* 27 bits: products with whole numbers up to 2^26 are exact */
#define PI_2_B 0x1.10b46p-30 /* the next 21 */
#define PI_2_C 0x1.1a62633145c07p-54

/// Takes quarter turns off: how many, modulo 4; the rest, in -pi/4 to pi/4, in two parts.
static int reduce(double x, double *high, double *low) {
  const double n = rint(x * 0.63661977236758134308);
  const double r = (x - n * PI_2_A) - n * PI_2_B, tail = n * PI_2_C;
  *high = r - tail;
  *low = (r - *high) - tail;
  return (int)(n - 4 * floor(n / 4));
}

static double sinOf(double x, double low) {
  const double z = x * x;
  double sum = -1.0 / 121645100408832000.0;  // -1 / 19!, and the others before it
  static const double kFactors[] = {1.0 / 355687428096000.0,
                                    -1.0 / 1307674368000.0,
                                    1.0 / 6227020800.0,
                                    -1.0 / 39916800,
                                    1.0 / 362880,
                                    -1.0 / 5040,
                                    1.0 / 120,
                                    -1.0 / 6};
  for (unsigned int i = 0; i < sizeof(kFactors) / sizeof(*kFactors); ++i) sum = sum * z + kFactors[i];
  return x + (x * z * sum + low * (1 - z / 2));
}

static double cosOf(double x, double low) {
  const double z = x * x;
  double sum = -1.0 / 6402373705728000.0;  // -1 / 18!
  static const double kFactors[] = {
      1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24};
  for (unsigned int i = 0; i < sizeof(kFactors) / sizeof(*kFactors); ++i) sum = sum * z + kFactors[i];
  const double half = z / 2, one = 1 - half;
  return one + (((1 - one) - half) + (z * z * sum - x * low));
}

double sin(double x) {
  if (!isfinite(x)) return x - x;
  double high, low;
  switch (reduce(x, &high, &low)) {
    case 0:
      return x == 0 ? x : sinOf(high, low);
    case 1:
      return cosOf(high, low);
    case 2:
      return -sinOf(high, low);
    default:
      return -cosOf(high, low);
  }
}

double cos(double x) {
  if (!isfinite(x)) return x - x;
  double high, low;
  switch (reduce(x, &high, &low)) {
    case 0:
      return cosOf(high, low);
    case 1:
      return -sinOf(high, low);
    case 2:
      return -cosOf(high, low);
    default:
      return sinOf(high, low);
  }
}

double tan(double x) {
  if (!isfinite(x)) return x - x;
  if (x == 0) return x;
  double high, low;
  const int quarters = reduce(x, &high, &low);
  const double s = sinOf(high, low), c = cosOf(high, low);
  return quarters % 2 == 0 ? s / c : -c / s;
}

float sinf(float x) {
  return (float)sin(x);
}

float cosf(float x) {
  return (float)cos(x);
}

float tanf(float x) {
  return (float)tan(x);
}
