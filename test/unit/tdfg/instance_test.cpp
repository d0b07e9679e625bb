#include <gtest/gtest.h>

#include "pimento/tdfg/fat_binary.h"
#include "pimento/tdfg/text.h"
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

TEST(TdfgInstance, RefusesAnIndexFromCellsWithoutValues) {
  const auto read = readProgram(
      "tdfg t\nsize n\narray x i32 [n] input\narray a f32 [n] input\narray y f32 [n] output\nregion r lattice 1\n"
      "domain [0:n]\n%0 = tensor x [1:n]\n%1 = strm f32 load a [%0] over [0:n]\nout y = %1 over [0:n]\nend\n",
      "t.tdfg");
  ASSERT_TRUE(read.ok());
  const auto instance = bindRegion(read->program, 0, *bindSizes(read->program, {{"n", 10}}));
  ASSERT_FALSE(instance.ok());
  EXPECT_EQ(instance.diagnostics()[0].code, "tdfg-undefined");
}

TEST(TdfgInstance, NamesSizesThatAreMissingUnknownOrOutOfRange) {
  const Program p = smooth();
  EXPECT_EQ(bindSizes(p, {}).diagnostics()[0].code, "missing-size");
  EXPECT_EQ(bindSizes(p, {{"n", 4}, {"m", 4}}).diagnostics()[0].code, "unknown-size");
  EXPECT_EQ(bindSizes(p, {{"n", 0}}).diagnostics()[0].code, "size-range");
}

TEST(TdfgText, NamesThatAreWordsOfTheLanguageAreReadBack) {
  for (const char *name : {"v0", "min", "max", "two words"}) {
    Program p = smooth();
    p.names[0].name = name;
    const auto read = readProgram(print(p), "t.tdfg");
    ASSERT_TRUE(read.ok()) << read.diagnostics()[0].str();
    EXPECT_EQ(print(read->program), print(p));
  }
  // A size `v0` and a value `v0`.
  const auto read = readProgram(
      "tdfg t\nsize \"v0\"\narray x i32 [\"v0\"] input\narray a f32 [\"v0\"] input\narray y f32 [\"v0\"] output\n"
      "region r lattice 0\nstreams indirect s\ndim i parallel \"v0\"\nload x [$i]\nload a [v0]\nload a [\"v0\" - 1]\n"
      "v0 = load i32 0\nv1 = load f32 1\nstore y [$i] = v1\nend\nend\n",
      "t.tdfg");
  ASSERT_TRUE(read.ok()) << read.diagnostics()[0].str();
  const auto again = readProgram(print(read->program), "t.tdfg");
  ASSERT_TRUE(again.ok()) << again.diagnostics()[0].str();
  for (const Program *p : {&read->program, &again->program}) {
    EXPECT_EQ(p->regions[0].streams.loads[1].indirectIndex, 0);
    EXPECT_EQ(p->regions[0].streams.loads[2].index[0].form, plus(nameForm(0), constantForm(-1)));
  }
}

TEST(TdfgText, HintsAreByArrayEvenWhereAllAreEmpty) {
  const auto read = readProgram(print(smooth()), "t.tdfg");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->program.regions[0].hints, std::vector<Hints>(2));
}

TEST(TdfgForm, StridedRangesMeetWhereBothHaveElements) {
  EXPECT_EQ(intersect(BoundBox{{1, 20, 2}}, BoundBox{{0, 20, 3}}), (BoundBox{{3, 16, 6}}));
  EXPECT_EQ(intersect(BoundBox{{1, 20, 2}}, BoundBox{{5, 11, 1}}), (BoundBox{{5, 10, 2}}));
  EXPECT_TRUE(isEmpty(intersect(BoundBox{{1, 20, 2}}, BoundBox{{0, 20, 2}})));
  constexpr std::int64_t kFar = std::int64_t{1} << 32;
  EXPECT_EQ(intersect(BoundBox{{0, 1, kFar}}, BoundBox{{0, 1, kFar - 1}})[0].count(), 1);
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
