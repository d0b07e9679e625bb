// Several kernels in one binary: operations on the rows of an image, chosen from a table by a variable of the host.
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;
__mram_noinit uint8_t image[MOST_ROWS * WIDTH];
__mram_noinit uint8_t result[MOST_ROWS * WIDTH];

BARRIER_INIT(everybody, NR_TASKLETS);

typedef void (*row_kernel)(uint8_t *out, const uint8_t *in);

static void invert(uint8_t *out, const uint8_t *in) {
  for (int i = 0; i < WIDTH; ++i) out[i] = (uint8_t)~in[i];
}

static void threshold(uint8_t *out, const uint8_t *in) {
  for (int i = 0; i < WIDTH; ++i) out[i] = in[i] >= arguments.value ? 255 : 0;
}

static void mirror(uint8_t *out, const uint8_t *in) {
  for (int i = 0; i < WIDTH; ++i) out[i] = in[WIDTH - 1 - i];
}

static void smooth(uint8_t *out, const uint8_t *in) {
  for (int i = 0; i < WIDTH; ++i) {
    const unsigned int left = in[i > 0 ? i - 1 : 0], right = in[i < WIDTH - 1 ? i + 1 : WIDTH - 1];
    out[i] = (uint8_t)((left + 2u * in[i] + right + 2) / 4);
  }
}

static void brightness(uint8_t *out, const uint8_t *in) {
  for (int i = 0; i < WIDTH; ++i) {
    const int32_t x = in[i] * arguments.value / 16;
    out[i] = (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
  }
}

static const row_kernel kernels[kKernels] = {invert, threshold, mirror, smooth, brightness};

int main(void) {
  __dma_aligned uint8_t in[WIDTH], out[WIDTH];
  if (arguments.kernel >= kKernels) halt();
  const row_kernel kernel = kernels[arguments.kernel];
  barrier_wait(&everybody);
  for (uint32_t row = me(); row < arguments.rows; row += NR_TASKLETS) {
    mram_read(&image[row * WIDTH], in, WIDTH);
    kernel(out, in);
    mram_write(out, &result[row * WIDTH], WIDTH);
  }
  return 0;
}
