// y = A x in half precision: HBM-PIM's own type.
void gemv_f16(int m, int n, const _Float16 A[restrict m][n], const _Float16 x[restrict n], _Float16 y[restrict m]) {
  for (int i = 0; i < m; i++) {
    _Float16 sum = 0;
    for (int j = 0; j < n; j++) sum += A[i][j] * x[j];
    y[i] = sum;
  }
}
