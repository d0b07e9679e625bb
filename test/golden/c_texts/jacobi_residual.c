#include <math.h>
#define N 14
void jacobi(double a[N][N], double b[N][N], double err[1]) {
  double worst = 0;
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
      worst = fmax(worst, fabs(b[i][j] - a[i][j]));
    }
  err[0] = worst;
}
