// pimento: --size n=512
void f(int n, const int *restrict x, int *restrict y) {
  for (int i = 0; i < n; i++) {
    if (x[i] > 3) y[i] = x[i] * 2; else y[i] = x[i] + 1;
  }
}
