// Samples of rounds: every round has one that stands for it, and the margin covers what the others do.
#include "pimento/evaluate/round_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "pimento/base/rng.h"

namespace pimento::evaluate {
namespace {

struct Outcome {
  std::int64_t timed = 0, stoodFor = 0, sum = 0, whole = 0, margin = 0;
};

Outcome sampled(std::int64_t rounds, const std::function<std::int64_t(std::int64_t)> &cyclesOf) {
  Outcome out;
  RoundSample sample(rounds);
  for (std::int64_t r = 0; r < rounds; ++r) {
    const std::int64_t cycles = cyclesOf(r), times = sample.next();
    out.whole += cycles;
    if (times == 0) continue;
    ++out.timed;
    out.stoodFor += times;
    out.sum += times * cycles;
    sample.add(Cycles(cycles));
  }
  out.margin = sample.margin(0.99).value;
  return out;
}

TEST(RoundSample, FewRoundsAreTimedAll) {
  for (const std::int64_t rounds : {1, 2, 10, 12}) {
    const Outcome found = sampled(rounds, [](std::int64_t r) { return 1000 + r * r; });
    EXPECT_EQ(found.timed, rounds);
    EXPECT_EQ(found.sum, found.whole);
    EXPECT_EQ(found.margin, 0);
  }
}

TEST(RoundSample, EveryRoundHasOneThatStandsForIt) {
  for (std::int64_t rounds = 13; rounds < 200; ++rounds) {
    const Outcome found = sampled(rounds, [](std::int64_t) { return 7; });
    EXPECT_EQ(found.timed, RoundSample::kStretches);
    EXPECT_EQ(found.stoodFor, rounds);
    EXPECT_EQ(found.sum, found.whole);
    EXPECT_EQ(found.margin, 0);
  }
}

TEST(RoundSample, WhatVariesAtRandomStaysWithinTheMargin) {
  int inside = 0;
  double widest = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    const Outcome found = sampled(1000, [&](std::int64_t) { return rng.integer(90000, 110000); });
    inside += std::abs(found.sum - found.whole) <= found.margin ? 1 : 0;
    widest = std::max(widest, static_cast<double>(found.margin) / static_cast<double>(found.whole));
  }
  EXPECT_GE(inside, 392);
  EXPECT_LE(widest, 0.15);
}

TEST(RoundSample, WhatSettlesOrDriftsStaysWithinTheMargin) {
  for (const double rate : {0.3, 0.05, 0.005, 0.001, -0.001}) {
    const Outcome found = sampled(
        1000, [&](std::int64_t r) { return std::lround(1e6 + 3e5 * std::exp(-rate * static_cast<double>(r))); });
    EXPECT_LE(std::abs(found.sum - found.whole), found.margin) << rate;
    EXPECT_LE(static_cast<double>(found.margin), 0.2 * static_cast<double>(found.whole)) << rate;
  }
}

}  // namespace
}  // namespace pimento::evaluate
