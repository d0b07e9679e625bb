#define R 10
#define C 12
void srad(float J[R][C], float out[4]) {
  float sum = 0, sum2 = 0;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      float t = J[i][j];
      sum += t;
      sum2 += t * t;
    }
  float mean = sum / (R * C);
  float var = sum2 / (R * C) - mean * mean;
  out[0] = mean;
  out[1] = var;
  out[2] = var / (mean * mean + 1.0f);
}
