// y = a + b.
#include <stdint.h>

void va(int n, const int32_t *restrict a, const int32_t *restrict b, int32_t *restrict y) {
  for (int i = 0; i < n; i++) y[i] = a[i] + b[i];
}
