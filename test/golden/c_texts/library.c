// pimento: --size n=200
#include <math.h>
#include <stdlib.h>
void quantise(int n, float scale, const float *restrict x, int *restrict q, float *restrict error, double *restrict power) {
  for (int i = 0; i < n; i++) {
    float v = roundf(x[i] / scale);
    v = fminf(fmaxf(v, -128.0f), 127.0f);
    q[i] = (int)v;
    error[i] = fabsf(x[i] - v * scale) + (ceilf(x[i]) - floorf(x[i])) + truncf(x[i] * 8.0f) - rintf(x[i]);
    power[i] = sqrt(fabs((double)x[i])) + pow(x[i], 2) - powf(x[i], 3) + fmod(x[i], 0.25);
  }
}
