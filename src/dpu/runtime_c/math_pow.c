// Powers, by a logarithm of more digits than a number has: within 4 units of the last place.
// Defines: pow powf

#include <__math_bits.h>
#include <math.h>

double __math_exp(double high, double low);

double __math_log(double x, double *low);

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
  const double high = __math_log(a, &low);
  // y * log(a) in two parts: the upper half of each factor has 26 bits.
  const double total = high + low, rest = (high - total) + low;
  const uint64_t half = ~((1ull << 27) - 1);
  const double upper = ofBits(bitsOf(total) & half), upperY = ofBits(bitsOf(y) & half);
  const double product = upper * upperY;
  if (product > 720) return sign * HUGE_VAL;
  if (product < -760) return sign * 0;
  return sign * __math_exp(product, (total - upper + rest) * y + upper * (y - upperY));
}

float powf(float x, float y) {
  return (float)pow(x, y);
}
