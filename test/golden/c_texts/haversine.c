// pimento: --data uniform:-1,1
#include <math.h>
static float square(float v) { return v * v; }
void distances(float lat[40], float lon[40], float lat0[1], float d[40]) {
  for (int i = 0; i < 40; i++) {
    float a = square(sinf((lat[i] - lat0[0]) / 2)) + cosf(lat0[0]) * cosf(lat[i]) * square(sinf(lon[i] / 2));
    d[i] = sqrtf(a);
  }
}
