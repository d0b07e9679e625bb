#include "pimento/base/rng.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace pimento {
namespace {

TEST(Rng, SplitMix64GivesItsPublishedSequence) {
  std::uint64_t state = 1234567;  // test vector of the reference implementation
  EXPECT_EQ(splitMix64(state), 6457827717110365317u);
  EXPECT_EQ(splitMix64(state), 3203168211198807973u);
  EXPECT_EQ(splitMix64(state), 9817491932198370423u);
}

TEST(Rng, OneSeedGivesOneSequence) {
  Rng a(5), b(5), c(6);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Rng, IntegersCoverTheirRangeEndsIncluded) {
  Rng rng(1);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t x = rng.integer(-2, 2);
    EXPECT_GE(x, -2);
    EXPECT_LE(x, 2);
    seen.insert(x);
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(rng.integer(9, 9), 9);
  const auto anything = rng.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
  EXPECT_NE(anything, rng.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
}

TEST(Rng, RealsStayInTheirIntervalAndAverageItsMiddle) {
  Rng rng(2);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = rng.real(-1, 3);
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 3);
    sum += x;
  }
  EXPECT_NEAR(sum / 100000, 1.0, 0.02);
}

TEST(Rng, TextHashesDifferByNameAndSeed) {
  EXPECT_NE(hashText("A", 1), hashText("B", 1));
  EXPECT_NE(hashText("A", 1), hashText("A", 2));
}

}  // namespace
}  // namespace pimento
