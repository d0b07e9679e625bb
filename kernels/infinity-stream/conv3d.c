// A layer of 3x3 convolutions: `in` input planes, `out` output planes, the taps written out.
void conv3d(int in, int out, int h, int w, const float I[restrict in][h][w], const float K[restrict out][3][3][in],
            float O[restrict out][h][w]) {
  for (int i = 0; i < in; i++)
    for (int o = 0; o < out; o++)
      for (int y = 0; y < h - 2; y++)
        for (int x = 0; x < w - 2; x++)
          O[o][y][x] += I[i][y][x] * K[o][0][0][i] + I[i][y][x + 1] * K[o][0][1][i] + I[i][y][x + 2] * K[o][0][2][i] +
                        I[i][y + 1][x] * K[o][1][0][i] + I[i][y + 1][x + 1] * K[o][1][1][i] +
                        I[i][y + 1][x + 2] * K[o][1][2][i] + I[i][y + 2][x] * K[o][2][0][i] +
                        I[i][y + 2][x + 1] * K[o][2][1][i] + I[i][y + 2][x + 2] * K[o][2][2][i];
}
