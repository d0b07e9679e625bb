// pimento: --data uniform:0,3
#include <math.h>
#include <stdbool.h>
void converged(const float a[40], const float b[40], int result[2]) {
  bool same = true;
  int where = 40;
  for (int i = 0; i < 40; ++i) {
    float d = fabsf(a[i] - b[i]);
    if (d > 0.5f) {
      same = false;
      where = i;
      break;
    }
  }
  result[0] = same;
  result[1] = where;
}
