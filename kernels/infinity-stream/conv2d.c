// A 3x3 convolution with symmetric weights: c0 in the corners, c1 at the edges, c2 in the centre.
void conv2d(int m, int n, const float A[restrict m][n], float out[restrict m][n], float c0, float c1, float c2) {
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      out[i][j] = c0 * A[i - 1][j - 1] + c1 * A[i - 1][j] + c0 * A[i - 1][j + 1] + c1 * A[i][j - 1] + c2 * A[i][j] +
                  c1 * A[i][j + 1] + c0 * A[i + 1][j - 1] + c1 * A[i + 1][j] + c0 * A[i + 1][j + 1];
}
