#define COLS 30
#define ROWS 8
#define MIN(a, b) ((a) <= (b) ? (a) : (b))
void pathfinder(int wall[ROWS][COLS], int src[COLS], int dst[COLS]) {
  for (int i = 0; i < COLS; i++) dst[i] = wall[0][i];
  for (int t = 1; t < ROWS; t++) {
    for (int i = 0; i < COLS; i++) src[i] = dst[i];
    for (int i = 1; i < COLS - 1; i++) {
      int best = MIN(src[i - 1], MIN(src[i], src[i + 1]));
      dst[i] = wall[t][i] + best;
    }
  }
}
