#include "pimento/evaluate/profile.h"

#include <gtest/gtest.h>

namespace pimento::evaluate {
namespace {

/// main (instructions 0 to 2, lines 5, 5, 6 of a.s), then work (3, line 9 of b.s; 4, no line).
program::Code twoFunctions() {
  program::Code code;
  code.instructions.resize(5);
  code.files = {"a.s", "b.s"};
  code.lines = {{0, 5}, {0, 5}, {0, 6}, {1, 9}, {-1, 0}};
  code.symbols = {{"main", program::kIramBase, 24, true, false}, {"work", program::kIramBase + 24, 16, true, false}};
  return code;
}

TEST(Profile, SumsInstructionsByFunctionAndByLine) {
  const std::vector<std::int64_t> issued = {1, 2, 3, 10, 20}, waited = {0, 0, 0, 0, 0};
  const Profile p = profileOf(twoFunctions(), issued, waited, Cycles(11));
  EXPECT_EQ(p.slots, 36);
  ASSERT_EQ(p.functions.size(), 2u);
  EXPECT_EQ(p.functions[0], (ProfileRow{"work", "", 0, "", 30, Cycles(0)}));
  EXPECT_EQ(p.functions[1], (ProfileRow{"main", "", 0, "", 6, Cycles(0)}));
  ASSERT_EQ(p.lines.size(), 4u);
  EXPECT_EQ(p.lines[0], (ProfileRow{"work", "", 0, "", 20, Cycles(0)})) << "no line is known";
  EXPECT_EQ(p.lines[1], (ProfileRow{"work", "b.s", 9, "", 10, Cycles(0)}));
  EXPECT_EQ(p.lines[2], (ProfileRow{"main", "a.s", 5, "", 3, Cycles(0)})) << "two instructions of one line";
}

TEST(Profile, WaitingForTransfersCountsForTheOrder) {
  const std::vector<std::int64_t> issued = {1, 0, 0, 10, 0}, waited = {1000, 0, 0, 0, 0};
  const Profile p = profileOf(twoFunctions(), issued, waited, Cycles(11));
  EXPECT_EQ(p.functions.front().function, "main") << "1 slot and 1000 cycles against 10 slots";
  EXPECT_EQ(p.least(p.functions.front()), Cycles(1011));
  EXPECT_EQ(p.least(), Cycles(1011 + 110));
  EXPECT_EQ(p.lines.size(), 2u) << "lines that did nothing are left out";
}

TEST(Profile, InstructionsLoadedBehindTheProgramHaveNoFunction) {
  const std::vector<std::int64_t> issued = {0, 0, 0, 0, 0, 0, 7};
  const Profile p = profileOf(twoFunctions(), issued, {}, Cycles(11));
  ASSERT_EQ(p.functions.size(), 1u);
  EXPECT_EQ(p.functions.front(), (ProfileRow{"", "", 0, "", 7, Cycles(0)}));
}

TEST(Profile, AFileWithoutLinesHasNone) {
  program::Code code = twoFunctions();
  code.lines.clear();
  const std::vector<std::int64_t> issued = {1, 1, 1, 1, 1};
  EXPECT_TRUE(profileOf(code, issued, issued, Cycles(11)).lines.empty());
}

}  // namespace
}  // namespace pimento::evaluate
