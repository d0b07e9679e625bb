#include <math.h>
#define N 32
void speed(float density[N], float mx[N], float my[N], float mz[N], float energy[N], float factor[N]) {
  for (int i = 0; i < N; i++) {
    float d = fabsf(density[i]) + 1.0f;
    float vx = mx[i] / d, vy = my[i] / d, vz = mz[i] / d;
    float v2 = vx * vx + vy * vy + vz * vz;
    float p = 0.4f * (fabsf(energy[i]) - 0.5f * d * v2);
    float sound = sqrtf(fabsf(1.4f * p / d));
    factor[i] = 0.5f / (sqrtf(v2) + sound + 0.01f);
  }
}
