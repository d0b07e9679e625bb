#include "pimento/evaluate/attribution.h"

#include <gtest/gtest.h>

#include <array>

namespace pimento::evaluate {
namespace {

/// Columns of another family than DPUs.
std::vector<AttributionColumn> traceColumns() {
  return {{"offloaded", "offloaded", "", true, true}, {"instructions", "instructions", "", true, true}};
}

TEST(Attribution, AddsUpByFunctionAndByLineMostOfTheLastColumnFirst) {
  AttributionSum sum(traceColumns());
  const std::array<std::int64_t, 2> few = {3, 4}, many = {0, 50};
  sum.addToFunction("main", few);
  sum.addToLine("a.c", 5, "main", few);
  sum.addToFunction("work", many);
  sum.addToLine("a.c", 9, "work", many);
  sum.addToFunction("main", few);
  sum.addToLine("a.c", 6, "main", few);
  const Attribution a = sum.take("what it is");
  EXPECT_EQ(a.functions, (std::vector<AttributionRow>{{"work", "", 0, "", {0, 50}}, {"main", "", 0, "", {6, 8}}}));
  ASSERT_EQ(a.lines.size(), 3u);
  EXPECT_EQ(a.lines[0], (AttributionRow{"work", "a.c", 9, "", {0, 50}}));
  EXPECT_EQ(a.lines[1].line, 5) << "equal ones in the order of the file";
  EXPECT_EQ(a.totals, (std::vector<std::int64_t>{6, 58}));
  EXPECT_EQ(a.about, "what it is");
}

TEST(Attribution, OfNothingHasItsColumns) {
  const Attribution a = AttributionSum(traceColumns()).take({});
  EXPECT_EQ(a.columns.size(), 2u);
  EXPECT_TRUE(a.functions.empty());
  EXPECT_EQ(a.totals, (std::vector<std::int64_t>{0, 0}));
}

}  // namespace
}  // namespace pimento::evaluate
