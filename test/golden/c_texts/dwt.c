// pimento: --size n=100
// One level of the 5/3 lifting, in place: odd samples predicted, even ones updated.
void dwt(int n, int a[2 * n + 1]) {
  for (int i = 0; i < n; ++i) a[2 * i + 1] -= (a[2 * i] + a[2 * i + 2]) >> 1;
  for (int i = 1; i < n; ++i) a[2 * i] += (a[2 * i - 1] + a[2 * i + 1] + 2) >> 2;
}
