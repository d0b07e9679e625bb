// pimento: --size points=64,centers=4,dims=3
// One pass of k-means: nearest centre of each point, then the means.
void kmeans(int points, int centers, int dims, const float P[points][dims], const float C[centers][dims], int best[points],
            float N[centers][dims], int count[centers]) {
  for (int p = 0; p < points; ++p) {
    float least = 1e30f;
    int at = 0;
    for (int c = 0; c < centers; ++c) {
      float d = 0;
      for (int k = 0; k < dims; ++k) d += (P[p][k] - C[c][k]) * (P[p][k] - C[c][k]);
      if (d < least) {
        least = d;
        at = c;
      }
    }
    best[p] = at;
  }
  for (int c = 0; c < centers; ++c) {
    count[c] = 0;
    for (int k = 0; k < dims; ++k) N[c][k] = 0;
  }
  for (int p = 0; p < points; ++p) {
    count[best[p]] += 1;
    for (int k = 0; k < dims; ++k) N[best[p]][k] += P[p][k];
  }
  for (int c = 0; c < centers; ++c)
    for (int k = 0; k < dims; ++k) N[c][k] = N[c][k] / (float)count[c];
}
