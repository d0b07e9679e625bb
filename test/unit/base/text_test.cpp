#include "pimento/base/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "pimento/base/integer.h"
#include "pimento/base/progress.h"
#include "pimento/base/suggest.h"

namespace pimento {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, TrimRemovesWhiteSpaceAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(join({"a", "b"}, "; "), "a; b");
}

TEST(Text, AnIntegerMustFillTheText) {
  EXPECT_EQ(parseInteger("42"), 42);
  EXPECT_EQ(parseInteger("-42"), -42);
  EXPECT_EQ(parseInteger("+0x1F"), 31);
  for (const char *bad : {"", "-", "0x", "4 2", "42 ", " 42", "4.0", "1e3", "--1", "0b1", "٣"}) {
    EXPECT_EQ(parseInteger(bad), std::nullopt) << bad;
  }
}

TEST(Text, AnIntegerBeyond64BitsIsNone) {
  EXPECT_EQ(parseInteger("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parseInteger("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parseInteger("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parseInteger("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(parseInteger("99999999999999999999999"), std::nullopt);
}

TEST(Text, ANumberMustFillTheTextAndBeFinite) {
  EXPECT_EQ(parseNumber("2.5"), 2.5);
  EXPECT_EQ(parseNumber("-1e-3"), -1e-3);
  EXPECT_EQ(parseNumber("+7"), 7.0);
  for (const char *bad : {"", "x", "1.5x", " 1", "inf", "nan", "1e999", "+-1"}) {
    EXPECT_EQ(parseNumber(bad), std::nullopt) << bad;
  }
}

TEST(Text, NumbersPrintShortAndReadBackExactly) {
  EXPECT_EQ(numberText(3), "3");
  EXPECT_EQ(numberText(-0.5), "-0.5");
  for (const double x : {0.1, 1e300, -2.0 / 3, 1e15, 123456789012345678.0}) EXPECT_EQ(parseNumber(numberText(x)), x);
}

TEST(Suggest, ASlipOfTheKeyboardFindsItsWord) {
  EXPECT_EQ(nearest("gmev", {"gemm", "gemv"}), "gemv");
  EXPECT_EQ(nearest("GEMV", {"gemm", "gemv"}), "gemv");
  EXPECT_EQ(nearest("banana", {"gemm", "gemv"}), "");
  EXPECT_EQ(suggest("addd", {"add", "mul"}), "did you mean 'add'? choices: add, mul");
  EXPECT_EQ(suggest("zzz", {"add", "mul"}), "choices: add, mul");
  EXPECT_EQ(suggest("zzz", {}), "choices: none");
}

TEST(Integer, SaturatedArithmeticStopsAtTheLargestNumber) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(multiplySaturated(kMax / 2, 3), kMax);
  EXPECT_EQ(multiplySaturated(6, 7), 42);
  EXPECT_EQ(addSaturated(kMax, 1), kMax);
  EXPECT_EQ(ceilDiv(7, 2), 4);
  EXPECT_EQ(ceilDiv(kMax, 1), kMax);
}

TEST(Progress, TheLineSaysShareCountAndTimeLeft) {
  EXPECT_EQ(Progress::line("tuning", 1, 4, 3.0), "tuning: 25 % (1/4), 9 s left");
  EXPECT_EQ(Progress::line("tuning", 4, 4, 3.0), "tuning: 100 % (4/4)");
  EXPECT_EQ(Progress::line("tuning", 0, 4, 3.0), "tuning: 0 % (0/4)");
  EXPECT_EQ(Progress::line("x", 1, 2, 100.0), "x: 50 % (1/2), 1 min 40 s left");
}

}  // namespace
}  // namespace pimento
