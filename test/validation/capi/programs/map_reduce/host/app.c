// A pipeline of operations on arrays that stay on the DPUs: z = x * x + (-y); sum and maximum of z; its odd elements.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static void ask(struct dpu_set_t set, struct request request) {
  DPU_ASSERT(dpu_broadcast_to(set, "request", 0, &request, sizeof(request), DPU_XFER_ASYNC));
  DPU_ASSERT(dpu_launch(set, DPU_ASYNCHRONOUS));
  DPU_ASSERT(dpu_sync(set));
}

static void write_array(struct dpu_set_t set, uint32_t array, element_t *elements, uint32_t per_dpu) {
  struct dpu_set_t dpu;
  uint32_t d;
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, elements + (size_t)d * per_dpu));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arrays", array * MAX_ELEMENTS * (uint32_t)sizeof(element_t),
                           per_dpu * sizeof(element_t), DPU_XFER_DEFAULT));
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 701);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_ELEMENTS) return fprintf(stderr, "at most %d elements per DPU\n", MAX_ELEMENTS), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t room = round_up(p.n, 2);
  element_t *x = malloc((size_t)room * dpus * sizeof(*x)), *y = malloc((size_t)room * dpus * sizeof(*y));
  element_t *z = malloc(MAX_ELEMENTS * sizeof(*z)), *odd = malloc(MAX_ELEMENTS * sizeof(*odd));
  uint32_t state = p.seed;
  for (size_t i = 0; i < (size_t)room * dpus; ++i) {
    x[i] = (element_t)random_below(&state, 20001) - 10000;
    y[i] = (element_t)(random_word(&state) >> 2);
  }
  write_array(set, 0, x, room);
  write_array(set, 1, y, room);
  ask(set, (struct request){kMap, kSquare, 0, 0, 2, p.n});
  ask(set, (struct request){kMap, kNegate, 1, 0, 1, p.n});
  ask(set, (struct request){kZip, kAdd, 2, 1, 2, p.n});
  struct answer *sums = malloc(dpus * sizeof(*sums)), *maxima = malloc(dpus * sizeof(*maxima)), kept;
  ask(set, (struct request){kReduce, kAdd, 2, 0, 0, p.n});
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, &sums[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "answer", 0, sizeof(*sums), DPU_XFER_DEFAULT));
  ask(set, (struct request){kReduce, kMaximum, 2, 0, 0, p.n});
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, &maxima[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "answer", 0, sizeof(*maxima), DPU_XFER_DEFAULT));
  ask(set, (struct request){kFilter, kIsOdd, 2, 0, 3, p.n});
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_copy_from(dpu, "answer", 0, &kept, sizeof(kept)));
    DPU_ASSERT(dpu_copy_from(dpu, "arrays", 2 * MAX_ELEMENTS * sizeof(*z), z, MAX_ELEMENTS * sizeof(*z)));
    DPU_ASSERT(dpu_copy_from(dpu, "arrays", 3 * MAX_ELEMENTS * sizeof(*z), odd, MAX_ELEMENTS * sizeof(*z)));
    int64_t sum = 0, maximum = INT64_MIN;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p.n; ++i) {
      const element_t wanted =
          apply(kAdd, apply(kSquare, x[(size_t)d * room + i], 0), apply(kNegate, y[(size_t)d * room + i], 0));
      expect_equal("z", d * p.n + i, z[i], wanted);
      sum += wanted;
      if (wanted > maximum) maximum = wanted;
      if (apply(kIsOdd, wanted, 0)) expect_equal("odd", n, odd[n], wanted), ++n;
    }
    expect_equal("sum", d, sums[d].value, sum);
    expect_equal("maximum", d, maxima[d].value, maximum);
    expect_equal("kept", d, kept.elements, n);
  }
  DPU_ASSERT(dpu_free(set));
  free(x), free(y), free(z), free(odd), free(sums), free(maxima);
  return verdict("map_reduce");
}
