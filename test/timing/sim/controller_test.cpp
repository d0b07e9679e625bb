// The controller's rules on streams short enough to follow by hand: order, barriers, precharges, completion, fences.
#include <gtest/gtest.h>

#include "test/support/trace.h"

namespace pimento::test {
namespace {

using Trace = std::vector<Issued>;
using Nodes = program::CommandLoops;

ChannelRun run(Nodes body, DramNumbers n = {}) {
  if (n.refresh == "single-slot") n.refresh = "none";
  return runChannel(handMachine(n), process(std::move(body)));
}

Nodes reads(int bank, std::int64_t row, int count, bool isBarrier) {
  Nodes out;
  for (int i = 0; i < count; ++i) out.push_back(rd(bank, row, i, isBarrier && i + 1 == count));
  return out;
}

Nodes operator+(Nodes a, const Nodes &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// --- arrival and completion

TEST(Controller, ACommandIssuesOneCycleAfterItEntersTheQueue) {
  EXPECT_EQ(run({rd(0, 5, 3)}).trace, (Trace{{1, "ACT", 0, 5}, {15, "RD", 0, 5, 3}}));
}
TEST(Controller, OneTransactionEntersTheQueuePerCycle) {
  const ChannelRun r = run({rd(0, 5, 0), rd(4, 5, 0), rd(8, 5, 0)}, {.rrdS = 1, .rrdL = 1});
  EXPECT_EQ(r.only("ACT"), (Trace{{1, "ACT", 0, 5}, {2, "ACT", 4, 5}, {3, "ACT", 8, 5}}));
}
TEST(Controller, TheLastReadReturnsAfter23Cycles) {
  EXPECT_EQ(run({rd(0, 5, 0)}).cycles, 15 + 23 + 1);
}
TEST(Controller, TheLastWriteIsDoneAfter10Cycles) {
  EXPECT_EQ(run({wr(0, 5, 0)}).cycles, 11 + 10 + 1);
}
TEST(Controller, AnOlderReadMayBeTheLastToComplete) {
  const ChannelRun r = run({rd(0, 5, 0, false, 1), wr(0, 5, 0)}, {.ranks = 2});
  ASSERT_EQ(r.trace, (Trace{{1, "ACT", 16, 5}, {2, "ACT", 0, 5}, {12, "WR", 0, 5, 0}, {15, "RD", 16, 5, 0}}));
  EXPECT_EQ(r.cycles, 15 + 23 + 1);
  const ChannelRun barrier = run({rd(0, 5, 0, true, 1), wr(0, 5, 0)}, {.ranks = 2});
  ASSERT_EQ(barrier.only("WR"), (Trace{{16, "WR", 0, 5, 0}}));
  EXPECT_EQ(barrier.cycles, 15 + 23 + 1) << "the write is done at 26 already";
}

// --- order

TEST(Controller, RowHitsGoBeforeOlderRowMisses) {
  const ChannelRun r = run({rd(0, 5, 0), rd(0, 6, 0), rd(0, 5, 1)});
  EXPECT_EQ(r.trace, (Trace{{1, "ACT", 0, 5},
                            {15, "RD", 0, 5, 0},
                            {19, "RD", 0, 5, 1},
                            {34, "PRE", 0, 5},
                            {48, "ACT", 0, 6},
                            {62, "RD", 0, 6, 0}}));
}
TEST(Controller, TheFirstReadyCommandGoesFirst) {
  const ChannelRun r = run({rd(0, 5, 0), wr(0, 5, 1)});
  EXPECT_EQ(r.trace, (Trace{{1, "ACT", 0, 5}, {11, "WR", 0, 5, 1}, {30, "RD", 0, 5, 0}}));
}
TEST(Controller, CommandsToOneBurstKeepTheirOrder) {
  const ChannelRun r = run({rd(0, 5, 0), wr(0, 5, 0)});
  EXPECT_EQ(r.trace, (Trace{{1, "ACT", 0, 5}, {15, "RD", 0, 5, 0}, {30, "WR", 0, 5, 0}}));
}
TEST(Controller, OnlyTheBurstItselfIsHeldBack) {
  const ChannelRun r = run({rd(0, 5, 1), wr(0, 5, 0), wr(0, 5, 1), wr(0, 5, 2)});
  EXPECT_EQ(
      r.trace,
      (Trace{{1, "ACT", 0, 5}, {11, "WR", 0, 5, 0}, {15, "WR", 0, 5, 2}, {34, "RD", 0, 5, 1}, {49, "WR", 0, 5, 1}}));
}
TEST(Controller, AColumnCommandGoesBeforeAnActivate) {
  // At cycle 15 the read is ready, and so is the activate of bank 4 that arrives at 14.
  Nodes body;
  for (int i = 0; i < 14; ++i) body.push_back(rd(0, 5, i));
  body.push_back(rd(4, 5, 0));
  EXPECT_EQ(run(body).trace[2], (Issued{16, "ACT", 4, 5}));
}
TEST(Controller, RefreshIsNotNeededToRunLongStreams) {
  const ChannelRun r = run({program::CommandNode::loop("i", 1000, reads(0, 5, 8, false))});
  EXPECT_EQ(r.counts.refreshes, 0);
  EXPECT_EQ(r.cycles, 15 + 4 * 7999 + 23 + 1);
}

// --- barriers

TEST(Barrier, APacketThatCarriesOneIssuesOnlyFromTheHead) {
  const ChannelRun r = run({rd(0, 5, 0), wr(0, 5, 1, true)});
  EXPECT_EQ(r.trace, (Trace{{1, "ACT", 0, 5}, {15, "RD", 0, 5, 0}, {30, "WR", 0, 5, 1}}));
}
TEST(Barrier, NothingPassesAPacketThatCarriesOne) {
  const ChannelRun r = run({rd(0, 5, 0, true), wr(0, 5, 1)});
  EXPECT_EQ(r.trace, (Trace{{1, "ACT", 0, 5}, {15, "RD", 0, 5, 0}, {30, "WR", 0, 5, 1}}));
}
TEST(Barrier, TheNextGroupActivatesOnceTheBarrierIsAtTheHead) {
  const ChannelRun r = run(reads(0, 5, 2, true) + reads(4, 7, 1, false));
  EXPECT_EQ(
      r.trace,
      (Trace{{1, "ACT", 0, 5}, {15, "RD", 0, 5, 0}, {16, "ACT", 4, 7}, {19, "RD", 0, 5, 1}, {30, "RD", 4, 7, 0}}));
}
TEST(Barrier, WithoutOneTheActivateComesAtOnce) {
  const ChannelRun r = run(reads(0, 5, 2, false) + reads(4, 7, 1, false));
  EXPECT_EQ(r.only("ACT"), (Trace{{1, "ACT", 0, 5}, {5, "ACT", 4, 7}}));
}
TEST(Barrier, ThePacketThatCarriesOneGetsNoEarlyActivate) {
  const ChannelRun r = run({rd(0, 5, 0), rd(4, 7, 0, true)});
  EXPECT_EQ(r.only("ACT"), (Trace{{1, "ACT", 0, 5}, {16, "ACT", 4, 7}}));
}
TEST(Barrier, LookAheadEndsAtTheNextOne) {
  const ChannelRun r = run({rd(0, 5, 0, true), rd(4, 6, 0), rd(8, 7, 0, true)});
  EXPECT_EQ(r.trace, (Trace{{1, "ACT", 0, 5},
                            {5, "ACT", 4, 6},
                            {15, "RD", 0, 5, 0},
                            {19, "RD", 4, 6, 0},
                            {20, "ACT", 8, 7},
                            {34, "RD", 8, 7, 0}}));
}
TEST(Barrier, OneOnTheLastPlaceOfTheFullTransactionQueueIsLost) {
  for (const int at : {63, 64, 65}) {
    Nodes body;
    for (int i = 0; i < at; ++i) body.push_back(rd(0, 5, i % 32, i + 1 == at));
    body.push_back(rd(4, 7, 0));
    for (const bool isLossy : {true, false}) {
      const ChannelRun r = run(body, {.losesBarriers = isLossy});
      const std::int64_t activate = r.only("ACT").at(1).time;
      const std::int64_t atHead = 15 + 4 * (at - 2) + 1;  // once only the barrier is left before it
      EXPECT_EQ(activate, isLossy && at == 64 ? 65 : atHead) << at;
    }
  }
}
TEST(Barrier, TheLostOneIsThatOfTheTransactionQueuesSize) {
  for (const bool isLossy : {true, false}) {
    const ChannelRun r =
        run(reads(0, 5, 8, true) + reads(4, 7, 1, false), {.transactionQueue = 8, .losesBarriers = isLossy});
    EXPECT_EQ(r.only("ACT").at(1).time, isLossy ? 9 : 40);
  }
}

// --- precharges

TEST(Precharge, ARowTheGroupDoesNotNeedClosesEarly) {
  // Bank 0 is wanted again, but by the group after the one with bank 4.
  const ChannelRun r = run(reads(0, 5, 1, true) + reads(4, 7, 8, true) + reads(0, 5, 1, true));
  EXPECT_EQ(r.only("PRE").at(0), (Issued{34, "PRE", 0, 5}));
  EXPECT_EQ(r.only("ACT"), (Trace{{1, "ACT", 0, 5}, {5, "ACT", 4, 7}, {48, "ACT", 0, 5}}));
}
TEST(Precharge, TheBarrierPacketKeepsItsRowOpen) {
  const ChannelRun r = run(reads(0, 5, 1, true) + reads(4, 7, 7, false) + Nodes{rd(0, 5, 1, true)});
  EXPECT_EQ(r.only("PRE"), Trace{});
}
TEST(Precharge, ThePacketBehindTheBarrierDoesNot) {
  const ChannelRun r = run(reads(0, 5, 1, true) + reads(4, 7, 8, true) + Nodes{rd(0, 5, 1)});
  EXPECT_EQ(r.only("PRE").at(0), (Issued{34, "PRE", 0, 5}));
}
TEST(Precharge, OnConflictOnlyItWaitsUntilSomeoneWantsAnotherRow) {
  const DramNumbers conflict{.precharge = "conflict"};
  const ChannelRun kept = run(reads(0, 5, 1, true) + reads(4, 7, 8, true) + reads(0, 5, 1, true), conflict);
  EXPECT_EQ(kept.only("PRE"), Trace{});
  const ChannelRun closed = run(reads(0, 5, 1, true) + reads(4, 7, 8, true) + reads(0, 6, 1, true), conflict);
  EXPECT_EQ(closed.only("PRE"), (Trace{{48, "PRE", 0, 5}})) << "when the group that wants row 6 is at the head";
}
TEST(Precharge, BanksCloseInTurnFromTheLastOneClosed) {
  // A read per cycle leaves no slot, so that rows of banks 8, 4 and 0 pile up; the write's wait makes room.
  const auto round = [](std::int64_t row, int column) {
    return Nodes{rd(8, row, 0), rd(4, row, 0), rd(0, row, 0)} + reads(12, 5, 20, true) + Nodes{wr(12, 5, column, true)};
  };
  const ChannelRun r =
      run(round(5, 30) + round(6, 31), {.ccdS = 1, .ccdL = 1, .ras = 10, .rc = 24, .rrdS = 1, .rrdL = 1});
  const Trace closed = r.only("PRE");
  std::vector<int> banks;
  for (const Issued &c : closed) banks.push_back(c.bank);
  EXPECT_EQ(banks, (std::vector<int>{0, 4, 8, 8, 0, 4})) << "from bank 0 at first, later from bank 8";
}
TEST(Precharge, ARowNeededByTheBarrierBlocksTheHeadUntilARefresh) {
  // The head wants row 6 of bank 0; the barrier packet of its group wants row 5, which is open.
  const Nodes body = {rd(0, 5, 0, true), rd(0, 6, 0), rd(0, 5, 1, true)};
  EXPECT_TRUE(run(body).isStuck) << "without refresh nothing closes row 5";
  const ChannelRun r = runChannel(handMachine(), process(body));
  EXPECT_FALSE(r.isStuck);
  EXPECT_EQ(r.only("PRE").at(0), (Issued{3900, "PRE", 0, 5}));
  EXPECT_EQ(r.only("REF"), (Trace{{3901, "REF", 0, -1}}));
}

// --- fences

TEST(Fence, TheHostSendsTheNextGroupAfterTheBarrierAndTheFence) {
  const ChannelRun r = run({rd(0, 5, 0, true), rd(0, 5, 1), wr(0, 5, 2, true), rd(0, 5, 3)}, {.fence = 30});
  // 15 + 23 + 30 = 68 enters the queue. Meanwhile nobody wanted row 5, so it was closed.
  EXPECT_EQ(r.trace, (Trace{{1, "ACT", 0, 5},
                            {15, "RD", 0, 5, 0},
                            {34, "PRE", 0, 5},
                            {69, "ACT", 0, 5},
                            {83, "RD", 0, 5, 1},
                            {98, "WR", 0, 5, 2},
                            {124, "PRE", 0, 5},
                            {98 + 10 + 30 + 1, "ACT", 0, 5},
                            {153, "RD", 0, 5, 3}}));
}
TEST(Fence, FreeOnesLetTheNextGroupWaitInTheQueue) {
  const ChannelRun r = run({rd(0, 5, 0, true), rd(0, 5, 1)}, {.fence = 0});
  EXPECT_EQ(r.only("RD").at(1), (Issued{19, "RD", 0, 5, 1}));
}

}  // namespace
}  // namespace pimento::test
