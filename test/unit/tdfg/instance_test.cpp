#include <gtest/gtest.h>

#include "pimento/tdfg/fat_binary.h"
#include "test/unit/tdfg/smooth.h"

namespace pimento::tdfg {
namespace {

TEST(TdfgInstance, GivesNumbersForNames) {
  const Program p = smooth();
  ASSERT_TRUE(verify(p).ok());
  const auto values = bindSizes(p, {{"n", 10}});
  ASSERT_TRUE(values.ok());
  const auto instance = bindRegion(p, 0, *values);
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ(instance->bounding, (std::vector<std::int64_t>{10}));
  EXPECT_EQ(instance->nodes[0].box, (BoundBox{{0, 8, 1}}));
  EXPECT_EQ(instance->nodes[1].box, (BoundBox{{1, 9, 1}}));
  EXPECT_EQ(instance->nodes[1].distance, 1);
  EXPECT_EQ(instance->nodes[3].box, (BoundBox{{1, 9, 1}}));
}

TEST(TdfgInstance, RefusesAnOutputOfCellsWithoutValues) {
  Program p = smooth();
  p.regions[0].outputs[0].box = line({}, plus(nameForm(0), constantForm(-1)));
  const auto instance = bindRegion(p, 0, *bindSizes(p, {{"n", 10}}));
  ASSERT_FALSE(instance.ok());
  EXPECT_EQ(instance.diagnostics()[0].code, "tdfg-undefined");
}

TEST(TdfgInstance, DropsWhatLeavesTheBoundingBox) {
  Program p = smooth();
  p.regions[0].nodes[1].distance = constantForm(5);
  p.regions[0].outputs[0].box = line(constantForm(5), plus(nameForm(0), constantForm(-1)));
  const auto instance = bindRegion(p, 0, *bindSizes(p, {{"n", 10}}));
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ(instance->nodes[1].box, (BoundBox{{5, 10, 1}}));
}

TEST(TdfgInstance, RefusesBoxesOutsideTheirArray) {
  Program p = smooth();
  p.regions[0].nodes[0].box = line({}, plus(nameForm(0), constantForm(1)));
  const auto instance = bindRegion(p, 0, *bindSizes(p, {{"n", 10}}));
  ASSERT_FALSE(instance.ok());
  EXPECT_EQ(instance.diagnostics()[0].code, "tdfg-outside");
}

TEST(TdfgInstance, NamesSizesThatAreMissingUnknownOrOutOfRange) {
  const Program p = smooth();
  EXPECT_EQ(bindSizes(p, {}).diagnostics()[0].code, "missing-size");
  EXPECT_EQ(bindSizes(p, {{"n", 4}, {"m", 4}}).diagnostics()[0].code, "unknown-size");
  EXPECT_EQ(bindSizes(p, {{"n", 0}}).diagnostics()[0].code, "size-range");
}

TEST(TdfgForm, StridedRangesMeetWhereBothHaveElements) {
  EXPECT_EQ(intersect(BoundBox{{1, 20, 2}}, BoundBox{{0, 20, 3}}), (BoundBox{{3, 16, 6}}));
  EXPECT_EQ(intersect(BoundBox{{1, 20, 2}}, BoundBox{{5, 11, 1}}), (BoundBox{{5, 10, 2}}));
  EXPECT_TRUE(isEmpty(intersect(BoundBox{{1, 20, 2}}, BoundBox{{0, 20, 2}})));
  for (std::int64_t low = 0; low < 7; ++low)
    for (std::int64_t s = 1; s < 5; ++s)
      for (std::int64_t t = 1; t < 5; ++t) {
        const BoundRange a{low, 30, s}, b{3, 29, t};
        const BoundRange both = intersect(BoundBox{a}, BoundBox{b})[0];
        for (std::int64_t x = 0; x < 30; ++x) EXPECT_EQ(both.contains(x), a.contains(x) && b.contains(x));
      }
}

}  // namespace
}  // namespace pimento::tdfg
