// Transposes a matrix of (M m) x (N n) elements per DPU: the host sends it tile by tile, the DPU transposes tiles and
// the array of them.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 13);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t m = 4, n = 3, M = p.n, N = 7, rows = M * m, columns = N * n;
  T *matrix = malloc((size_t)dpus * rows * columns * sizeof(T)),
    *result = malloc((size_t)dpus * rows * columns * sizeof(T));
  uint32_t state = p.seed;
  for (size_t i = 0; i < (size_t)dpus * rows * columns; ++i) matrix[i] = (T)random_word(&state) << 32 | (T)i;
  // Row by row of a tile.
  for (uint32_t tile = 0; tile < M * N; ++tile) {
    for (uint32_t r = 0; r < m; ++r) {
      DPU_FOREACH(set, dpu, d) {
        T *from = matrix + (size_t)d * rows * columns + (size_t)(tile / N * m + r) * columns + tile % N * n;
        DPU_ASSERT(dpu_prepare_xfer(dpu, from));
      }
      DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, (tile * m + r) * n * sizeof(T),
                               n * sizeof(T), DPU_XFER_DEFAULT));
    }
  }
  for (uint32_t kernel = kTiles; kernel <= kElements; ++kernel) {
    const dpu_arguments_t arguments = {m, n, M, N, kernel, 0};
    DPU_ASSERT(dpu_broadcast_to(set, "DPU_INPUT_ARGUMENTS", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  }
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, result + (size_t)d * rows * columns));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, rows * columns * sizeof(T),
                           DPU_XFER_DEFAULT));
  // N rows of M tiles, of n rows of m elements.
  for (d = 0; d < dpus; ++d)
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t c = 0; c < columns; ++c) {
        const uint32_t tile = c / n * M + r / m, at = (tile * n + c % n) * m + r % m;
        expect_equal("element", (size_t)d * rows * columns + at, result[(size_t)d * rows * columns + at],
                     matrix[((size_t)d * rows + r) * columns + c]);
      }
  DPU_ASSERT(dpu_free(set));
  free(matrix), free(result);
  return verdict("transpose");
}
