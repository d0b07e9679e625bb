#include <math.h>
void weights(float sigma[1], float w[25]) {
  for (int i = 0; i < 25; i++) {
    float d = (float)(i - 12);
    w[i] = exp2f(-d * d / (2.0f * sigma[0] * sigma[0] + 1.0f));
  }
}
