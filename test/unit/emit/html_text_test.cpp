#include <gtest/gtest.h>

#include "pimento/emit/html/text.h"

namespace pimento::emit::html {
namespace {

TEST(HtmlText, EscapesWhatMeansSomething) {
  EXPECT_EQ(escape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escape("µ\n\t"), "µ\n\t");
  EXPECT_EQ(escape(std::string_view("\0\x1b", 2)), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(HtmlText, ScriptStringsCannotEndTheScript) {
  EXPECT_EQ(scriptString("</script><!--&\"\n"), "\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"\\n\"");
  EXPECT_EQ(scriptString("\xe2\x80\xa8"), "\"\\u2028\"");
  EXPECT_EQ(scriptString("\xff"), "\"\\ufffd\"");
}

TEST(HtmlText, NumbersAreShortWithAUnit) {
  EXPECT_EQ(shortText(Quantity::kTime, 0), "0 s");
  EXPECT_EQ(shortText(Quantity::kTime, 0.5), "500 ps");
  EXPECT_EQ(shortText(Quantity::kTime, 999.96), "1 µs");
  EXPECT_EQ(shortText(Quantity::kTime, 1'234'567), "1.235 ms");
  EXPECT_EQ(shortText(Quantity::kTime, 2.5e12), "2,500 s");
  EXPECT_EQ(shortText(Quantity::kEnergy, 376'900'000), "376.9 µJ");
  EXPECT_EQ(shortText(Quantity::kBytes, 1536), "1.5 KiB");
  EXPECT_EQ(shortText(Quantity::kPercent, 12.345), "12.35 %");
  EXPECT_EQ(shortText(Quantity::kCycles, 9'999'999), "9,999,999");
  EXPECT_EQ(shortText(Quantity::kCycles, 12'345'678), "12.35 million");
  EXPECT_EQ(shortText(Quantity::kCount, 0.5), "0.5");
}

TEST(HtmlText, TheExactValueIsThereToHoverOverWhereItDiffers) {
  EXPECT_EQ(number(Quantity::kCycles, 1234), "<span class=\"n\">1,234</span>");
  EXPECT_EQ(number(Quantity::kCycles, 12'345'678),
            "<span class=\"n\" title=\"12,345,678 cycles\">12.35 million</span>");
  EXPECT_EQ(number(Quantity::kTime, 1234.6), "<span class=\"n\" title=\"1,234.6 ns\">1.235 µs</span>");
}

TEST(HtmlText, SharesOfNothingAreNoNumber) {
  EXPECT_EQ(shareText(1, 8), "12.5 %");
  EXPECT_EQ(shareText(0, 8), "0.0 %");
  EXPECT_EQ(shareText(1, 100'000), "&lt;0.1 %");
  EXPECT_EQ(shareText(1, 0), "–");
}

TEST(HtmlText, PlainNumbersHaveFewDigits) {
  EXPECT_EQ(plain(0), "0");
  EXPECT_EQ(plain(1234.5678), "1,235");
  EXPECT_EQ(plain(0.000123456), "0.0001235");
  EXPECT_EQ(plain(-2.50), "-2.5");
  EXPECT_EQ(plain(1e-9), "1e-09");
  EXPECT_EQ(plain(0.25, 1), "0.2");
}

}  // namespace
}  // namespace pimento::emit::html
