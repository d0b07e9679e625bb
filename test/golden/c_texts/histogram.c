// pimento: --size n=2048
#include <stdint.h>
#define BINS 64
void histogram(uint32_t n, const uint16_t *restrict pixels, uint32_t bins[restrict BINS]) {
  for (uint32_t b = 0; b < BINS; b++) bins[b] = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t bin = pixels[i] * BINS >> 16;
    bins[bin]++;
  }
}
