// pimento: --size n=301
void lower(int n, const unsigned char *restrict in, unsigned char *restrict out) {
  int i = 0;
  while (i < n) {
    unsigned char c = in[i];
    out[i] = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    i++;
  }
}
