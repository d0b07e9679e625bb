// pimento: --size rows=32
#define TAPS 5
static const int kTaps[TAPS] = {1, 4, 6, 4, 1};
void blur(int rows, const int in[restrict rows][64], int out[restrict rows][60]) {
  for (int r = 0; r < rows; r++) {
    int line[64];
    for (int c = 0; c < 64; c++) line[c] = in[r][c] << 1;
    for (int c = 0; c < 60; c++) {
      int sum = 0;
      for (int t = 0; t < TAPS; t++) sum += kTaps[t] * line[c + t];
      out[r][c] = sum >> 4;
    }
  }
}
