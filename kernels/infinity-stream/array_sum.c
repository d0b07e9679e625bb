// The sum of an array.
float array_sum(int n, const float A[restrict n]) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += A[i];
  return sum;
}
