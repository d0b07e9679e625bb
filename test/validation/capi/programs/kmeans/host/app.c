// K-means: the DPUs assign points and sum them up, the host moves the centres, until none moves.
#include <dpu.h>
#include <stdbool.h>

#include "check.h"
#include "common.h"
#include "params.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

typedef int_feature centres_t[NCLUSTERS][STRIDE];

static uint32_t assign(const int_feature *point, centres_t centres, uint64_t *distance) {
  uint32_t best = 0;
  *distance = UINT64_MAX;
  for (uint32_t k = 0; k < NCLUSTERS; k++) {
    uint64_t d = 0;
    for (uint32_t f = 0; f < NFEATURES; f++) {
      const int64_t diff = point[f] - centres[k][f];
      d += (uint64_t)(diff * diff);
    }
    if (d < *distance) *distance = d, best = k;
  }
  return best;
}

static bool move(centres_t centres, const result_t *sum) {
  bool moved = false;
  for (uint32_t k = 0; k < NCLUSTERS; k++) {
    if (sum->count[k] == 0) continue;
    for (uint32_t f = 0; f < NFEATURES; f++) {
      const int_feature to = (int_feature)(sum->sum[k][f] / (int64_t)sum->count[k]);
      moved = moved || to != centres[k][f];
      centres[k][f] = to;
    }
  }
  return moved;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 53);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  struct timer timer;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));

  const uint32_t room = round_up(p.n, TILE_POINTS), n = p.n * dpus;
  int_feature(*points)[STRIDE] = calloc((size_t)room * dpus, sizeof(*points));
  uint8_t *members = malloc((size_t)room * dpus);
  uint32_t state = p.seed;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t f = 0; f < NFEATURES; f++) {
      const int32_t centre = (int32_t)((i % NCLUSTERS * 7919 + f * 4099) % 50000) - 25000;
      points[i / p.n * room + i % p.n][f] = (int_feature)(centre + (int32_t)random_below(&state, 9000) - 4500);
    }
  centres_t centres = {{0}}, host_centres;
  for (uint32_t k = 0; k < NCLUSTERS; k++) memcpy(centres[k], points[k * 3 % p.n], sizeof(centres[k]));
  memcpy(host_centres, centres, sizeof(centres));

  start(&timer, kToDpu, 0);
  DPU_ASSERT(dpu_broadcast_to(set, "nr_points", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, points + (size_t)d * room));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "points", 0, room * sizeof(*points), DPU_XFER_DEFAULT));
  stop(&timer, kToDpu);

  result_t *results = malloc(dpus * sizeof(*results));
  bool moved = true;
  for (int step = 0; moved && step < 3; step++) {
    start(&timer, kKernel, step);
    DPU_ASSERT(dpu_broadcast_to(set, "centres", 0, centres, sizeof(centres), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, &results[d]));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, sizeof(result_t), DPU_XFER_DEFAULT));
    stop(&timer, kKernel);
    for (d = 1; d < dpus; d++) {
      for (uint32_t k = 0; k < NCLUSTERS; k++) {
        results[0].count[k] += results[d].count[k];
        for (uint32_t f = 0; f < NFEATURES; f++) results[0].sum[k][f] += results[d].sum[k][f];
      }
      results[0].inertia += results[d].inertia;
    }

    result_t wanted;
    memset(&wanted, 0, sizeof(wanted));
    for (uint32_t i = 0; i < n; i++) {
      const int_feature *point = points[i / p.n * room + i % p.n];
      uint64_t distance;
      const uint32_t k = assign(point, host_centres, &distance);
      wanted.count[k]++;
      wanted.inertia += distance;
      for (uint32_t f = 0; f < NFEATURES; f++) wanted.sum[k][f] += point[f];
    }
    expect_equal("inertia", (size_t)step, (int64_t)results[0].inertia, (int64_t)wanted.inertia);
    for (uint32_t k = 0; k < NCLUSTERS; k++) {
      expect_equal("count", k, (int64_t)results[0].count[k], (int64_t)wanted.count[k]);
      for (uint32_t f = 0; f < NFEATURES; f++)
        expect_equal("sum", k * NFEATURES + f, results[0].sum[k][f], wanted.sum[k][f]);
    }
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, members + (size_t)d * room));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "membership", 0, room, DPU_XFER_DEFAULT));
    for (uint32_t i = 0; i < n; i++) {
      uint64_t distance;
      const size_t at = (size_t)(i / p.n) * room + i % p.n;
      expect_equal("membership", i, members[at], assign(points[at], host_centres, &distance));
    }
    moved = move(centres, &results[0]);
    expect_equal("moved", (size_t)step, moved, move(host_centres, &wanted));
  }
  DPU_ASSERT(dpu_free(set));
  free(points), free(members), free(results);
  return verdict("kmeans");
}
