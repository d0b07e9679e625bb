// y[i] = x[0] + ... + x[i].
#include <stdint.h>

void scan(int n, const int32_t *restrict x, int32_t *restrict y) {
  int32_t sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i];
    y[i] = sum;
  }
}
