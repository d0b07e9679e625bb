// One pass of k-means over all points, dimension by dimension: centres are given transposed.
void kmeans_out(int p, int d, int c, const float F[restrict p][d], const float Xt[restrict d][c], float D[restrict p][c],
                int best[restrict p], float near[restrict p], float next[restrict c][d], float members[restrict c]) {
  for (int k = 0; k < d; k++)
    for (int i = 0; i < p; i++)
      for (int j = 0; j < c; j++) D[i][j] += (F[i][k] - Xt[k][j]) * (F[i][k] - Xt[k][j]);
  for (int i = 0; i < p; i++) {
    near[i] = D[i][0];
    best[i] = 0;
    for (int j = 1; j < c; j++)
      if (D[i][j] < near[i]) {
        near[i] = D[i][j];
        best[i] = j;
      }
  }
  for (int i = 0; i < p; i++) {
    members[best[i]] += 1.0f;
    for (int k = 0; k < d; k++) next[best[i]][k] += F[i][k];
  }
  for (int j = 0; j < c; j++)
    for (int k = 0; k < d; k++) next[j][k] = next[j][k] / (members[j] > 1.0f ? members[j] : 1.0f);
}
