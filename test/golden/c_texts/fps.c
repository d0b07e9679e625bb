// pimento: --size n=64,m=8
// Furthest point sampling.
void fps(int n, int m, const float x[n], const float y[n], const float z[n], float dist[n], int chosen[m]) {
  for (int i = 0; i < n; ++i) dist[i] = 1e10f;
  chosen[0] = 0;
  for (int s = 1; s < m; ++s) {
    int last = chosen[s - 1];
    float far = -1.0f;
    int at = 0;
    for (int i = 0; i < n; ++i) {
      float dx = x[i] - x[last], dy = y[i] - y[last], dz = z[i] - z[last];
      float d = dx * dx + dy * dy + dz * dz;
      if (d < dist[i]) dist[i] = d;
      if (dist[i] > far) {
        far = dist[i];
        at = i;
      }
    }
    chosen[s] = at;
  }
}
