#define N 12
void power(float A[N][N], float v[N], float w[N], float norm[1]) {
  for (int i = 0; i < N; i++) {
    w[i] = 0;
    for (int j = 0; j < N; j++) w[i] += A[i][j] * v[j];
  }
  float s = 0;
  for (int i = 0; i < N; i++) s += w[i] * w[i];
  norm[0] = s;
  for (int i = 0; i < N; i++) v[i] = w[i] / (s + 1.0f);
}
