#include "pimento/machine/quantity.h"

#include <gtest/gtest.h>

namespace pimento::machine {
namespace {

TEST(Quantity, ANumberAndItsUnitAreToldApart) {
  const auto cycles = parseQuantity("14 cycle");
  ASSERT_TRUE(cycles);
  EXPECT_EQ(cycles->value, 14);
  EXPECT_EQ(cycles->unit, "cycle");
  const auto energy = parseQuantity("0.44pJ/bit");
  ASSERT_TRUE(energy);
  EXPECT_EQ(energy->value, 0.44);
  EXPECT_EQ(energy->unit, "pJ/bit");
  EXPECT_EQ(parseQuantity("1.5e3 mW")->value, 1500);
  EXPECT_EQ(parseQuantity("+2 ns")->value, 2);
}

TEST(Quantity, RowsMayBeHexadecimal) {
  const auto row = parseQuantity("0x17ff row");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->value, 0x17ff);
  EXPECT_EQ(row->unit, "row");
}

TEST(Quantity, ABareNumberHasNoUnit) {
  EXPECT_EQ(parseQuantity("14")->unit, "");
}

TEST(Quantity, WordsInfinityAndNothingAreNoQuantities) {
  for (const char *text : {"", "cycle", "inf ns", "nan ns", "1e999 ns", "- 3 ns"})
    EXPECT_FALSE(parseQuantity(text)) << text;
}

TEST(Quantity, PrefixesConvertAndOtherUnitsDoNot) {
  EXPECT_EQ(unitFactor("KiB", "B"), 1024);
  EXPECT_EQ(unitFactor("nJ", "pJ"), 1000);
  EXPECT_EQ(unitFactor("W", "mW"), 1000);
  EXPECT_EQ(unitFactor("pJ", "pJ"), 1);
  EXPECT_FALSE(unitFactor("mW", "pJ"));
  EXPECT_FALSE(unitFactor("ns", "cycle"));
}

}  // namespace
}  // namespace pimento::machine
