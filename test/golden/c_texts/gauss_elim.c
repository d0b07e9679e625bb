// pimento: --size n=24
// Gaussian elimination without pivoting: A x = b becomes an upper triangle.
void gauss_elim(int n, float A[n][n], float b[n]) {
  for (int k = 0; k < n - 1; ++k)
    for (int i = k + 1; i < n; ++i) {
      float m = A[i][k] / A[k][k];
      for (int j = k; j < n; ++j) A[i][j] -= m * A[k][j];
      b[i] -= m * b[k];
    }
}
