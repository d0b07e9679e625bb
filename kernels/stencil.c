// Four steps of a heat equation, back and forth between two arrays.
void stencil(int n, float a[restrict n], float b[restrict n]) {
  for (int t = 0; t < 4; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
