// pimento: --function step
#include <stdlib.h>
enum { SIZE = 50 };
float grid[SIZE][SIZE], next[SIZE][SIZE];
static float mean4(int i, int j) { return (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) * 0.25f; }
void step(void) {
  int i, j;
  for (i = 1; i < SIZE - 1; i++)
    for (j = 1; j < SIZE - 1; j++) next[i][j] = mean4(i, j);
}
int main(void) {
  for (int t = 0; t < 10; t++) step();
  return 0;
}
