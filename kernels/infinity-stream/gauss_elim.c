// Gaussian elimination without pivoting of A x = B.
void gauss_elim(int n, float A[restrict n][n], float B[restrict n]) {
  for (int k = 0; k < n - 1; k++)
    for (int i = k + 1; i < n; i++) {
      float m = A[i][k] / A[k][k];
      B[i] -= B[k] * m;
      for (int j = k + 1; j < n; j++) A[i][j] -= A[k][j] * m;
    }
}
