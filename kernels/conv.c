// A convolution with a 3x3 filter, padded at the edges: guards in place of a larger image.
void conv(int h, int w, const float image[restrict h][w], const float filter[restrict 3][3], float out[restrict h][w]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0.0f;
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
          const int row = y + r - 1, column = x + s - 1;
          if (row < 0 || row >= h || column < 0 || column >= w) continue;
          sum += image[row][column] * filter[r][s];
        }
      out[y][x] = sum;
    }
}
