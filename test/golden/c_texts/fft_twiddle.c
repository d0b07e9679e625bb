#include <math.h>
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
void twiddle(float re[32], float im[32]) {
  for (int k = 0; k < 32; k++) {
    float angle = -2.0f * (float)M_PI * k / 32;
    re[k] = cosf(angle);
    im[k] = sinf(angle);
  }
}
