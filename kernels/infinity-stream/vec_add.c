// C = A + B.
void vec_add(int n, const float A[restrict n], const float B[restrict n], float C[restrict n]) {
  for (int i = 0; i < n; i++) C[i] = A[i] + B[i];
}
