// C = A B.
#include <stdint.h>

void gemm(int m, int n, int k, const int32_t A[restrict m][k], const int32_t B[restrict k][n],
          int32_t C[restrict m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int l = 0; l < k; l++) C[i][j] += A[i][l] * B[l][j];
    }
}
