// pimento: --size n=90
float dot(const float *restrict a, const float *restrict b, int n) {
  float s = 0;
  while (n--) s += *a++ * *b++;
  return s;
}
