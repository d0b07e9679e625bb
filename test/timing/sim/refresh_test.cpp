// Refresh: when it is asked for, what goes before it, what it costs, and how it can get lost.
#include <gtest/gtest.h>

#include "test/support/trace.h"

namespace pimento::test {
namespace {

using Trace = std::vector<Issued>;
using Nodes = program::CommandLoops;

// Reads that touch banks 0 and 4 in turn, without end as far as the test is concerned.
Nodes readsOfTwoBanks(std::int64_t count) {
  return {program::CommandNode::loop("i", count, {rd(0, 5, 0), rd(4, 6, 0)})};
}
// Writes to two banks: each keeps its row open through write recovery until the next comes.
Nodes writesOfTwoBanks(std::int64_t count) {
  return {program::CommandNode::loop("i", count, {wr(0, 5, 0), wr(4, 6, 0)})};
}
// One row miss after the other.
Nodes rowMisses(std::int64_t count) {
  program::CommandNode n = rd(0, 0, 0, true);
  n.statement.row.stride[0] = 1;
  return {program::CommandNode::loop("i", count, {n})};
}

ChannelRun run(Nodes body, const DramNumbers &n) {
  return runChannel(handMachine(n), process(std::move(body)));
}

Trace after(const ChannelRun &r, std::int64_t time, std::size_t count) {
  Trace out;
  for (const Issued &c : r.trace)
    if (c.time >= time && out.size() < count) out.push_back(c);
  return out;
}

TEST(Refresh, ClosesOpenBanksInOrderThenRefreshesAtOnce) {
  const ChannelRun r = run(readsOfTwoBanks(200), {.refi = 200, .rfc = 50});
  // Bank 4 was read at 199 and may close at 202. The refresh does not wait for tRP.
  EXPECT_EQ(after(r, 199, 6), (Trace{{199, "RD", 4, 6, 0},
                                     {200, "PRE", 0, 5},
                                     {202, "PRE", 4, 6},
                                     {203, "REF", 0, -1},
                                     {253, "ACT", 0, 5},
                                     {257, "ACT", 4, 6}}));
}
TEST(Refresh, TheLowestOpenBankThatMayCloseGoesFirst) {
  // All rows rest: at 300 all four may close.
  const ChannelRun r =
      run({rd(12, 5, 0), rd(8, 5, 0), rd(4, 5, 0), rd(0, 5, 0), rd(13, 9, 0, true), rd(13, 8, 0, true)},
          {.rp = 500, .rc = 533, .refi = 300, .precharge = "conflict"});
  EXPECT_EQ(
      after(r, 300, 5),
      (Trace{{300, "PRE", 0, 5}, {301, "PRE", 4, 5}, {302, "PRE", 8, 5}, {303, "PRE", 12, 5}, {304, "REF", 0, -1}}));
}
TEST(Refresh, BlocksActivatesOfItsRankForRfc) {
  const ChannelRun r = run(readsOfTwoBanks(200), {.refi = 200, .rfc = 50});
  const std::int64_t refresh = r.only("REF").at(0).time;
  EXPECT_EQ(after(r, refresh + 1, 1).at(0).what, "ACT");
  EXPECT_EQ(after(r, refresh + 1, 1).at(0).time, refresh + 50);
}
TEST(Refresh, OfAnIdleRankIssuesInTheCycleItFallsDue) {
  const ChannelRun r = run(rowMisses(300), {.ranks = 2});
  for (const Issued &c : r.only("REF")) {
    if (c.bank == 16) {
      EXPECT_EQ(c.time % 3900, 0) << c.time;
    }
  }
}
TEST(Refresh, RanksAreStaggered) {
  const ChannelRun r = run(rowMisses(300), {.ranks = 2});
  const Trace t = r.only("REF");
  ASSERT_GE(t.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(t[i].bank, i % 2 == 0 ? 0 : 16);
    const auto due = static_cast<std::int64_t>(1950 * (i + 1));
    EXPECT_GE(t[i].time, due);
    EXPECT_LT(t[i].time, due + 40);
  }
  EXPECT_EQ(r.counts.lostRefreshes, 0);
}
TEST(Refresh, OneRankIsRefreshedAfterAWholeInterval) {
  const ChannelRun r = run(rowMisses(200), {});
  const Trace t = r.only("REF");
  ASSERT_EQ(t.size(), 2U);
  EXPECT_GE(t[0].time, 3900);
  EXPECT_LT(t[0].time, 3940);
  EXPECT_GE(t[1].time, 7800);
}
TEST(Refresh, AStreamOfWritesStarvesIt) {
  // Every write keeps its row from closing for 26 cycles, and the next comes earlier.
  const ChannelRun r = run(writesOfTwoBanks(4000), {});
  EXPECT_EQ(r.counts.refreshes, 0);
  EXPECT_EQ(r.cycles, run(writesOfTwoBanks(4000), {.refresh = "none"}).cycles) << "and costs no time";
  EXPECT_EQ(r.counts.lostRefreshes, r.cycles / 3900 - 1);
}
TEST(Refresh, TheOneSlotTakesTheLatestRequest) {
  // Writes starve rank 0 from 1950 on; at 3900 rank 1, idle, takes the slot and is served at once.
  const ChannelRun r = run(writesOfTwoBanks(1300), {.ranks = 2});
  EXPECT_EQ(r.only("REF"), (Trace{{3900, "REF", 16, -1}}));
  EXPECT_EQ(r.counts.lostRefreshes, 1);
}
TEST(Refresh, SlotsPerRankKeepBothRequests) {
  const ChannelRun r = run(writesOfTwoBanks(1300), {.ranks = 2, .refresh = "per-rank"});
  EXPECT_EQ(r.only("REF"), (Trace{{3900, "REF", 16, -1}}));
  EXPECT_EQ(r.counts.lostRefreshes, 0) << "rank 0 still waits";
  const ChannelRun longer = run(writesOfTwoBanks(1600), {.ranks = 2, .refresh = "per-rank"});
  EXPECT_EQ(longer.counts.lostRefreshes, 1) << "its next request, at 5850";
}
TEST(Refresh, WhileItWaitsForOneBankOtherRowsMayOpen) {
  // At 100 bank 0 was written at 99 and may not close before 125; bank 8 may open, as the barrier is at the head now.
  DramNumbers n{.refi = 100, .rfc = 50};
  Nodes body;
  for (int i = 0; i < 24; ++i) body.push_back(wr(0, 5, i, i == 23));
  body.push_back(rd(8, 9, 0));
  body.push_back(rd(8, 10, 0));
  const ChannelRun r = run(body, n);
  const Trace t = after(r, 100, 12);
  const auto find = [&](const std::string &what, int bank) {
    for (const Issued &c : t)
      if (c.what == what && c.bank == bank) return c.time;
    return std::int64_t{-1};
  };
  EXPECT_EQ(find("ACT", 8), 100);
  EXPECT_EQ(find("REF", 0), 134) << "after the write of 103, bank 8's row, its read and its tRAS";
  n.refreshWaits = true;
  const ChannelRun waits = run(body, n);
  std::int64_t refresh = waits.only("REF").at(0).time, activate = -1;
  for (const Issued &c : waits.only("ACT"))
    if (c.bank == 8) activate = c.time;
  EXPECT_GT(activate, refresh) << "a waiting refresh lets no new row open";
}
TEST(Refresh, ThatWaitsForPrechargeComesRpAfterTheLastOne) {
  const ChannelRun r = run(readsOfTwoBanks(200), {.refi = 200, .rfc = 50, .refreshWaits = true});
  const std::int64_t refresh = r.only("REF").at(0).time;
  std::int64_t last = 0;
  for (const Issued &c : r.only("PRE"))
    if (c.time < refresh) last = c.time;
  EXPECT_EQ(refresh, last + 14);
}
TEST(Refresh, NoneMeansNone) {
  const ChannelRun r = run(rowMisses(300), {.refresh = "none"});
  EXPECT_EQ(r.counts.refreshes + r.counts.lostRefreshes, 0);
  EXPECT_GT(r.cycles, 3 * 3900);
}

}  // namespace
}  // namespace pimento::test
