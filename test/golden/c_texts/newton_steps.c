// pimento: --data uniform:1,50
#include <math.h>
#define EPS 1e-3f
void roots(float x[30], float y[30]) {
  for (int i = 0; i < 30; i++) {
    float r = x[i];
    for (int k = 0; k < 8; k++) {
      float next = 0.5f * (r + x[i] / r);
      if (fabsf(next - r) < EPS) break;
      r = next;
    }
    y[i] = r;
  }
}
