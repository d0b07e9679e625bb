// The even values of x in order, and how many there are.
#include <stdint.h>

static int isEven(int32_t x) {
  return x % 2 == 0;
}

uint32_t sel(int n, const int32_t *restrict x, int32_t *restrict y) {
  uint32_t count = 0;
  for (int i = 0; i < n; i++)
    if (isEven(x[i])) y[count++] = x[i];
  return count;
}
