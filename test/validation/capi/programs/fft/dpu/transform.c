#include "transform.h"

static uint32_t reversed(uint32_t i) {
  uint32_t r = 0;
  for (int bit = 0; bit < LOG_LENGTH; ++bit) r |= ((i >> bit) & 1) << (LOG_LENGTH - 1 - bit);
  return r;
}

static sample_t times(sample_t x, factor_t w) {
  return (sample_t){(x.re * w.re - x.im * w.im) >> SHIFT, (x.re * w.im + x.im * w.re) >> SHIFT};
}

void transform(sample_t *signal, const factor_t *factors) {
  for (uint32_t i = 0; i < LENGTH; ++i) {
    const uint32_t k = reversed(i);
    if (k <= i) continue;
    const sample_t sample = signal[i];
    signal[i] = signal[k];
    signal[k] = sample;
  }
  for (uint32_t half = 1; half < LENGTH; half *= 2) {
    for (uint32_t first = 0; first < LENGTH; first += 2 * half) {
      for (uint32_t k = 0; k < half; ++k) {
        const sample_t a = signal[first + k];
        const sample_t b = times(signal[first + k + half], factors[k * (LENGTH / 2 / half)]);
        signal[first + k] = (sample_t){(a.re + b.re) >> 1, (a.im + b.im) >> 1};
        signal[first + k + half] = (sample_t){(a.re - b.re) >> 1, (a.im - b.im) >> 1};
      }
    }
  }
}
