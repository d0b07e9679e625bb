// Figure 4 (b) of the paper: a sum.
float fig4b(int n, const float A[restrict n]) {
  float v = 0;
  for (int i = 0; i < n; i++) v += A[i];
  return v;
}
