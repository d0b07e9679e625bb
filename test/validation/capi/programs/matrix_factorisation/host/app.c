// Factorisation of random ratings. In every round a DPU has one group of items; afterwards groups go on to the next
// DPU.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

#define ITEMS 19  // of a group
#define ROUNDS 3

static void set_random(factors_t *factors, uint32_t count, uint32_t *state) {
  for (uint32_t i = 0; i < count; ++i)
    for (int f = 0; f < FACTORS; ++f) factors[i][f] = (int32_t)random_below(state, 2 << SHIFT) - (1 << SHIFT);
}

// Ratings of a DPU and a group in the order in which a tasklet takes them.
static uint32_t make_ratings(struct rating *to, struct arguments *a, uint32_t users, uint32_t *state) {
  uint32_t n = 0;
  *a = (struct arguments){users, ITEMS, {{0}}};
  for (uint32_t t = 0; t < NR_TASKLETS; ++t) {
    for (uint32_t step = 0; step < NR_TASKLETS; ++step) {
      a->first[t][step] = (uint16_t)n;
      for (uint32_t u = t; u < users; u += NR_TASKLETS)
        for (uint32_t i = (t + step) % NR_TASKLETS; i < ITEMS; i += NR_TASKLETS) {
          if (random_below(state, 3) == 0 || n == MAX_RATINGS) continue;
          to[n++] = (struct rating){(uint16_t)u, (uint16_t)i, (int32_t)random_below(state, 5 << SHIFT)};
        }
    }
    a->first[t][NR_TASKLETS] = (uint16_t)n;
  }
  return n;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 17);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_USERS) return fprintf(stderr, "at most %d users per DPU\n", MAX_USERS), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  factors_t(*users)[MAX_USERS] = calloc(dpus, sizeof(*users)), (*items)[MAX_ITEMS] = calloc(dpus, sizeof(*items));
  factors_t(*host_users)[MAX_USERS] = calloc(dpus, sizeof(*users)),
  (*host_items)[MAX_ITEMS] = calloc(dpus, sizeof(*items));
  struct rating(*ratings)[MAX_RATINGS] = calloc(dpus, sizeof(*ratings));
  struct arguments *arguments = calloc(dpus, sizeof(*arguments));
  uint32_t state = p.seed;
  for (d = 0; d < dpus; ++d) set_random(users[d], p.n, &state), set_random(items[d], ITEMS, &state);
  memcpy(host_users, users, dpus * sizeof(*users));
  memcpy(host_items, items, dpus * sizeof(*items));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, users[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "user_factors", 0, sizeof(*users), DPU_XFER_DEFAULT));

  for (uint32_t round = 0; round < ROUNDS; ++round) {
    for (d = 0; d < dpus; ++d) {
      const uint32_t group = (d + round) % dpus;
      make_ratings(ratings[d], &arguments[d], p.n, &state);
      for (uint32_t step = 0; step < NR_TASKLETS; ++step)
        for (uint32_t t = 0; t < NR_TASKLETS; ++t)
          for (uint32_t r = arguments[d].first[t][step]; r < arguments[d].first[t][step + 1]; ++r)
            learn(host_users[d][ratings[d][r].user], host_items[group][ratings[d][r].item], ratings[d][r].value);
    }
    DPU_FOREACH(set, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[d]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, round_up(sizeof(*arguments), 4), DPU_XFER_DEFAULT));
    DPU_FOREACH(set, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, ratings[d]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "ratings", 0, sizeof(*ratings), DPU_XFER_DEFAULT));
    DPU_FOREACH(set, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, items[(d + round) % dpus]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "item_factors", 0, sizeof(*items), DPU_XFER_NO_RESET));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "item_factors", 0, sizeof(*items), DPU_XFER_DEFAULT));
  }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, users[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "user_factors", 0, sizeof(*users), DPU_XFER_DEFAULT));
  for (d = 0; d < dpus; ++d)
    for (uint32_t f = 0; f < FACTORS; ++f) {
      for (uint32_t u = 0; u < p.n; ++u)
        expect_equal("user", (d * p.n + u) * FACTORS + f, users[d][u][f], host_users[d][u][f]);
      for (uint32_t i = 0; i < ITEMS; ++i)
        expect_equal("item", (d * ITEMS + i) * FACTORS + f, items[d][i][f], host_items[d][i][f]);
    }
  DPU_ASSERT(dpu_free(set));
  free(users), free(items), free(host_users), free(host_items), free(ratings), free(arguments);
  return verdict("matrix_factorisation");
}
