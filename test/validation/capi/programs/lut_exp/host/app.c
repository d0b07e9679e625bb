// exp, log, sqrt and tanh by tables: the DPUs' results are those of the same functions here, and near those of C.
#include <dpu.h>
#include <math.h>

#include "check.h"
#include "common.h"
#include "params.h"

static struct tables tables;
#define FUNCTION static
#define NAME(name) own_##name
#include "functions.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static double exact(uint32_t function, double x) {
  return function == kExp ? exp(x) : function == kLog ? log(x) : function == kSqrt ? sqrt(x) : tanh(x);
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 100);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  for (int i = 0; i < TABLE_ENTRIES; ++i) {
    const double x = (double)i / (1 << TABLE_BITS);
    tables.exp2[i] = (float)exp2(x);
    tables.ln[i] = (float)log(1 + x);
    tables.sqrt[i] = (float)sqrt(1 + 3 * x);
  }
  DPU_ASSERT(dpu_broadcast_to(set, "tables", 0, &tables, sizeof(tables), DPU_XFER_DEFAULT));

  const uint32_t room = round_up(p.n, 16);
  float *x = calloc((size_t)room * dpus, sizeof(float)), *y = calloc((size_t)room * dpus, sizeof(float));
  uint32_t state = p.seed;
  for (uint32_t function = 0; function < kFunctions; ++function) {
    for (size_t i = 0; i < (size_t)room * dpus; ++i) {
      x[i] = (float)(int32_t)random_word(&state) / (1u << 28);
      if (function == kLog || function == kSqrt) x[i] = expf(3 * x[i]);
    }
    const struct arguments arguments = {p.n, function};
    DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, x + (size_t)d * room));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "numbers", 0, room * sizeof(float), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, y + (size_t)d * room));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "numbers", 0, room * sizeof(float), DPU_XFER_DEFAULT));
    static const char *const names[kFunctions] = {"exp", "log", "sqrt", "tanh"};
    for (uint32_t i = 0; i < p.n * dpus; ++i) {
      const size_t at = (size_t)(i / p.n) * room + i % p.n;
      expect_same(names[function], i, y[at], apply(function, x[at]));
      const double wanted = exact(function, x[at]);
      expect_near(names[function], i, y[at], wanted, 1e-4 * (fabs(wanted) + 0.1));
    }
  }
  DPU_ASSERT(dpu_free(set));
  free(x), free(y);
  return verdict("lut_exp");
}
