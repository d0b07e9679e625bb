// HBM-PIM modes as the controller sees them: when they change, and which activates they refuse.
#include <gtest/gtest.h>

#include "test/support/trace.h"

namespace pimento::test {
namespace {

using Trace = std::vector<Issued>;
using Nodes = program::CommandLoops;

ChannelRun run(Nodes body, DramNumbers n = {}) {
  n.refresh = "none";
  return runChannel(handMachine(n), process(std::move(body)));
}

Nodes enter(bool isBarrier = true) {
  return {wr(0, kEnterRow, 31), wr(1, kEnterRow, 31), wr(8, kEnterRow, 31), wr(9, kEnterRow, 31, isBarrier)};
}
Nodes leave() {
  return {wr(0, kLeaveRow, 31), wr(1, kLeaveRow, 31, true)};
}
Nodes operator+(Nodes a, const Nodes &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::int64_t timeOf(const ChannelRun &r, const std::string &what, int bank, std::int64_t row) {
  for (const Issued &c : r.trace)
    if (c.what == what && c.bank == bank && c.row == row) return c.time;
  return -1;
}

TEST(Mode, ChangesWhenTheFourthActivateArrives) {
  DramNumbers n{.rrdS = 1, .rrdL = 1};
  const Nodes body = enter(false) + Nodes{rd(2, 5, 0), rd(3, 5, 0), rd(10, 5, 0)};
  // The fourth activate issues at 4. It arrives one cycle later, before that cycle's command is chosen.
  const ChannelRun r = run(body, n);
  EXPECT_EQ(r.only("ACT").back(), (Issued{4, "ACT", 9, kEnterRow}));
  EXPECT_TRUE(r.isStuck);
  n.cmd = 3;  // arrives at 7: two more activates pass
  const ChannelRun later = run(body, n);
  EXPECT_EQ(later.only("ACT").back(), (Issued{6, "ACT", 3, 5}));
  EXPECT_EQ(timeOf(later, "ACT", 10, 5), -1);
}
TEST(Mode, ThreeActivatesOfTheRowChangeNothing) {
  const ChannelRun r = run({wr(0, kEnterRow, 31), wr(1, kEnterRow, 31), wr(8, kEnterRow, 31, true), rd(2, 5, 0)});
  EXPECT_FALSE(r.isStuck);
}
TEST(Mode, ActivatesOfOtherRowsChangeNothing) {
  Nodes body;
  for (const int b : {0, 1, 8, 9}) body.push_back(wr(b, kEnterRow - 1, 31, b == 9));
  EXPECT_FALSE(run(body + Nodes{rd(2, 5, 0)}).isStuck);
}
TEST(Mode, BanksOfTheFirstBlockTakeActivatesInAllModes) {
  const ChannelRun r = run(enter() + Nodes{rd(0, 5, 0), rd(1, 5, 0)});
  EXPECT_FALSE(r.isStuck);
}
TEST(Mode, RowsThatAreOpenStayUsable) {
  // Bank 8 keeps the row it has; only activates are refused.
  EXPECT_FALSE(run(enter(false) + Nodes{rd(8, kEnterRow, 0, true)}).isStuck);
}
TEST(Mode, RanksWithoutUnitsAreNotConcerned) {
  const ChannelRun r = run(enter() + Nodes{rd(5, 5, 0, true, 1)}, {.ranks = 2});
  EXPECT_FALSE(r.isStuck);
  EXPECT_EQ(r.counts.allBankActivates, 0);
}
TEST(Mode, EndsWhenBothPrechargesHaveArrived) {
  const ChannelRun r = run(enter() + leave() + Nodes{rd(2, 5, 0)}, {.rp = 40, .rc = 80});
  EXPECT_FALSE(r.isStuck);
  const std::int64_t last = std::max(timeOf(r, "PRE", 0, kLeaveRow), timeOf(r, "PRE", 1, kLeaveRow));
  EXPECT_EQ(timeOf(r, "ACT", 2, 5), last + 1);
}
TEST(Mode, DoesNotEndWhileOneOfTheTwoRowsIsOpen) {
  // The barrier packet keeps bank 1's row open until it has issued; bank 2 must wait for that precharge.
  const ChannelRun r = run(enter() + leave() + Nodes{rd(1, kLeaveRow, 0, true), rd(2, 5, 0)});
  EXPECT_GT(timeOf(r, "ACT", 2, 5), timeOf(r, "RD", 1, kLeaveRow));
  EXPECT_EQ(timeOf(r, "ACT", 2, 5), timeOf(r, "PRE", 1, kLeaveRow) + 1);
}
TEST(Mode, PrechargesOfOtherRowsDoNotEndIt) {
  const ChannelRun r =
      run(enter() + Nodes{rd(0, 5, 0), rd(1, 5, 0, true), rd(0, 6, 0), rd(1, 6, 0, true), rd(2, 5, 0)});
  EXPECT_TRUE(r.isStuck);
}
TEST(Mode, CanBeEnteredAgain) {
  const ChannelRun r = run(enter() + leave() + Nodes{rd(2, 5, 0, true)} + enter() + Nodes{rd(3, 5, 0)});
  EXPECT_TRUE(r.isStuck);
  EXPECT_GT(timeOf(r, "RD", 2, 5), 0);
  EXPECT_EQ(timeOf(r, "ACT", 3, 5), -1);
}

// --- counts

TEST(ModeCounts, DataRowsOpenInEveryBlockControlRowsInOneBank) {
  const ChannelRun r = run(enter() + Nodes{wr(1, kRegisterRow, 8, true), rd(0, 5, 0, true)} + leave() +
                           Nodes{rd(2, 5, 0, true), rd(2, 6, 0, true)});
  EXPECT_EQ(r.only("ACT").size(), 4U + 2U + 2U + 2U);
  EXPECT_EQ(r.counts.allBankActivates, 1) << "row 5 of bank 0";
  EXPECT_EQ(r.counts.activates, 9);
  EXPECT_EQ(r.counts.allBankPrecharges, 1);
  EXPECT_EQ(r.counts.precharges, static_cast<std::int64_t>(r.only("PRE").size()) - 1);
}

}  // namespace
}  // namespace pimento::test
