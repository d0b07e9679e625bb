// pimento: --size n=77
void scale(int n, int *restrict x) {
  int i = 0;
  do {
    x[i] *= 3;
    x[i] -= 1;
  } while (++i < n);
}
