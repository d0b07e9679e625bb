// One level of the 5/3 wavelet transform by lifting, in place: rows, then columns.
void dwt2d(int m, int n, float A[restrict m][n]) {
  for (int i = 1; i < m - 1; i += 2)
    for (int j = 0; j < n; j++) A[i][j] -= (A[i - 1][j] + A[i + 1][j]) * 0.5f;
  for (int i = 2; i < m - 1; i += 2)
    for (int j = 0; j < n; j++) A[i][j] += (A[i - 1][j] + A[i + 1][j] + 2.0f) * 0.25f;
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n - 1; j += 2) A[i][j] -= (A[i][j - 1] + A[i][j + 1]) * 0.5f;
  for (int i = 0; i < m; i++)
    for (int j = 2; j < n - 1; j += 2) A[i][j] += (A[i][j - 1] + A[i][j + 1] + 2.0f) * 0.25f;
}
