// Figure 4 (c) of the paper: step k of Gaussian elimination.
void fig4c(int n, int k, float A[restrict n][n], float B[restrict n]) {
  for (int i = k + 1; i < n; i++) {
    float m = A[i][k] / A[k][k];
    B[i] -= B[k] * m;
    for (int j = k + 1; j < n; j++) A[i][j] -= A[k][j] * m;
  }
}
