#include "pimento/mapping/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

Mapping parsed(const char *text) {
  return parseMapSpec(text)->mapping;
}

bool has(const std::vector<Mapping> &all, const std::string &text) {
  return std::ranges::any_of(all, [&](const Mapping &m) { return print(m) == text; });
}

TEST(Neighbours, AFactorGoesToAnotherDimOrLevelOrIntoTheRange) {
  const kernel::Graph graph = gemv(1024, 1024);
  const machine::Machine machine = hbmPim();
  const auto all = neighbours(parsed("M1:{(32,1),(8,1),(1,16),(4,64)}"), graph.kernels[0], machine.levels);
  EXPECT_TRUE(has(all, "M1:{(16,1),(8,1),(1,16),(8,64)}"));  // dropped
  EXPECT_TRUE(has(all, "M1:{(64,1),(8,1),(1,16),(2,64)}"));  // split once more
  EXPECT_TRUE(has(all, "M1:{(32,1),(8,1),(2,8),(2,128)}"));  // of lanes, to another dim
  EXPECT_TRUE(has(all, "M1:{(64,1),(4,1),(1,16),(4,64)}"));  // to another level
}

TEST(Neighbours, CoverTheKernelStayWithinTheLevelsAndLeaveNobodyWithoutWork) {
  const kernel::Graph graph = gemv(1000, 300);
  const machine::Machine machine = hbmPim();
  const Mapping from = parsed("M1:{(64,1),(8,1),(1,16),(2,19)};resident=1");
  const auto all = neighbours(from, graph.kernels[0], machine.levels);
  ASSERT_GT(all.size(), 5u);
  for (const Mapping &m : all) {
    const Subspace &s = m.subspaces[0];
    EXPECT_NE(print(m), print(from));
    EXPECT_EQ(m.parameters, from.parameters);
    for (int d = 0; d < 2; ++d)
      EXPECT_GE(s.extent(d), graph.kernels[0].dims[static_cast<std::size_t>(d)].extent) << print(m);
    for (std::size_t l = 0; l < machine.levels.size(); ++l)
      EXPECT_LE(s.factors[l][0] * s.factors[l][1], machine.levels[l].count) << print(m);
    Subspace less = s;
    dropIdleInstances(less, graph.kernels[0], machine.levels);
    EXPECT_EQ(less.factors, s.factors) << print(m);
  }
}

TEST(Fitted, HasTheRangesOfTheOtherExtents) {
  const kernel::Graph graph = gemv(300, 100);
  const machine::Machine machine = upmem();
  const auto m = fitted(parsed("M1:{(4,1),(8,1),(4,1),(8,1000)};buffer=64"), graph.kernels[0], machine.levels);
  ASSERT_TRUE(m);
  // An even range stays even; then three tasklets and seven DPUs have all rows.
  EXPECT_EQ(m->text, "M1:{(4,1),(7,1),(3,1),(4,100)};buffer=64");
  EXPECT_TRUE(place(*m, graph.kernels[0], machine));
}

TEST(Fitted, OfFewPointsUsesFewInstances) {
  const kernel::Graph graph = gemv(3, 16);
  const machine::Machine machine = hbmPim();
  const auto m = fitted(parsed("M1:{(64,1),(8,1),(1,16),(1,8)}"), graph.kernels[0], machine.levels);
  ASSERT_TRUE(m);
  EXPECT_TRUE(place(*m, graph.kernels[0], machine)) << m->text;
}

}  // namespace
}  // namespace pimento::mapping::test
