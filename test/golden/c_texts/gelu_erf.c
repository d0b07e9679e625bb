// pimento: --data uniform:-4,4
#include <math.h>
void gelu(const float x[48], float y[48]) {
  for (int i = 0; i < 48; i++) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}
