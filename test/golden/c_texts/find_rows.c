// pimento: --data uniform:0,9
void first_above(float m[12][40], int at[12]) {
  for (int r = 0; r < 12; r++) {
    int i;
    for (i = 0; i < 40; i++)
      if (m[r][i] > 8.0f) break;
    at[r] = i;
  }
}
