#include "pimento/mapping/dependence.h"

#include <gtest/gtest.h>

#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

TEST(Dependence, SplittingParallelDimsMergesNothing) {
  const kernel::Graph graph = gemv(512, 1152);
  const PlacedMapping p = placed(parsed("M1:{(4,1),(8,1),(16,1),(1,1152)}"), graph.kernels[0], upmem());
  EXPECT_TRUE(merges(p, graph.kernels[0], upmem()).empty());
}

TEST(Dependence, EachLevelThatSplitsTheReductionMergesItsPartialResults) {
  const kernel::Graph graph = gemv(512, 1152);
  const PlacedMapping p = placed(parsed("M1:{(2,9),(64,1),(2,4),(2,32)}"), graph.kernels[0], upmem());
  const std::vector<Merge> list = merges(p, graph.kernels[0], upmem());
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].level, "tasklet");  // innermost first
  EXPECT_EQ(list[0].by, "dpu");
  EXPECT_EQ(list[0].dims, std::vector<int>{1});
  EXPECT_EQ(list[0].partials, 4);
  EXPECT_EQ(list[0].results, 512 * 9);
  EXPECT_EQ(list[0].operations(), 512 * 9 * 3);
  EXPECT_EQ(list[1].level, "rank");
  EXPECT_EQ(list[1].by, "host");
  EXPECT_EQ(list[1].partials, 9);
  EXPECT_EQ(list[1].results, 512);
}

TEST(Dependence, PaddedOutputsAreNotCounted) {
  const kernel::Graph graph = gemv(100, 200);
  const PlacedMapping p = placed(parsed("M1:{(64,1),(8,1),(1,16),(8,16)};cyclic(lane,1)"), graph.kernels[0], hbmPim());
  const std::vector<Merge> list = merges(p, graph.kernels[0], hbmPim());
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].level, "lane");
  EXPECT_EQ(list[0].partials, 16);
  EXPECT_EQ(list[0].results, 100);
}

TEST(Dependence, SubspacesOfThePublishedFigureShareOutputs) {
  machine::Machine machine = upmem();
  machine.levels[1].count = 80;
  const kernel::Graph graph = gemv(512, 1152);
  const PlacedMapping p = placed(parsed("M2:{(4,1),(8,8),(1,4),(16,20)},M3:{(1,4),(2,4),(8,1),(12,32)},"
                                        "M1:{(4,4),(5,5),(1,1),(16,16)},M4:{(1,1),(5,16),(16,1),(4,12)}"),
                                 graph.kernels[0], machine);
  const std::vector<Merge> list = merges(p, graph.kernels[0], machine);
  ASSERT_EQ(list.size(), 9u);  // M1: dpu, rank; M2: tasklet, dpu; M3: dpu, rank; M4: dpu; twice between subspaces
  EXPECT_EQ(list[0].subspace, 2);
  EXPECT_EQ(list[0].level, "dpu");
  EXPECT_EQ(list[0].partials, 5);
  EXPECT_EQ(list[0].results, 320 * 4);
  const Merge &two = list[7], &three = list[8];
  EXPECT_EQ(two.subspace, -1);
  EXPECT_EQ(two.level, "subspaces");
  EXPECT_EQ(two.partials, 2);
  EXPECT_EQ(two.results, 192);
  EXPECT_EQ(two.dims, std::vector<int>{1});
  EXPECT_EQ(three.partials, 3);
  EXPECT_EQ(three.results, 320);
}

}  // namespace
}  // namespace pimento::mapping::test
