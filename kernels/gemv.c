// y = A x, A stored row by row.
#include <stdint.h>

void gemv(int m, int n, const int32_t *restrict A, const int32_t *restrict x, int32_t *restrict y) {
  for (int i = 0; i < m; i++) {
    int32_t sum = 0;
    for (int j = 0; j < n; j++) sum += A[i * n + j] * x[j];
    y[i] = sum;
  }
}
