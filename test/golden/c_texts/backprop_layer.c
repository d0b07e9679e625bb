#include <math.h>
static float squash(float x) { return 1.0f / (1.0f + expf(-x)); }
void layerforward(float l1[17], float l2[9], float conn[17][9]) {
  l1[0] = 1.0f;
  for (int j = 1; j <= 8; j++) {
    float sum = 0.0f;
    for (int k = 0; k <= 16; k++) sum += conn[k][j] * l1[k];
    l2[j] = squash(sum);
  }
}
