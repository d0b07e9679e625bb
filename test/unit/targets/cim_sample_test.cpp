// Times of long kernels from pieces of their outermost loop.
#include <gtest/gtest.h>

#include <cmath>

#include "pimento/base/rng.h"
#include "pimento/targets/cim/sample.h"

namespace pimento::targets::cim {
namespace {

/// A loop whose iterations take about 1000 cycles each, more while caches fill.
double cycles(std::int64_t first, std::int64_t end, std::uint64_t seed) {
  double sum = 0;
  for (std::int64_t i = first; i < end; ++i) {
    Rng rng(hashText("iteration", seed) + static_cast<std::uint64_t>(i));
    sum += 900 + static_cast<double>(rng.integer(0, 200));
  }
  return sum + 5000 * (1 - std::pow(0.5, static_cast<double>(end - first)));
}

TEST(CimSample, ShortLoopsAndLoopsOfFewIterationsRunAsAWhole) {
  EXPECT_EQ(planOf(1000, 1'000'000).pieces, 0);
  EXPECT_EQ(planOf(8, 100'000'000).pieces, 0);
  EXPECT_GT(planOf(1024, std::int64_t{1} << 30).pieces, 1);
}

TEST(CimSample, IntervalsHoldTheWholeForNineteenOfTwentySeeds) {
  const std::int64_t outermost = 4096;
  const Sampled plan = planOf(outermost, outermost * 16384);
  ASSERT_GT(plan.pieces, 1);
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::int64_t ran = 0;
    const auto measure = [&](std::int64_t first, std::int64_t end) -> Result<Measured> {
      EXPECT_GE(first, 0);
      EXPECT_LE(end, outermost);
      ran += end - first;
      Measured m;
      m.cycles = cycles(first, end, seed);
      m.counts[kInstructions] = 10.0 * static_cast<double>(end - first);
      return m;
    };
    const Result<Estimate> e = estimate(plan, outermost, seed, measure);
    ASSERT_TRUE(e.ok());
    const double whole = cycles(0, outermost, seed);
    held += e->low <= whole && whole <= e->high ? 1 : 0;
    EXPECT_LT(e->high - e->low, 0.15 * whole);
    EXPECT_NEAR(e->mean.counts[kInstructions], 10.0 * static_cast<double>(outermost), 1);
    EXPECT_LT(ran, outermost / 2);
  }
  EXPECT_GE(held, 19);
}

TEST(CimSample, TheSeedDecides) {
  const Sampled plan = planOf(4096, std::int64_t{4096} * 16384);
  const auto measure = [](std::int64_t first, std::int64_t end) -> Result<Measured> {
    Measured m;
    m.cycles = cycles(first, end, 7);
    return m;
  };
  EXPECT_EQ(estimate(plan, 4096, 3, measure)->mean.cycles, estimate(plan, 4096, 3, measure)->mean.cycles);
  EXPECT_NE(estimate(plan, 4096, 3, measure)->mean.cycles, estimate(plan, 4096, 4, measure)->mean.cycles);
}

}  // namespace
}  // namespace pimento::targets::cim
