// A histogram of 12-bit values in 256 bins.
#include <stdint.h>

enum { kBins = 256 };

void hst(int n, const uint32_t *restrict x, uint32_t h[restrict kBins]) {
  for (int b = 0; b < kBins; b++) h[b] = 0;
  for (int i = 0; i < n; i++) h[x[i] * kBins >> 12] += 1;
}
