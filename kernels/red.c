// The sum of an array, returned.
#include <stdint.h>

int32_t red(int n, const int32_t *x) {
  int32_t sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}
