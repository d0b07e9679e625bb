// Linear regression by gradient descent: the DPUs sum up gradients, the host moves the weights.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"
#include "timer.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

#define STEPS 5
#define RATE_SHIFT 4

static void update(int32_t *w, const int64_t *gradient, uint32_t samples) {
  for (int f = 0; f < NFEATURES; ++f) w[f] -= (int32_t)(gradient[f] / (int64_t)samples) >> RATE_SHIFT;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 203);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_SAMPLES) return fprintf(stderr, "at most %d samples\n", MAX_SAMPLES), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));

  const size_t room = round_up(p.n, 8);
  FEATURE *x = calloc(room * dpus * NFEATURES, sizeof(*x));
  int32_t *y = calloc(room * dpus, sizeof(*y));
  uint32_t state = p.seed;
  const uint32_t limit = sizeof(FEATURE) == 1 ? 240 : 2000;
  int32_t truth[NFEATURES];
  for (int f = 0; f < NFEATURES; ++f) truth[f] = (int32_t)random_below(&state, 500) - 250;
  for (size_t i = 0; i < room * dpus; ++i) {
    for (int f = 0; f < NFEATURES; ++f)
      x[i * NFEATURES + f] = (FEATURE)((int32_t)random_below(&state, limit) - (int32_t)limit / 2);
    y[i] = predict(x + i * NFEATURES, truth) + (int32_t)random_below(&state, 9) - 4;
  }

  DPU_ASSERT(dpu_broadcast_to(set, "nr_samples", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, x + d * room * NFEATURES));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "samples", 0, room * NFEATURES * sizeof(*x), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, y + d * room));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "targets", 0, room * sizeof(*y), DPU_XFER_DEFAULT));

  int32_t w[NFEATURES] = {0}, host_w[NFEATURES] = {0};
  int64_t(*gradients)[NFEATURES] = malloc(dpus * sizeof(*gradients));
  for (int step = 0; step < STEPS; ++step) {
    int64_t total[NFEATURES] = {0}, host_total[NFEATURES] = {0};
    DPU_ASSERT(dpu_broadcast_to(set, "weights", 0, w, sizeof(w), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, gradients[d]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "gradient", 0, sizeof(*gradients), DPU_XFER_DEFAULT));
    for (d = 0; d < dpus; ++d) {
      for (int f = 0; f < NFEATURES; ++f) total[f] += gradients[d][f];
      for (uint32_t i = 0; i < p.n; ++i) {
        const FEATURE *sample = x + (d * room + i) * NFEATURES;
        const int32_t error = predict(sample, host_w) - y[d * room + i];
        for (int f = 0; f < NFEATURES; ++f) host_total[f] += (error * sample[f]) >> SHIFT;
      }
    }
    update(w, total, p.n * dpus);
    update(host_w, host_total, p.n * dpus);
    for (int f = 0; f < NFEATURES; ++f) {
      expect_equal("gradient", (size_t)f, total[f], host_total[f]);
      expect_equal("weight", (size_t)f, w[f], host_w[f]);
    }
  }
  DPU_ASSERT(dpu_free(set));
  free(x), free(y), free(gradients);
  return verdict("linreg");
}
