#include <math.h>
#define N 60
void nearest(float lat[N], float lng[N], float at[2], float best[1], int where[1]) {
  float least = 1e30f;
  int k = 0;
  for (int i = 0; i < N; i++) {
    float d = sqrtf((lat[i] - at[0]) * (lat[i] - at[0]) + (lng[i] - at[1]) * (lng[i] - at[1]));
    if (d < least) {
      least = d;
      k = i;
    }
  }
  best[0] = least;
  where[0] = k;
}
