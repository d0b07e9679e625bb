void upsample(const float in[9][9], float out[16][16]) {
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++)
      for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
          float wx = dx * 0.5f, wy = dy * 0.5f;
          out[2 * y + dy][2 * x + dx] = (1 - wy) * ((1 - wx) * in[y][x] + wx * in[y][x + 1]) +
                                        wy * ((1 - wx) * in[y + 1][x] + wx * in[y + 1][x + 1]);
        }
}
