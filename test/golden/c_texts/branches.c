// pimento: --size n=500
#include <stdlib.h>
/* Both branches store: one kernel. */
void soft_threshold(unsigned n, float t, const float x[restrict n], float y[restrict n], int kept[restrict n]) {
  for (unsigned i = 0; i < n; i++) {
    if (x[i] > t) {
      y[i] = x[i] - t;
      kept[i] = 1;
    } else if (x[i] < -t) {
      y[i] = x[i] + t;
      kept[i] = -1;
    } else {
      y[i] = 0;
      kept[i] = 0;
    }
  }
}
