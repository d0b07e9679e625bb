// pimento: --size n=64
#define REAL double
#define SQ(x) ((x) * (x))
void magnitudes(int n, const REAL z[restrict 2 * n], REAL m[restrict n]) {
  int i, k = 0;
  for (i = 0; i < 2 * n; i += 2) m[k++] = SQ(z[i]) + SQ(z[i + 1]);
}
