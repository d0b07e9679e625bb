// Logistic regression by gradient descent: the DPUs sum up gradients, the host moves the weights.
#include <dpu.h>
#include <math.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static int16_t table[TABLE_ENTRIES];

static int32_t sigmoid(int32_t x) {
  const int32_t magnitude = abs(x);
  const int32_t y = magnitude < (SIGMOID_END << SHIFT) ? table[magnitude >> TABLE_SHIFT] : 1 << SHIFT;
  return x < 0 ? (1 << SHIFT) - y : y;
}

static void add_gradient(const struct sample *s, const int32_t *w, int64_t *gradient) {
  int64_t dot = 0;
  for (int f = 0; f < NFEATURES; ++f) dot += (int64_t)s->x[f] * w[f];
  const int32_t error = sigmoid((int32_t)(dot >> SHIFT)) - s->label;
  for (int f = 0; f < NFEATURES; ++f) gradient[f] += ((int64_t)error * s->x[f]) >> SHIFT;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 121);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, "nrThreadsPerRank=4", &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  for (int i = 0; i < TABLE_ENTRIES; ++i)
    table[i] = (int16_t)lround((1 << SHIFT) /
                               (1 + exp(-(double)((i << TABLE_SHIFT) + (1 << TABLE_SHIFT) / 2) / (1 << SHIFT))));
  DPU_ASSERT(dpu_broadcast_to(set, "sigmoid_table", 0, table, sizeof(table), DPU_XFER_DEFAULT));

  struct sample *samples = calloc((size_t)p.n * dpus, sizeof(*samples));
  uint32_t state = p.seed;
  for (uint32_t i = 0; i < p.n * dpus; ++i) {
    int32_t score = 0;
    for (int f = 0; f < NFEATURES - 1; ++f) {
      samples[i].x[f] = (int32_t)random_below(&state, 6 << SHIFT) - (3 << SHIFT);
      score += (f % 2 != 0 ? -1 : 1) * samples[i].x[f];
    }
    samples[i].x[NFEATURES - 1] = 1 << SHIFT;
    samples[i].label = score + (int32_t)random_below(&state, 1 << SHIFT) > 0 ? 1 << SHIFT : 0;
  }
  struct {
    uint32_t nr_samples, padding;
  } input = {p.n, 0};
  DPU_ASSERT(dpu_copy_to(set, "DPU_INPUT_ARGUMENTS", 0, &input, sizeof(input)));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, samples + (size_t)d * p.n));
  }
  DPU_ASSERT(
      dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, p.n * sizeof(*samples), DPU_XFER_DEFAULT));

  int32_t w[NFEATURES] = {0}, host_w[NFEATURES] = {0};
  int64_t part[NFEATURES];
  for (int step = 0; step < 4; ++step) {
    int64_t gradient[NFEATURES] = {0}, wanted[NFEATURES] = {0};
    DPU_ASSERT(dpu_broadcast_to(set, "weights", 0, w, sizeof(w), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu) {
      DPU_ASSERT(dpu_copy_from(dpu, "gradient", 0, part, sizeof(part)));
      for (int f = 0; f < NFEATURES; ++f) gradient[f] += part[f];
    }
    for (uint32_t i = 0; i < p.n * dpus; ++i) add_gradient(&samples[i], host_w, wanted);
    for (int f = 0; f < NFEATURES; ++f) {
      expect_equal("gradient", (size_t)(step * NFEATURES + f), gradient[f], wanted[f]);
      w[f] -= (int32_t)(gradient[f] * 2 / (int64_t)(p.n * dpus));
      host_w[f] -= (int32_t)(wanted[f] * 2 / (int64_t)(p.n * dpus));
    }
  }
  uint32_t right = 0;
  for (uint32_t i = 0; i < p.n * dpus; ++i) {
    int64_t dot = 0;
    for (int f = 0; f < NFEATURES; ++f) dot += (int64_t)samples[i].x[f] * w[f];
    right += (dot > 0) == (samples[i].label != 0);
  }
  printf("%u of %u samples classified as labelled\n", right, p.n * dpus);
  expect_equal("most samples are classified as labelled", 0, right * 10 > p.n * dpus * 8, 1);
  DPU_ASSERT(dpu_free(set));
  free(samples);
  return verdict("logreg");
}
