// What the host halves of the sorting programs share: their data, and the comparison with qsort.
#pragma once

#include <dpu.h>

#include "check.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static int compare_keys(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/// Every DPU sorts `n` keys of `keys` in MRAM (MRAM variable, room for `room`), and leaves them in `sorted`.
static int sort_on_dpus(const char *name, struct params p, uint32_t most, uint32_t room, const char *sorted) {
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > most) return fprintf(stderr, "%s: at most %u keys per DPU\n", name, most), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  int32_t *keys = malloc((size_t)dpus * room * sizeof(*keys)), *result = malloc((size_t)dpus * room * sizeof(*keys));
  uint32_t state = p.seed;
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < (size_t)dpus * room; ++i) {
      // Mostly random; in the second round few different ones, and the extremes.
      keys[i] = (int32_t)(round == 0 ? random_word(&state) : random_below(&state, 9) - 4);
      if (round != 0 && i % 50 == 0) keys[i] = i % 100 == 0 ? INT32_MIN : INT32_MAX;
    }
    DPU_ASSERT(dpu_broadcast_to(set, "nr_keys", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, keys + (size_t)d * room));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "keys", 0, room * sizeof(*keys), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, result + (size_t)d * room));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, sorted, 0, room * sizeof(*keys), DPU_XFER_DEFAULT));
    for (d = 0; d < dpus; ++d) {
      int32_t *mine = keys + (size_t)d * room;
      qsort(mine, p.n, sizeof(*mine), compare_keys);
      for (uint32_t i = 0; i < p.n; ++i) expect_equal("key", d * p.n + i, result[(size_t)d * room + i], mine[i]);
    }
  }
  DPU_ASSERT(dpu_free(set));
  free(keys), free(result);
  return verdict(name);
}
