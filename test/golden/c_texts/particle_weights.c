#include <math.h>
#define N 24
#define ONES 5
void likelihood(int I[N][ONES], float w[N]) {
  for (int x = 0; x < N; x++) {
    float s = 0;
    for (int y = 0; y < ONES; y++) s += (powf((float)(I[x][y] - 100), 2) - powf((float)(I[x][y] - 228), 2)) / 50.0f;
    w[x] = s / ONES;
  }
}
