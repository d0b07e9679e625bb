// Ten steps of a three-point stencil, back and forth between two arrays.
void stencil1d(int n, float a[restrict n], const float b[restrict n], float c[restrict n]) {
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < n - 1; i++) c[i] = a[i - 1] - a[i] + a[i + 1] + b[i];
    for (int i = 1; i < n - 1; i++) a[i] = c[i - 1] - c[i] + c[i + 1] + b[i];
  }
}
