// pimento: --data uniform:0,12
void copy_string(const char src[40], char dst[40]) {
  for (int i = 0; i < 40; i++) {
    if (src[i] == 0) break;
    dst[i] = src[i];
  }
}
