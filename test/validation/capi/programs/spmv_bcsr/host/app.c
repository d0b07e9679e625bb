// Sparse matrix in BCSR times vector: rows of blocks are shared out among DPUs by their number of blocks, and the
// blocks of a DPU evenly among its tasklets.
#include <dpu.h>

#include "blocks.h"
#include "common.h"
#include "params.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static void check_limits(uint32_t block_rows, uint32_t blocks) {
  if (block_rows <= MAX_BLOCK_ROWS && blocks <= MAX_BLOCKS) return;
  fprintf(stderr, "%u rows of blocks and %u blocks do not fit into a DPU\n", block_rows, blocks);
  exit(2);
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 58);
  struct dpu_set_t dpu_set, dpu;
  uint32_t nr_of_dpus, each_dpu;
  struct timer timer;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
  DPU_ASSERT(dpu_load(dpu_set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr_of_dpus));

  uint32_t state = p.seed + 2;
  const uint32_t columns = 97;
  struct csr m = random_matrix(p.n * nr_of_dpus, columns, &state);
  TYPE *x = random_vector(columns, &state), *y = product(m, x);
  struct blocked a = to_blocks(m);

  dpu_arguments_t *args = calloc(nr_of_dpus, sizeof(*args));
  uint32_t *first_row = calloc(nr_of_dpus + 1, sizeof(*first_row)), most_rows = 1, most_blocks = 1, row = 0;
  for (each_dpu = 0; each_dpu < nr_of_dpus; each_dpu++) {
    first_row[each_dpu] = row;
    const uint32_t goal = (uint32_t)((uint64_t)a.blocks * (each_dpu + 1) / nr_of_dpus);
    while (row < a.block_rows && (a.first[row + 1] <= goal || each_dpu == nr_of_dpus - 1)) row++;
    first_row[each_dpu + 1] = row;
    dpu_arguments_t *d = &args[each_dpu];
    const uint32_t first = a.first[first_row[each_dpu]];
    d->block_rows = row - first_row[each_dpu];
    d->blocks = a.first[row] - first;
    check_limits(d->block_rows + 1, d->blocks);
    if (d->block_rows > most_rows) most_rows = d->block_rows;
    if (d->blocks > most_blocks) most_blocks = d->blocks;
    for (uint32_t t = 0, r = first_row[each_dpu]; t <= NR_TASKLETS; t++) {
      d->first_block[t] = d->blocks * t / NR_TASKLETS;
      while (r + 1 < row && a.first[r + 1] - first <= d->first_block[t]) r++;
      d->first_block_row[t] = r - first_row[each_dpu];
    }
  }

  start(&timer, kToDpu, 0);
  DPU_FOREACH(dpu_set, dpu, each_dpu) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, &args[each_dpu]));
  }
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(args[0]), DPU_XFER_DEFAULT));
  const uint32_t row_words = round_up(most_rows + 1, 2), column_words = round_up(most_blocks, 2);
  uint32_t *ends = calloc((size_t)nr_of_dpus * row_words, 4),
           *block_columns = calloc((size_t)nr_of_dpus * column_words, 4);
  TYPE *values = calloc((size_t)nr_of_dpus * most_blocks, sizeof(*a.value));
  for (each_dpu = 0; each_dpu < nr_of_dpus; each_dpu++) {
    const uint32_t r0 = first_row[each_dpu], first = a.first[r0];
    for (uint32_t r = 0; r < args[each_dpu].block_rows; r++)
      ends[each_dpu * row_words + r] = a.first[r0 + r + 1] - first;
    ends[each_dpu * row_words + args[each_dpu].block_rows] = UINT32_MAX;
    memcpy(block_columns + each_dpu * column_words, a.column + first, args[each_dpu].blocks * 4);
    memcpy(values + (size_t)each_dpu * most_blocks * B * B, a.value + first, args[each_dpu].blocks * sizeof(*a.value));
  }
  DPU_FOREACH(dpu_set, dpu, each_dpu) DPU_ASSERT(dpu_prepare_xfer(dpu, ends + each_dpu * row_words));
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "row_ends", 0, row_words * 4, DPU_XFER_DEFAULT));
  DPU_FOREACH(dpu_set, dpu, each_dpu) DPU_ASSERT(dpu_prepare_xfer(dpu, block_columns + each_dpu * column_words));
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "block_columns", 0, column_words * 4, DPU_XFER_DEFAULT));
  DPU_FOREACH(dpu_set, dpu, each_dpu)
  DPU_ASSERT(dpu_prepare_xfer(dpu, values + (size_t)each_dpu * most_blocks * B * B));
  DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "blocks", 0, most_blocks * sizeof(*a.value), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_copy_to(dpu_set, "vector", 0, x, round_up(columns, 8) * sizeof(TYPE)));
  stop(&timer, kToDpu);

  start(&timer, kKernel, 0);
  DPU_ASSERT(dpu_launch(dpu_set, DPU_ASYNCHRONOUS));
  DPU_ASSERT(dpu_sync(dpu_set));
  stop(&timer, kKernel);

  start(&timer, kFromDpu, 0);
  TYPE *sums = malloc((size_t)(most_rows + 1) * B * sizeof(TYPE));
  DPU_FOREACH(dpu_set, dpu, each_dpu) {
    const uint32_t rows = args[each_dpu].block_rows * B;
    if (rows == 0) continue;
    DPU_ASSERT(dpu_copy_from(dpu, "sums", 0, sums, rows * sizeof(TYPE)));
    for (uint32_t r = 0; r < rows && first_row[each_dpu] * B + r < m.rows; r++)
      expect_same("y", first_row[each_dpu] * B + r, (double)sums[r], (double)y[first_row[each_dpu] * B + r]);
  }
  stop(&timer, kFromDpu);
  DPU_ASSERT(dpu_free(dpu_set));
  free(args), free(first_row), free(ends), free(block_columns), free(values), free(sums), free(x), free(y);
  free_blocks(a);
  free_matrix(m);
  return verdict("spmv_bcsr");
}
