#include <gtest/gtest.h>

#include <set>

#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

using kernel::DimKind;

std::vector<std::string> listed(MappingSpace &space) {
  std::vector<std::string> texts;
  while (const std::optional<Mapping> mapping = space.next()) texts.push_back(mapping->text);
  return texts;
}

TEST(MappingSpace, ItListsEverySplitOfASmallKernel) {
  machine::Machine machine = flat();
  machine.levels[0].count = 4;
  const kernel::Kernel k = nest({{"i", 6, DimKind::kParallel}, {"j", 3, DimKind::kReduction}});
  MappingSpace space(k, machine);
  // 4 parts of 2 would leave the fourth without work.
  EXPECT_EQ(listed(space), (std::vector<std::string>{"M1:{(1,1),(6,3)}", "M1:{(2,1),(3,3)}", "M1:{(3,1),(2,3)}"}));
  EXPECT_FALSE(space.next());
  space.reset();
  EXPECT_EQ(listed(space).size(), 3u);
}

TEST(MappingSpace, ReductionsAreSplitWhereTheLevelMerges) {
  machine::Machine machine = flat(true);
  machine.levels[0].count = 2;
  const kernel::Kernel k = nest({{"i", 2, DimKind::kParallel}, {"j", 2, DimKind::kReduction}});
  MappingSpace space(k, machine);
  EXPECT_EQ(listed(space), (std::vector<std::string>{"M1:{(1,1),(2,2)}", "M1:{(1,2),(2,1)}", "M1:{(2,1),(1,2)}"}));
}

TEST(MappingSpace, LockStepLevelsAreAlwaysFull) {
  const kernel::Graph graph = gemv(100, 50);
  const machine::Machine machine = hbmPim();
  MappingSpace space(graph.kernels[0], machine);
  const std::vector<std::string> texts = listed(space);
  // Channels and blocks cannot split the reduction; lanes split 16 = 1x16, 2x8, 4x4, 8x2, 16x1.
  EXPECT_EQ(texts.size(), 5u);
  EXPECT_EQ(texts.front(), "M1:{(64,1),(8,1),(1,16),(1,4)}");
  EXPECT_EQ(texts.back(), "M1:{(64,1),(8,1),(16,1),(1,50)}");
}

TEST(MappingSpace, CyclicVariantsRoundTheRangeUpToTheChunks) {
  const kernel::Graph graph = gemv(100, 50);
  const machine::Machine machine = hbmPim();
  MappingSpace space(graph.kernels[0], machine, {{"channel", {64}}, {"block", {8}}, {"lane", {1}}});
  const std::vector<std::string> texts = listed(space);
  const std::string reference = "M1:{(64,1),(8,1),(1,16),(8,4)};cyclic(block,8);cyclic(channel,64);cyclic(lane,1)";
  EXPECT_EQ(std::count(texts.begin(), texts.end(), reference), 0);  // a chunk of 8 is all a block holds: contiguous
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "M1:{(64,1),(8,1),(1,16),(1,4)};cyclic(lane,1)"), 1);

  const kernel::Graph large = gemv(8192, 64);
  MappingSpace wide(large.kernels[0], machine, {{"channel", {64}}, {"block", {8}}, {"lane", {1}}});
  const std::vector<std::string> more = listed(wide);
  EXPECT_EQ(std::count(more.begin(), more.end(),
                       "M1:{(64,1),(8,1),(1,16),(16,4)};cyclic(block,8);cyclic(channel,64);cyclic(lane,1)"),
            1);
}

TEST(MappingSpace, ALockStepLevelThatNothingCanFillLeavesNoMapping) {
  machine::Machine machine = flat();
  machine.levels[0].mustFill = true;
  const kernel::Kernel k = nest({{"j", 64, DimKind::kReduction}});
  MappingSpace space(k, machine);
  EXPECT_FALSE(space.next());
  EXPECT_FALSE(space.next());
}

