// pimento: --data uniform:0,19
void spmv_ell(const int col[20][6], const float val[20][6], const float x[20], float y[20]) {
  for (int i = 0; i < 20; i++) {
    float s = 0;
    for (int k = 0; k < 6; k++) s += val[i][k] * x[col[i][k]];
    y[i] = s;
  }
}
