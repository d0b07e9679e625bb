#include "pimento/targets/upmem/attribution.h"

#include <gtest/gtest.h>

namespace pimento::targets::upmem {
namespace {

using evaluate::Attribution;
using evaluate::AttributionRow;

/// main (instructions 0 to 2, lines 5, 5, 6 of a.s), then work (3, line 9 of b.s; 4, no line).
program::Code twoFunctions() {
  program::Code code;
  code.instructions.resize(5);
  code.files = {"a.s", "b.s"};
  code.lines = {{0, 5}, {0, 5}, {0, 6}, {1, 9}, {-1, 0}};
  code.symbols = {{"main", program::kIramBase, 24, true, false}, {"work", program::kIramBase + 24, 16, true, false}};
  return code;
}

TEST(DpuAttribution, SumsInstructionsByFunctionAndByLine) {
  const std::vector<std::int64_t> issued = {1, 2, 3, 10, 20}, waited = {0, 0, 0, 0, 0};
  const Attribution p = attributionOf(twoFunctions(), issued, waited, Cycles(11));
  EXPECT_EQ(p.totals, (std::vector<std::int64_t>{36, 0, 396})) << "slots, waits, 11 cycles per issue slot";
  ASSERT_EQ(p.functions.size(), 2u);
  EXPECT_EQ(p.functions[0], (AttributionRow{"work", "", 0, "", {30, 0, 330}}));
  EXPECT_EQ(p.functions[1], (AttributionRow{"main", "", 0, "", {6, 0, 66}}));
  ASSERT_EQ(p.lines.size(), 4u);
  EXPECT_EQ(p.lines[0], (AttributionRow{"work", "", 0, "", {20, 0, 220}})) << "no line is known";
  EXPECT_EQ(p.lines[1], (AttributionRow{"work", "b.s", 9, "", {10, 0, 110}}));
  EXPECT_EQ(p.lines[2], (AttributionRow{"main", "a.s", 5, "", {3, 0, 33}})) << "two instructions of one line";
}

TEST(DpuAttribution, WaitingForTransfersCountsForTheOrder) {
  const std::vector<std::int64_t> issued = {1, 0, 0, 10, 0}, waited = {1000, 0, 0, 0, 0};
  const Attribution p = attributionOf(twoFunctions(), issued, waited, Cycles(11));
  EXPECT_EQ(p.functions.front(), (AttributionRow{"main", "", 0, "", {1, 1000, 1011}}))
      << "1 slot and 1000 cycles against 10 slots";
  EXPECT_EQ(p.totals.back(), 1011 + 110);
  EXPECT_EQ(p.lines.size(), 2u) << "lines that did nothing are left out";
}

TEST(DpuAttribution, InstructionsLoadedBehindTheProgramHaveNoFunction) {
  const std::vector<std::int64_t> issued = {0, 0, 0, 0, 0, 0, 7};
  const Attribution p = attributionOf(twoFunctions(), issued, {}, Cycles(11));
  ASSERT_EQ(p.functions.size(), 1u);
  EXPECT_EQ(p.functions.front(), (AttributionRow{"", "", 0, "", {7, 0, 77}}));
}

TEST(DpuAttribution, AFileWithoutLinesHasNone) {
  program::Code code = twoFunctions();
  code.lines.clear();
  const std::vector<std::int64_t> issued = {1, 1, 1, 1, 1};
  EXPECT_TRUE(attributionOf(code, issued, issued, Cycles(11)).lines.empty());
}

}  // namespace
}  // namespace pimento::targets::upmem
