// pimento: --size n=30
#include <math.h>
static void normalise(int n, float *row, float norm) {
  if (norm > 0.0f)
    for (int j = 0; j < n; ++j) row[j] /= norm;
}
void rows(int n, float A[restrict n][n]) {
  for (int i = 0; i < n; ++i) {
    float norm = 0.0f;
    for (int j = 0; j < n; ++j) norm += A[i][j] * A[i][j];
    normalise(n, A[i], sqrtf(norm));
  }
}
