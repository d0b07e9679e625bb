#include "pimento/emit/html/axis.h"

#include <gtest/gtest.h>

namespace pimento::emit::html {
namespace {

std::vector<std::string> labels(const Axis &axis) {
  std::vector<std::string> out;
  for (const Tick &t : axis.ticks()) out.push_back(t.label);
  return out;
}

using Labels = std::vector<std::string>;

TEST(Axis, FromZeroHasRoundTicksAndNamesItsUnit) {
  const Axis a = Axis::fromZero("time", Quantity::kTime, 41'234, 5);
  EXPECT_EQ(a.title(), "time (µs)");
  EXPECT_EQ(labels(a), (Labels{"0", "10", "20", "30", "40"}));
  EXPECT_EQ(a.place(0), 0);
  EXPECT_LE(a.place(41'234), 1);
  EXPECT_GT(a.place(41'234), 0.8);
}

TEST(Axis, IsLogarithmicWhereValuesSpanAFactorOfTwenty) {
  const Axis near = Axis::around("energy", Quantity::kEnergy, {1e3, 19e3}, 5);
  EXPECT_FALSE(near.isLog());
  const Axis far = Axis::around("energy", Quantity::kEnergy, {1e3, 4e5, 1e6}, 5);
  EXPECT_TRUE(far.isLog());
  EXPECT_EQ(far.title(), "energy (µJ, logarithmic)");
  EXPECT_NEAR(far.place(31622.8), 0.5, 0.01);
  EXPECT_EQ(far.ticks().front().label, "0.001");
}

TEST(Axis, IsNotLogarithmicWhereAValueIsZero) {
  EXPECT_FALSE(Axis::around("x", Quantity::kPlain, {0, 1000}, 5).isLog());
}

TEST(Axis, AroundOneValueLeavesRoom) {
  const Axis a = Axis::around("time", Quantity::kTime, {500}, 5);
  EXPECT_NEAR(a.place(500), 0.5, 0.01);
  EXPECT_GE(a.ticks().size(), 2u);
}

TEST(Axis, WithoutValuesIsStillAnAxis) {
  for (const Axis &a : {Axis::around("x", Quantity::kPlain, {}, 5), Axis::fromZero("x", Quantity::kPlain, 0, 5),
                        Axis::range("x", Quantity::kPlain, 3, 3, 5)}) {
    EXPECT_GE(a.place(1), 0);
    EXPECT_LE(a.place(1), 1);
    EXPECT_FALSE(a.ticks().empty());
  }
}

TEST(Axis, OfNamesThinsThemOutWhereThereAreMany) {
  const Axis few = Axis::named("path", {"a", "b", "c"}, 8);
  EXPECT_EQ(labels(few), (Labels{"a", "b", "c"}));
  EXPECT_DOUBLE_EQ(few.place(1), 0.5);
  EXPECT_LE(Axis::named("path", std::vector<std::string>(100, "x"), 8).ticks().size(), 8u);
}

TEST(Axis, HasFewTicksWhateverTheValues) {
  for (const double low : {0.0, 1e-12, 1.0, 1e15, 1e300})
    for (const double factor : {1.0, 1.0000001, 3.0, 1e4, 1e200}) {
      const Axis a = Axis::around("x", Quantity::kTime, {low, low * factor}, 6);
      EXPECT_LE(a.ticks().size(), 61u) << low << " " << factor;
      for (const Tick &t : a.ticks()) {
        EXPECT_GE(t.at, 0);
        EXPECT_LE(t.at, 1);
      }
    }
}

}  // namespace
}  // namespace pimento::emit::html
