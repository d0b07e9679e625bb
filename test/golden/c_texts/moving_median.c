static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }
void median3(const int x[50], int y[50]) {
  y[0] = x[0];
  for (int i = 1; i < 49; i++) y[i] = most(least(x[i - 1], x[i]), least(most(x[i - 1], x[i]), x[i + 1]));
  y[49] = x[49];
}
