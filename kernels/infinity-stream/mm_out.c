// Matrix product as a sum of outer products.
void mm_out(int l, int m, int n, const float A[restrict l][m], const float B[restrict m][n], float C[restrict l][n]) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < l; i++)
      for (int j = 0; j < n; j++) C[i][j] += A[i][k] * B[k][j];
}
