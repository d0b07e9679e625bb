// Angles, from their series: within 4 units of the last place.
// Defines: atan atanf atan2 atan2f asin asinf acos acosf

#include <math.h>

/// atan of 0 to 1: from the nearest of 0, 1/4, 1/2, 3/4 and 1, and the series of what is left.
static double atanOf(double x) {
  static const double kAt[] = {0, 0.24497866312686415417, 0.46364760900080611621, 0.64350110879328438680, M_PI_4};
  const int k = (int)(x * 4 + 0.5);
  const double c = k * 0.25, t = (x - c) / (1 + x * c), z = t * t;  // |t| <= 1/8
  double sum = 1.0 / 17;
  for (int i = 15; i >= 3; i -= 2) sum = 1.0 / i - sum * z;
  return kAt[k] + (t - t * z * sum);
}

double atan(double x) {
  if (x != x) return x;
  const double a = fabs(x), y = a <= 1 ? atanOf(a) : M_PI_2 - (atanOf(1 / a) - 6.123233995736766036e-17);
  return copysign(y, x);
}

double atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  const double a = fabs(x), b = fabs(y);
  double angle;
  if (b == 0)
    angle = 0;
  else if (a == HUGE_VAL && b == HUGE_VAL)
    angle = M_PI_4;
  else
    angle = b <= a ? atanOf(b / a) : M_PI_2 - (atanOf(a / b) - 6.123233995736766036e-17);
  if (signbit(x)) angle = M_PI - (angle - 1.2246467991473532072e-16);
  return copysign(angle, y);
}

double asin(double x) {
  const double a = fabs(x);
  if (!(a <= 1)) return (x - x) / (x - x);
  return a == 1 ? copysign(M_PI_2, x) : atan2(x, sqrt((1 - x) * (1 + x)));
}

double acos(double x) {
  if (!(fabs(x) <= 1)) return (x - x) / (x - x);
  return 2 * atan2(sqrt(1 - x), sqrt(1 + x));
}

float atanf(float x) {
  return (float)atan(x);
}

float atan2f(float y, float x) {
  return (float)atan2(y, x);
}

float asinf(float x) {
  return (float)asin(x);
}

float acosf(float x) {
  return (float)acos(x);
}
