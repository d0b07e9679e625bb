// pimento: --size n=256
#include <math.h>
static inline float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
static void row(int n, const float *x, float *y, float gain) {
  for (int i = 0; i < n; i++) y[i] = clamp(gain * sigmoid(x[i]), -0.75f, 0.75f);
}
void layer(int n, const float x[restrict n], float y[restrict n]) { row(n, x, y, 2.0f); }
