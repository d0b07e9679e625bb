// Ten steps of a seven-point stencil, back and forth between two arrays.
void stencil3d(int l, int m, int n, float a[restrict l][m][n], const float b[restrict l][m][n],
               float c[restrict l][m][n]) {
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < l - 1; i++)
      for (int j = 1; j < m - 1; j++)
        for (int k = 1; k < n - 1; k++)
          c[i][j][k] = (a[i][j][k - 1] + a[i][j][k + 1] - a[i][j][k]) +
                       (a[i][j - 1][k] + a[i][j + 1][k] - a[i][j][k]) + (a[i - 1][j][k] + a[i + 1][j][k] - a[i][j][k]) +
                       b[i][j][k];
    for (int i = 1; i < l - 1; i++)
      for (int j = 1; j < m - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = (c[i][j][k - 1] + c[i][j][k + 1] - c[i][j][k]) +
                       (c[i][j - 1][k] + c[i][j + 1][k] - c[i][j][k]) + (c[i - 1][j][k] + c[i + 1][j][k] - c[i][j][k]) +
                       b[i][j][k];
  }
}
