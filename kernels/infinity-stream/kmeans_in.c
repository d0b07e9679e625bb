// One pass of k-means over all points, by inner products: the nearest centre of each point, then new centres.
void kmeans_in(int p, int d, int c, const float F[restrict p][d], const float X[restrict c][d], int best[restrict p],
               float near[restrict p], float next[restrict c][d], float members[restrict c]) {
  for (int i = 0; i < p; i++) near[i] = 3.0e38f;
  for (int j = 0; j < c; j++)
    for (int i = 0; i < p; i++) {
      float v = 0;
      for (int k = 0; k < d; k++) v += (F[i][k] - X[j][k]) * (F[i][k] - X[j][k]);
      if (v < near[i]) {
        near[i] = v;
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
