// Searches a random walk for the window that is nearest to a query. Parts of DPUs overlap by a window.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 143);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t total = p.n * dpus, part = round_up(p.n + 3 * QUERY, 2);
  value_t *series = calloc(total + 4 * QUERY, sizeof(*series)), *copies = malloc((size_t)dpus * part * sizeof(value_t));
  uint32_t state = p.seed;
  value_t level = 1000;
  for (uint32_t i = 0; i < total + 4 * QUERY; ++i) series[i] = level += (value_t)random_below(&state, 201) - 100;
  struct arguments arguments = {p.n, 0, {0}};
  // The query is a window of the series, with noise.
  const uint32_t planted = total * 5 / 7;
  value_t sum = 0;
  for (int i = 0; i < QUERY; ++i)
    sum += arguments.query[i] = series[planted + (uint32_t)i] + (value_t)random_below(&state, 21) - 10;
  for (int i = 0; i < QUERY; ++i) arguments.query[i] -= sum / QUERY;
  DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
  for (d = 0; d < dpus; ++d) memcpy(copies + (size_t)d * part, series + (size_t)d * p.n, part * sizeof(value_t));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, copies + (size_t)d * part));
  }
  DPU_ASSERT(
      dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, part * sizeof(value_t), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  struct best found = {INT64_MAX, 0, 0}, one, wanted = {INT64_MAX, 0, 0};
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_copy_from(dpu, "best", 0, &one, sizeof(one)));
    found.windows += one.windows;
    if (one.distance < found.distance) found.distance = one.distance, found.at = d * p.n + one.at;
  }
  for (uint32_t at = 0; at < total; ++at) {
    value_t window = 0;
    for (int i = 0; i < QUERY; ++i) window += series[at + (uint32_t)i];
    int64_t distance = 0;
    for (int i = 0; i < QUERY; ++i) {
      const int64_t difference = series[at + (uint32_t)i] - window / QUERY - arguments.query[i];
      distance += difference * difference;
    }
    if (distance < wanted.distance) wanted.distance = distance, wanted.at = at;
  }
  expect_equal("windows", 0, found.windows, total);
  expect_equal("distance", 0, found.distance, wanted.distance);
  expect_equal("place", 0, found.at, wanted.at);
  expect_equal("place of the planted window", 0, found.at, planted);
  DPU_ASSERT(dpu_free(set));
  free(series), free(copies);
  return verdict("time_series");
}
