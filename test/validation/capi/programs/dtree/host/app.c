// Grows a decision tree: every leaf is split at the best of some random thresholds, by Gini's impurity, where it has
// points of several classes.
#include <dpu.h>
#include <float.h>
#include <stdbool.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

struct data {
  uint32_t dpus, n;  // points of a DPU
  float *x;          // [dpu][feature][MAX_POINTS]
  uint8_t *class, *leaf;
};

static answer_t ask_dpus(struct dpu_set_t set, command_t command) {
  answer_t total = {FLT_MAX, -FLT_MAX, {{0}, {0}}}, one;
  struct dpu_set_t dpu;
  DPU_ASSERT(dpu_broadcast_to(set, "command", 0, &command, sizeof(command), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu) {
    DPU_ASSERT(dpu_copy_from(dpu, "answer", 0, &one, sizeof(one)));
    if (one.least < total.least) total.least = one.least;
    if (one.most > total.most) total.most = one.most;
    for (int i = 0; i < 2 * NCLASSES; i++)
      total.count[i / NCLASSES][i % NCLASSES] += one.count[i / NCLASSES][i % NCLASSES];
  }
  return total;
}

static answer_t ask_host(struct data data, command_t command) {
  answer_t total = {FLT_MAX, -FLT_MAX, {{0}, {0}}};
  for (uint32_t d = 0; d < data.dpus; d++) {
    for (uint32_t i = 0; i < data.n; i++) {
      uint8_t *leaf = &data.leaf[d * MAX_POINTS + i];
      if (*leaf != command.leaf) continue;
      const float x = data.x[(d * NFEATURES + command.feature) * MAX_POINTS + i];
      const bool beyond = x > command.threshold;
      if (command.command == kMinMax && x < total.least) total.least = x;
      if (command.command == kMinMax && x > total.most) total.most = x;
      if (command.command == kEvaluate) total.count[beyond][data.class[d * MAX_POINTS + i]]++;
      if (command.command == kCommit && beyond) *leaf = (uint8_t)command.new_leaf;
    }
  }
  return total;
}

static answer_t ask(struct dpu_set_t set, struct data data, command_t command) {
  static size_t question;
  const answer_t got = ask_dpus(set, command), wanted = ask_host(data, command);
  expect_same("least", question, got.least, wanted.least);
  expect_same("most", question, got.most, wanted.most);
  for (int i = 0; i < 2 * NCLASSES; i++)
    expect_equal("count", question, got.count[i / NCLASSES][i % NCLASSES], wanted.count[i / NCLASSES][i % NCLASSES]);
  question++;
  return wanted;
}

static double impurity(const uint32_t *count) {
  double n = 0, squares = 0;
  for (int c = 0; c < NCLASSES; c++) n += count[c], squares += (double)count[c] * count[c];
  return n == 0 ? 0 : n - squares / n;
}

static uint32_t grow(struct dpu_set_t set, struct data data, uint32_t *state) {
  uint32_t leaves = 1;
  for (uint32_t leaf = 0; leaf < leaves && leaves < 6; leaf++) {
    double best = DBL_MAX;
    command_t split = {kCommit, leaf, 0, leaves, 0, data.n};
    for (uint32_t feature = 0; feature < NFEATURES; feature++) {
      command_t command = {kMinMax, leaf, feature, 0, 0, data.n};
      const answer_t range = ask(set, data, command);
      if (!(range.least < range.most)) continue;
      command.command = kEvaluate;
      command.threshold = range.least + (range.most - range.least) * (float)(random_below(state, 1000) + 1) / 1002;
      const answer_t sides = ask(set, data, command);
      const double left = impurity(sides.count[0]) + impurity(sides.count[1]);
      if (left >= best) continue;
      best = left;
      split.feature = feature;
      split.threshold = command.threshold;
    }
    if (best == DBL_MAX || best == 0) continue;
    ask(set, data, split);
    leaves++;
  }
  return leaves;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 131);
  struct dpu_set_t set, dpu;
  uint32_t d;
  struct data data = {0, p.n, NULL, NULL, NULL};
  if (p.n > MAX_POINTS) return fprintf(stderr, "at most %d points\n", MAX_POINTS), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &data.dpus));
  data.x = calloc((size_t)data.dpus * NFEATURES * MAX_POINTS, sizeof(float));
  data.class = calloc(data.dpus, MAX_POINTS);
  data.leaf = calloc(data.dpus, MAX_POINTS);
  uint32_t state = p.seed;
  for (d = 0; d < data.dpus; d++)
    for (uint32_t i = 0; i < MAX_POINTS; i++) {
      float sum = 0;
      for (uint32_t f = 0; f < NFEATURES; f++) {
        const float x = (float)(int32_t)random_word(&state) / (1u << (20 + f));
        data.x[(d * NFEATURES + f) * MAX_POINTS + i] = x;
        sum += x;
      }
      data.class[d * MAX_POINTS + i] = (uint8_t)(sum < -500 ? 0 : sum > 900 ? 2 : random_below(&state, 10) < 9);
    }
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, data.x + (size_t)d * NFEATURES * MAX_POINTS));
  DPU_ASSERT(
      dpu_push_xfer(set, DPU_XFER_TO_DPU, "features", 0, NFEATURES * MAX_POINTS * sizeof(float), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, data.class + (size_t)d * MAX_POINTS));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "classes", 0, MAX_POINTS, DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_broadcast_to(set, "leaves", 0, data.leaf, MAX_POINTS, DPU_XFER_DEFAULT));

  const uint32_t leaves = grow(set, data, &state);
  printf("%u leaves\n", leaves);
  expect_equal("the tree has several leaves", 0, leaves > 2, 1);
  uint8_t leaf[MAX_POINTS];
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_copy_from(dpu, "leaves", 0, leaf, sizeof(leaf)));
    for (uint32_t i = 0; i < p.n; i++) expect_equal("leaf", d * p.n + i, leaf[i], data.leaf[d * MAX_POINTS + i]);
  }
  DPU_ASSERT(dpu_free(set));
  free(data.x), free(data.class), free(data.leaf);
  return verdict("dtree");
}
