// y = L x, L a lower triangle: the inner loop is as long as its row.
void triangular(int n, const double L[restrict n][n], const double x[restrict n], double y[restrict n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0.0;
    for (int j = 0; j <= i; j++) y[i] += L[i][j] * x[j];
  }
}
