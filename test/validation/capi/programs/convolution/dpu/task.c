// Rows of the strip are shared out among tasklets in order. SIZE rows are in WRAM, in a ring.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;
__mram_noinit uint8_t image[MAX_ROWS + 2 * HALO][STRIDE];
__mram_noinit uint8_t result[MAX_ROWS][STRIDE];

BARRIER_INIT(start, NR_TASKLETS);

static void convolve_row(uint8_t *const *rows, uint8_t *to) {
  for (uint32_t x = 0; x < arguments.width; ++x) {
    int32_t sum = 0;
    const int8_t *weight = arguments.kernel;
    for (int r = 0; r < SIZE; ++r)
      for (int c = 0; c < SIZE; ++c) sum += *weight++ * rows[r][x + c];
    to[x] = clamp(sum >> arguments.shift);
  }
}

int main() {
  if (me() == 0) mem_reset();
  barrier_wait(&start);
  uint8_t *ring[SIZE], *rows[SIZE], *to = mem_alloc(STRIDE);
  for (int i = 0; i < SIZE; ++i) ring[i] = mem_alloc(STRIDE);
  const uint32_t begin = arguments.rows * me() / NR_TASKLETS, end = arguments.rows * (me() + 1) / NR_TASKLETS;
  uint32_t read = begin;  // rows of the image with borders
  for (uint32_t y = begin; y < end; ++y) {
    for (; read < y + SIZE; ++read) mram_read(image[read], ring[read % SIZE], STRIDE);
    for (uint32_t i = 0; i < SIZE; ++i) rows[i] = ring[(y + i) % SIZE];
    convolve_row(rows, to);
    mram_write(to, result[y], STRIDE);
  }
  return 0;
}
