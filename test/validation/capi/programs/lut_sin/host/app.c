// sin and cos of random angles from a table.
#include <dpu.h>
#include <math.h>

#include "check.h"
#include "common.h"
#include "params.h"
#include "timer.h"

static float table[TABLE_ROOM];
#define ENTRY(i) table[i]
#include "lookup.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 150);
  struct dpu_set_t set, dpu;
  struct dpu_program_t *program;
  struct dpu_symbol_t table_symbol, cycles_symbol;
  uint32_t dpus, d;
  struct timer timer;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, &program));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  DPU_ASSERT(dpu_get_symbol(program, "table", &table_symbol));
  DPU_ASSERT(dpu_get_symbol(program, "nb_cycles", &cycles_symbol));
  expect_equal("size of the table", 0, table_symbol.size, sizeof(table));
  expect_equal("size of nb_cycles", 0, cycles_symbol.size, NR_TASKLETS * 8);

  for (int i = 0; i < TABLE_ENTRIES; ++i) table[i] = (float)sin(2 * M_PI * i / (1 << PRECISION));
  DPU_ASSERT(dpu_broadcast_to_symbol(set, table_symbol, 0, table, sizeof(table), DPU_XFER_DEFAULT));

  const uint32_t room = round_up(p.n, 32);
  float *angles = calloc((size_t)room * dpus, sizeof(float));
  pair_t *results = calloc((size_t)room * dpus, sizeof(pair_t));
  uint32_t state = p.seed;
  for (size_t i = 0; i < (size_t)room * dpus; ++i) angles[i] = (float)(int32_t)random_word(&state) / (1u << 28);
  start(&timer, kToDpu, 0);
  const uint32_t args[2] = {p.n, 0};
  DPU_ASSERT(dpu_broadcast_to(set, "args", 0, args, sizeof(args), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, angles + (size_t)d * room));
  }
  DPU_ASSERT(
      dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, room * sizeof(float), DPU_XFER_DEFAULT));
  stop(&timer, kToDpu);
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, results + (size_t)d * room));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, room * sizeof(float),
                           room * sizeof(pair_t), DPU_XFER_DEFAULT));
#ifdef METHOD_LINEAR
  const double tolerance = 3e-5;
#else
  const double tolerance = 7e-3;
#endif
  for (uint32_t i = 0; i < p.n * dpus; ++i) {
    const size_t at = (size_t)(i / p.n) * room + i % p.n;
    expect_same("sin", i, results[at].sine, lut_sin(angles[at]));
    expect_same("cos", i, results[at].cosine, lut_cos(angles[at]));
    expect_near("sin from the table", i, results[at].sine, sin(angles[at]), tolerance);
    expect_near("cos from the table", i, results[at].cosine, cos(angles[at]), tolerance);
  }
  uint64_t cycles[NR_TASKLETS];
  uint32_t tasklets[2];
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_copy_from_symbol(dpu, cycles_symbol, 0, cycles, sizeof(cycles)));
    for (int t = 0; t < NR_TASKLETS; ++t) expect_equal("a tasklet needs time", (size_t)t, cycles[t] > 0, 1);
    DPU_ASSERT(dpu_copy_from(dpu, "args", 0, tasklets, sizeof(tasklets)));
    expect_equal("tasklets", d, tasklets[1], NR_TASKLETS);
  }
  DPU_ASSERT(dpu_free(set));
  free(angles), free(results);
  return verdict("lut_sin");
}
