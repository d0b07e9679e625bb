// pimento: --size n=512
// The branches store to different arrays.
void split(int n, const int *restrict x, int *restrict even, int *restrict odd, int *restrict all) {
  for (int i = 0; i < n; i++) {
    if (x[i] & 1)
      odd[i] = x[i];
    else
      even[i] = x[i];
    all[i] += (x[i] & 1) ? 1 : 2;
  }
}
