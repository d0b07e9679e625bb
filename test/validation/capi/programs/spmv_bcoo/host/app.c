// Sparse matrix in BCOO times vector: blocks are shared out evenly among DPUs; each has sums for all rows that its
// blocks touch, which the host adds.
#include <dpu.h>

#include "blocks.h"
#include "common.h"
#include "params.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

struct context {
  struct blocked a;
  const struct dpu_arguments *args;
  uint32_t per_dpu;
  TYPE *y;
};

// Adds the sums of the DPUs of a rank as soon as they are there.
static dpu_error_t merge(struct dpu_set_t rank, uint32_t rank_id, void *arguments) {
  struct context *context = arguments;
  struct dpu_set_t dpu;
  uint32_t each = rank_id * 64;
  DPU_FOREACH(rank, dpu) {
    const struct dpu_arguments *args = &context->args[each];
    if (args->rows != 0) {
      const uint32_t first_row = context->a.row[each * context->per_dpu];
      TYPE *sums = malloc(args->rows * B * sizeof(TYPE));
      dpu_error_t status =
          dpu_copy_from(dpu, DPU_MRAM_HEAP_POINTER_NAME, args->sums_at, sums, args->rows * B * sizeof(TYPE));
      if (status != DPU_OK) return status;
      for (uint32_t r = 0; r < args->rows * B; ++r) context->y[first_row * B + r] += sums[r];
      free(sums);
    }
    each++;
  }
  return DPU_OK;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 47);
  struct dpu_set_t set, dpu;
  uint32_t nr_of_dpus, i;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &nr_of_dpus));

  uint32_t state = p.seed + 3;
  const uint32_t columns = 130;
  struct csr m = random_matrix(p.n * nr_of_dpus + 2, columns, &state);
  TYPE *x = random_vector(columns, &state), *y = product(m, x);
  struct blocked a = to_blocks(m);
  const uint32_t per_dpu = (a.blocks + nr_of_dpus - 1) / nr_of_dpus;

  struct dpu_arguments *args = calloc(nr_of_dpus, sizeof(*args));
  struct block_t *blocks = calloc((size_t)per_dpu * nr_of_dpus, sizeof(*blocks));
  for (i = 0; i < nr_of_dpus; ++i) {
    const uint32_t begin = i * per_dpu < a.blocks ? i * per_dpu : a.blocks;
    const uint32_t end = begin + per_dpu < a.blocks ? begin + per_dpu : a.blocks;
    args[i] = (struct dpu_arguments){end - begin, begin < end ? a.row[end - 1] - a.row[begin] + 1 : 0,
                                     per_dpu * sizeof(*blocks), 0};
    args[i].sums_at = args[i].vector_at + round_up(columns, 8) * sizeof(TYPE);
    for (uint32_t k = begin; k < end; ++k) {
      blocks[k].row = a.row[k] - a.row[begin];
      blocks[k].column = a.column[k];
      memcpy(blocks[k].value, a.value[k], sizeof(a.value[k]));
    }
  }
  DPU_FOREACH(set, dpu, i) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, &args[i]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "args", 0, sizeof(*args), DPU_XFER_ASYNC));
  DPU_FOREACH(set, dpu, i) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, blocks + (size_t)i * per_dpu));
  }
  DPU_ASSERT(
      dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, per_dpu * sizeof(*blocks), DPU_XFER_ASYNC));
  DPU_ASSERT(dpu_broadcast_to(set, DPU_MRAM_HEAP_POINTER_NAME, args[0].vector_at, x,
                              round_up(columns, 8) * sizeof(TYPE), DPU_XFER_ASYNC));
  DPU_ASSERT(dpu_launch(set, DPU_ASYNCHRONOUS));
  struct context context = {a, args, per_dpu, calloc((size_t)(a.block_rows + 1) * B, sizeof(TYPE))};
  DPU_ASSERT(dpu_callback(set, merge, &context, DPU_CALLBACK_ASYNC));
  DPU_ASSERT(dpu_sync(set));

  for (i = 0; i < m.rows; ++i) expect_same("y", i, (double)context.y[i], (double)y[i]);
  DPU_ASSERT(dpu_free(set));
  free(context.y), free(args), free(blocks), free(x), free(y);
  free_blocks(a);
  free_matrix(m);
  return verdict("spmv_bcoo");
}
