// pimento: --size n=128
void reverse_sums(long n, const int *restrict x, int *restrict y) {
  long left = n;
  int sum = 0;
  while (left-- > 0) {
    sum += x[left];
    y[left] = sum;
  }
}
