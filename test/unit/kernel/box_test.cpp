#include "pimento/kernel/box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pimento/base/rng.h"

namespace pimento::kernel {
namespace {

Kernel nest(std::vector<std::int64_t> extents, std::vector<Affine> guards = {}) {
  Kernel kernel;
  for (std::size_t d = 0; d < extents.size(); ++d) kernel.dims.push_back({std::to_string(d), extents[d]});
  kernel.guards = std::move(guards);
  return kernel;
}

TEST(Box, WithoutGuardsItIsTheIterationSpace) {
  const Box box(nest({4, 6}));
  const auto range = box.range({{2, -1}, 3});
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, -2);
  EXPECT_EQ(range->high, 9);
  EXPECT_FALSE(box.isNeverNegative({{2, -1}, 3}));
  EXPECT_TRUE(box.isNeverNegative({{2, -1}, 5}));
}

TEST(Box, GuardsTightenIt) {
  const Box box(nest({10, 10}, {{{1, 0}, -3}, {{0, -2}, 9}}));  // d0 >= 3, d1 <= 4
  EXPECT_EQ(box.dims()[0].low, 3);
  EXPECT_EQ(box.dims()[1].high, 4);
}

TEST(Box, AGuardProvesWhatFollowsFromIt) {
  const Box box(nest({8, 3}, {{{1, 1}, -1}}));  // d0 + d1 - 1 >= 0
  EXPECT_TRUE(box.isNeverNegative({{1, 1}, -1}));
  EXPECT_TRUE(box.isNeverNegative({{2, 1}, -1}));
  EXPECT_FALSE(box.isNeverNegative({{1, 1}, -2}));
}

TEST(Box, GuardsProjectToWhatSomePointMeets) {
  const std::vector<bool> first = {true, false};
  // j < i: i >= 1. Both ends: i >= 3 since j >= 2, i <= 5 for j's sake.
  EXPECT_EQ(projectedGuards(nest({8, 7}, {{{1, -1}, -1}}), first), (std::vector<Affine>{{{1, 0}, -1}}));
  const std::vector<Affine> guards = {{{1, -1}, -1}, {{0, 1}, -2}, {{-1, -1}, 7}};
  const auto found = projectedGuards(nest({8, 7}, guards), first);
  for (std::int64_t i = 0; i < 8; ++i) {
    bool isMet = true;
    for (const Affine &g : found) isMet = isMet && g.coefficients[0] * i + g.constant >= 0;
    EXPECT_EQ(isMet, i >= 3 && i <= 5) << i;
  }
  EXPECT_TRUE(projectedGuards(nest({8, 7}, {{{1, 1}, 0}}), first).empty()) << "always met";
  const auto never = projectedGuards(nest({8, 7}, {{{-1, -1}, -1}}), first);
  ASSERT_EQ(never.size(), 1U);
  EXPECT_EQ(never[0].constant, -1);
}

TEST(Box, SumsOfGuardsProveWhatNoneProvesAlone) {
  // i >= j + 1, j >= k + 1: i - k - 2 >= 0.
  const Box box(nest({9, 9, 9}, {{{1, -1, 0}, -1}, {{0, 1, -1}, -1}}));
  EXPECT_TRUE(box.isNeverNegative({{1, 0, -1}, -2}));
  EXPECT_FALSE(box.isNeverNegative({{1, 0, -1}, -3}));
  // Without j, the same is said of i and k.
  const auto found = projectedGuards(nest({9, 9, 9}, {{{1, -1, 0}, -1}, {{0, 1, -1}, -1}}), {true, false, true});
  EXPECT_NE(std::find(found.begin(), found.end(), Affine{{1, 0, -1}, -2}), found.end());
}

/// What is proved of all points holds wherever the conditions on the dims of the form alone do.
TEST(Box, ProjectedGuardsKeepWhatWasProvedInBounds) {
  Rng rng(3);
  const auto next = [&rng](int low, int high) {
    return low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  int proved = 0;
  for (int n = 0; n < 6000; ++n) {
    const auto affine = [&] { return Affine{{next(-2, 2), next(-2, 2), next(-2, 2)}, next(-5, 5)}; };
    const Kernel kernel = nest({next(1, 5), next(1, 5), next(1, 5)}, {affine(), affine(), affine()});
    std::vector<bool> isKept = {next(0, 1) == 0, next(0, 1) == 0, next(0, 1) == 0};
    Affine claim = affine();
    for (std::size_t d = 0; d < 3; ++d)
      if (!isKept[d]) claim.coefficients[d] = 0;
    if (!Box(kernel).isNeverNegative(claim)) continue;
    ++proved;
    const std::vector<Affine> conditions = projectedGuards(kernel, isKept);
    for (std::int64_t i = 0; i < kernel.dims[0].extent; ++i)
      for (std::int64_t j = 0; j < kernel.dims[1].extent; ++j)
        for (std::int64_t k = 0; k < kernel.dims[2].extent; ++k) {
          const auto at = [&](const Affine &a) {
            return a.coefficients[0] * i + a.coefficients[1] * j + a.coefficients[2] * k + a.constant;
          };
          const auto holds = [&](const Affine &a) { return at(a) >= 0; };
          const bool mayRun = std::ranges::all_of(conditions, holds), runs = std::ranges::all_of(kernel.guards, holds);
          EXPECT_TRUE(!mayRun || holds(claim)) << n;
          EXPECT_TRUE(!runs || mayRun) << n;
        }
  }
  EXPECT_GT(proved, 1000);
}

TEST(Box, ContradictingGuardsMakeItEmpty) {
  EXPECT_TRUE(Box(nest({10}, {{{1}, -20}})).isEmpty());
  EXPECT_TRUE(Box(nest({10}, {{{1}, -6}, {{-1}, 3}})).isEmpty());
  EXPECT_FALSE(Box(nest({10}, {{{1}, -6}, {{-1}, 6}})).isEmpty());
}

TEST(Box, ARangeThatLeaves64BitsIsNone) {
  const Box box(nest({std::int64_t{1} << 40}));
  EXPECT_FALSE(box.range({{std::int64_t{1} << 40}, 0}));
  EXPECT_FALSE(box.isNeverNegative({{std::int64_t{1} << 40}, 0}));
}

/// Against all points of small random nests: never wrong, whatever it proves.
TEST(Box, NothingItProvesIsFalse) {
  int proved = 0;
  std::uint64_t state = 1;
  auto next = [&state](int low, int high) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return low + static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int n = 0; n < 3000; ++n) {
    auto affine = [&] { return Affine{{next(-3, 3), next(-3, 3)}, next(-6, 6)}; };
    const Kernel kernel = nest({next(1, 6), next(1, 6)}, {affine(), affine()});
    const Box box(kernel);
    const Affine claim = affine();
    const bool isProved = box.isNeverNegative(claim);
    proved += isProved ? 1 : 0;
    for (std::int64_t i = 0; i < kernel.dims[0].extent; ++i) {
      for (std::int64_t j = 0; j < kernel.dims[1].extent; ++j) {
        auto at = [i, j](const Affine &a) { return a.coefficients[0] * i + a.coefficients[1] * j + a.constant; };
        if (at(kernel.guards[0]) < 0 || at(kernel.guards[1]) < 0) continue;
        EXPECT_FALSE(box.isEmpty());
        EXPECT_GE(i, box.dims()[0].low);
        EXPECT_LE(j, box.dims()[1].high);
        EXPECT_TRUE(!isProved || at(claim) >= 0);
      }
    }
  }
  EXPECT_GT(proved, 300);
}

}  // namespace
}  // namespace pimento::kernel
