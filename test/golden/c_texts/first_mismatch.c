// pimento: --data uniform:0,1
unsigned mismatch(const unsigned char a[64], const unsigned char b[64]) {
  unsigned i = 0;
  while (i < 64) {
    if (a[i] != b[i]) break;
    i++;
  }
  return i;
}
