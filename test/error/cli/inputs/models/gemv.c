void f(float A[8][8], float x[8], float y[8]) {
#pragma scop
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) y[i] += A[i][j] * x[j];
#pragma endscop
}
