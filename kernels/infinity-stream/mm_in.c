// Matrix product as inner products: the second matrix is given transposed.
void mm_in(int l, int m, int n, const float A[restrict l][m], const float Bt[restrict n][m], float C[restrict l][n]) {
  for (int i = 0; i < l; i++)
    for (int j = 0; j < n; j++) {
      float v = 0;
      for (int k = 0; k < m; k++) v += A[i][k] * Bt[j][k];
      C[i][j] = v;
    }
}
