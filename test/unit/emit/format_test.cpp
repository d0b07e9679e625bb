#include "pimento/emit/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace pimento::emit {
namespace {

TEST(Format, DigitsAreGroupedByThree) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-999), "-999");
  EXPECT_EQ(grouped(-123456), "-123,456");
  EXPECT_EQ(grouped(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Format, ATimeHasTheUnitThatKeepsItShort) {
  EXPECT_EQ(timeText(0), "0 s");
  EXPECT_EQ(timeText(0.5), "500 ps");
  EXPECT_EQ(timeText(13166), "13.17 us");
  EXPECT_EQ(timeText(1e6), "1 ms");
  EXPECT_EQ(timeText(2.5e12), "2500 s");
}

TEST(Format, RoundingMovesToTheNextUnitInsteadOfAThousand) {
  EXPECT_EQ(timeText(999.94), "999.9 ns");
  EXPECT_EQ(timeText(999.96), "1 us");
}

TEST(Format, AnEnergyHasTheUnitThatKeepsItShort) {
  EXPECT_EQ(energyText(Picojoules(0)), "0 J");
  EXPECT_EQ(energyText(Picojoules(12.5)), "12.5 pJ");
  EXPECT_EQ(energyText(Picojoules(1.25e9)), "1.25 mJ");
}

TEST(Format, AShareOfNothingIsADash) {
  EXPECT_EQ(percentText(1, 3), "33.3 %");
  EXPECT_EQ(percentText(0, 0), "-");
}

TEST(Format, ExactnessIsSpelledAsInTheContract) {
  EXPECT_EQ(name(evaluate::Exactness::kSimulated), "simulated");
  EXPECT_EQ(name(evaluate::Exactness::kFastForwarded), "fast-forwarded");
  EXPECT_EQ(name(evaluate::Exactness::kSampled), "sampled");
  EXPECT_EQ(name(evaluate::Exactness::kExtrapolated), "extrapolated");
}

}  // namespace
}  // namespace pimento::emit