/// Every factor tuple there is, kept if it has the stated properties by checking all points.
std::size_t countByBruteForce(const kernel::Kernel &k, const machine::Machine &machine) {
  std::size_t n = 0;
  const std::int64_t c0 = machine.levels[0].count, c1 = machine.levels[1].count;
  for (std::int64_t a = 1; a <= c0; ++a) {
    for (std::int64_t b = 1; b <= c0 / a; ++b) {
      for (std::int64_t c = 1; c <= c1; ++c) {
        for (std::int64_t d = 1; d <= c1 / c; ++d) {
          Mapping mapping;
          mapping.subspaces.resize(1);
          const std::int64_t m = k.dims[0].extent, e = k.dims[1].extent;
          mapping.subspaces[0].factors = {{a, b}, {c, d}, {(m + a * c - 1) / (a * c), (e + b * d - 1) / (b * d)}};
          std::set<std::vector<std::int64_t>> busy;
          for (std::int64_t i = 0; i < m; ++i) {
            for (std::int64_t j = 0; j < e; ++j) {
              auto unit = locate(mapping, mapping.subspaces[0], machine.levels, 0, i).instance;
              const auto other = locate(mapping, mapping.subspaces[0], machine.levels, 1, j).instance;
              unit.insert(unit.end(), other.begin(), other.end());
              busy.insert(unit);
            }
          }
          n += busy.size() == static_cast<std::size_t>(a * b * c * d) ? 1 : 0;
        }
      }
    }
  }
  return n;
}

TEST(MappingSpace, ItHoldsExactlyTheMappingsThatKeepEveryUnitBusy) {
  machine::Machine machine = flat();
  machine.levels = {{"outer", 6, true, "host", false}, {"inner", 5, true, "outer", false}};
  for (const std::int64_t m : {1, 5, 7, 12}) {
    for (const std::int64_t e : {1, 4, 9}) {
      const kernel::Kernel k = nest({{"i", m, DimKind::kParallel}, {"j", e, DimKind::kReduction}});
      MappingSpace space(k, machine);
      EXPECT_EQ(listed(space).size(), countByBruteForce(k, machine)) << m << "x" << e;
    }
  }
}

TEST(MappingSpace, NoCyclicVariantLeavesAUnitWithoutWork) {
  machine::Machine machine = flat();
  machine.levels = {{"outer", 4, true, "host", false}, {"inner", 5, true, "outer", false}};
  std::size_t cyclic = 0;
  for (std::int64_t extent = 1; extent <= 40; ++extent) {
    const kernel::Kernel k = nest({{"i", extent, DimKind::kParallel}});
    MappingSpace space(k, machine, {{"outer", {1, 2, 3}}, {"inner", {1, 2, 4}}});
    while (const std::optional<Mapping> mapping = space.next()) {
      std::set<std::vector<std::int64_t>> busy;
      const Subspace &subspace = mapping->subspaces[0];
      for (std::int64_t x = 0; x < extent; ++x) {
        busy.insert(locate(*mapping, subspace, machine.levels, 0, x).instance);
      }
      EXPECT_EQ(busy.size(), static_cast<std::size_t>(subspace.factors[0][0] * subspace.factors[1][0]))
          << mapping->text;
      cyclic += mapping->cyclic.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(cyclic, 500u);
}

TEST(MappingSpace, EveryMappingIsLegalAndComesOnce) {
  const kernel::Graph graph = gemv(512, 1152);
  machine::Machine machine = upmem();
  machine.levels[0].count = 6;
  machine.levels[1].count = 20;
  machine.levels[2].count = 11;
  MappingSpace space(graph.kernels[0], machine, {{"tasklet", {1, 8}}, {"rank", {16}}});
  std::set<std::string> seen;
  std::size_t n = 0;
  while (const std::optional<Mapping> mapping = space.next()) {
    EXPECT_TRUE(seen.insert(mapping->text).second) << mapping->text;
    if (++n % 7 != 0) continue;
    const Result<PlacedMapping> p = place(*mapping, graph.kernels[0], machine);
    ASSERT_TRUE(p) << mapping->text << "\n" << p.diagnostics().front().str();
    const Subspace &subspace = mapping->subspaces[0];
    EXPECT_LT(subspace.extent(0) - 512, subspace.range(0)) << mapping->text;
    EXPECT_LT(subspace.extent(1) - 1152, subspace.range(1)) << mapping->text;
  }
  EXPECT_GT(n, 20000u);
}

}  // namespace
}  // namespace pimento::mapping::test
