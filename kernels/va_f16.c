// y = a + b in half precision: HBM-PIM's own type.
void va_f16(int n, const _Float16 *restrict a, const _Float16 *restrict b, _Float16 *restrict y) {
  for (int i = 0; i < n; i++) y[i] = a[i] + b[i];
}
