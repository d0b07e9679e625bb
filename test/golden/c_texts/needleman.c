// pimento: --data uniform:0,9
#define N 16
static int maximum(int a, int b, int c) {
  int k = a > b ? a : b;
  return k > c ? k : c;
}
void nw(int ref[N][N], int score[N][N], int penalty[1]) {
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      score[i][j] = maximum(score[i - 1][j - 1] + ref[i][j], score[i][j - 1] - penalty[0], score[i - 1][j] - penalty[0]);
}
