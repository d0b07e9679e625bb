// pimento: --size rounds=10,n=24
// A 5-point stencil in rounds.
void stencil5(int rounds, int n, float A[n][n], float B[n][n]) {
  for (int t = 0; t < rounds; ++t) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) B[i][j] = 0.2f * (A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) A[i][j] = B[i][j];
  }
}
