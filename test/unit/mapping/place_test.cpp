#include <gtest/gtest.h>

#include <set>

#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

using kernel::DimKind;
using Point = std::vector<std::int64_t>;

// CoMoNM, Fig. 8b.
const std::string kFigure8b =
    "M2:{(4,1),(8,8),(1,4),(16,20)},M3:{(1,4),(2,4),(8,1),(12,32)},"
    "M1:{(4,4),(5,5),(1,1),(16,16)},M4:{(1,1),(5,16),(16,1),(4,12)}";

TEST(Place, TheFourSubspacesOfThePublishedFigureTileTheSpace) {
  machine::Machine machine = upmem();
  machine.levels[1].count = 80;  // M4 of the figure names 5 x 16 DPUs of one rank
  const PlacedMapping p = placed(parsed(kFigure8b), gemv(512, 1152).kernels[0], machine);
  ASSERT_EQ(p.boxes.size(), 4u);
  EXPECT_EQ(p.boxes[0].lower, (Point{0, 0}));
  EXPECT_EQ(p.boxes[0].size, (Point{512, 640}));
  EXPECT_EQ(p.boxes[1].lower, (Point{0, 640}));
  EXPECT_EQ(p.boxes[1].size, (Point{192, 512}));
  EXPECT_EQ(p.boxes[2].lower, (Point{192, 640}));
  EXPECT_EQ(p.boxes[2].size, (Point{320, 320}));
  EXPECT_EQ(p.boxes[3].lower, (Point{192, 960}));
  EXPECT_EQ(p.boxes[3].size, (Point{320, 192}));
  EXPECT_EQ(p.executionOrder, (std::vector<int>{2, 0, 1, 3}));
}

TEST(Place, AllocationRunsAlongTheFirstDimFirst) {
  const kernel::Kernel k = nest({{"a", 4, DimKind::kParallel}, {"b", 4, DimKind::kParallel}});
  const PlacedMapping p = placed(parsed("M1:{(1,1),(2,2)},M2:{(1,1),(2,2)},M3:{(1,1),(4,2)}"), k, flat());
  EXPECT_EQ(p.boxes[1].lower, (Point{2, 0}));
  EXPECT_EQ(p.boxes[2].lower, (Point{0, 2}));
}

TEST(Place, PaddingLiesOutsideTheUpperEdge) {
  const PlacedMapping p = placed(parsed("M1:{(64,1),(8,1),(1,16),(8,256)}"), gemv(100, 200).kernels[0], hbmPim());
  EXPECT_EQ(p.boxes[0].lower, (Point{0, 0}));
  EXPECT_EQ(p.boxes[0].size, (Point{100, 200}));
}

TEST(Place, ATruncatedTailStaysUncovered) {
  const kernel::Kernel k = nest({{"n", 100, DimKind::kParallel}});
  const PlacedMapping p = placed(parsed("M1:{(8),(12)};tail=truncate"), k, flat());
  EXPECT_EQ(p.boxes[0].size, (Point{96}));
}

TEST(Place, ASequentialDimMayStayInTheRange) {
  const kernel::Kernel k = nest({{"t", 9, DimKind::kSequential}, {"i", 16, DimKind::kParallel}});
  EXPECT_TRUE(place(parsed("M1:{(1,8),(9,2)}"), k, flat()));
}

TEST(Place, RandomCutsOfASpaceAreCoveredPointByPoint) {
  Random random(2);
  const kernel::Kernel k =
      nest({{"a", 6, DimKind::kParallel}, {"b", 7, DimKind::kParallel}, {"c", 5, DimKind::kParallel}});
  int legal = 0;
  for (int i = 0; i < 3000; ++i) {
    Mapping mapping;
    // Rows of whole slabs, cut at random: most tile the space, some overlap or leave gaps.
    const std::int64_t parts = pick(random, 6);
    for (std::int64_t s = 0; s < parts; ++s) {
      Subspace subspace;
      subspace.index = static_cast<int>(s) + 1;
      subspace.factors = {{1, 1, 1}, {random() % 2 ? 3 : 6, random() % 3 ? 7 : pick(random, 7), pick(random, 5)}};
      mapping.subspaces.push_back(subspace);
    }
    const Result<PlacedMapping> p = place(mapping, k, flat());
    if (!p) continue;
    ++legal;
    std::set<Point> seen;
    for (const Box &box : p->boxes) {
      for (std::int64_t a = 0; a < box.size[0]; ++a) {
        for (std::int64_t b = 0; b < box.size[1]; ++b) {
          for (std::int64_t c = 0; c < box.size[2]; ++c) {
            EXPECT_TRUE(seen.insert({box.lower[0] + a, box.lower[1] + b, box.lower[2] + c}).second);
          }
        }
      }
    }
    EXPECT_EQ(seen.size(), 6u * 7u * 5u) << print(mapping);
    EXPECT_EQ(*seen.rbegin(), (Point{5, 6, 4}));
  }
  EXPECT_GT(legal, 30);
}

}  // namespace
}  // namespace pimento::mapping::test
