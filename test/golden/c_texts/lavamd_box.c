#include <math.h>
#define N 24
typedef struct { int unused; } unused_t;
void forces(float rx[N], float ry[N], float rz[N], float q[N], float fx[N], float fv[N]) {
  const float a2 = 0.5f;
  for (int i = 0; i < N; i++) {
    float ax = 0, av = 0;
    for (int j = 0; j < N; j++) {
      float dx = rx[i] - rx[j], dy = ry[i] - ry[j], dz = rz[i] - rz[j];
      float r2 = dx * dx + dy * dy + dz * dz;
      float vij = expf(-a2 * r2);
      av += q[j] * vij;
      ax += q[j] * 2 * vij * dx;
    }
    fx[i] = ax;
    fv[i] = av;
  }
}
