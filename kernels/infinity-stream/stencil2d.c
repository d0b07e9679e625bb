// Ten steps of a five-point stencil, back and forth between two arrays.
void stencil2d(int m, int n, float a[restrict m][n], const float b[restrict m][n], float c[restrict m][n]) {
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        c[i][j] = (a[i][j - 1] + a[i][j + 1] - a[i][j]) + (a[i - 1][j] + a[i + 1][j] - a[i][j]) - b[i][j];
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (c[i][j - 1] + c[i][j + 1] - c[i][j]) + (c[i - 1][j] + c[i + 1][j] - c[i][j]) - b[i][j];
  }
}
