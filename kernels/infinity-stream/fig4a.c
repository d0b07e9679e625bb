// Figure 4 (a) of the paper: three shifted tensors.
void fig4a(int n, const float A[restrict n], float B[restrict n]) {
  for (int i = 1; i < n - 1; i++) B[i] = A[i - 1] + A[i] + A[i + 1];
}
