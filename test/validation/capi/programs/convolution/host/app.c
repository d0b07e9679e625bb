// Convolution of a random image.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

#define WIDTH 61

struct image {
  uint32_t rows;
  uint8_t (*pixel)[WIDTH];
};

static uint8_t pixel(struct image image, int32_t y, int32_t x) {
  y = y < 0 ? 0 : y >= (int32_t)image.rows ? (int32_t)image.rows - 1 : y;
  x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
  return image.pixel[y][x];
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 18);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_ROWS) return fprintf(stderr, "at most %d rows per DPU\n", MAX_ROWS), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  struct image image = {p.n * dpus, malloc((size_t)p.n * dpus * WIDTH)};
  uint32_t state = p.seed;
  for (uint32_t y = 0; y < image.rows; ++y)
    for (uint32_t x = 0; x < WIDTH; ++x) image.pixel[y][x] = (uint8_t)(random_word(&state) >> 24);
  struct arguments arguments = {p.n, WIDTH, SIZE == 3 ? 3 : 4, {0}};
  for (int i = 0; i < SIZE * SIZE; ++i) arguments.kernel[i] = (int8_t)(random_below(&state, 9) - 3);
  DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, round_up(sizeof(arguments), 4), DPU_XFER_DEFAULT));
  uint8_t(*strips)[MAX_ROWS + 2 * HALO][STRIDE] = calloc(dpus, sizeof(*strips)),
                                  (*results)[MAX_ROWS][STRIDE] = calloc(dpus, sizeof(*results));
  for (d = 0; d < dpus; ++d)
    for (int32_t y = 0; y < (int32_t)p.n + 2 * HALO; ++y)
      for (int32_t x = 0; x < WIDTH + 2 * HALO; ++x)
        strips[d][y][x] = pixel(image, (int32_t)(d * p.n) + y - HALO, x - HALO);
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, strips[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "image", 0, (p.n + 2 * HALO) * STRIDE, DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, results[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, p.n * STRIDE, DPU_XFER_DEFAULT));
  for (int32_t y = 0; y < (int32_t)image.rows; ++y)
    for (int32_t x = 0; x < WIDTH; ++x) {
      int32_t sum = 0;
      for (int32_t r = 0; r < SIZE; ++r)
        for (int32_t c = 0; c < SIZE; ++c)
          sum += arguments.kernel[r * SIZE + c] * pixel(image, y + r - HALO, x + c - HALO);
      expect_equal("pixel", (size_t)(y * WIDTH + x), results[y / (int32_t)p.n][y % (int32_t)p.n][x],
                   clamp(sum >> arguments.shift));
    }
  DPU_ASSERT(dpu_free(set));
  free(image.pixel), free(strips), free(results);
  return verdict("convolution");
}
