// Fast-forward gives what a plain run gives: time and every count, on random streams and machines.
#include "pimento/sim/fast_forward.h"

#include <gtest/gtest.h>

#include "test/support/cases.h"
#include "test/support/random_program.h"
#include "test/support/state_needs.h"

namespace pimento::test {
namespace {

using sim::FastForward;
using sim::FastForwardOptions;
using sim::FastForwardResult;
using sim::dram::Channel;
using sim::dram::ChannelCounts;
using sim::dram::ChannelSpec;

sim::Weakening without(std::size_t part) {
  return {sim::Parts{1} << part};
}

struct Outcome {
  std::int64_t cycles = 0;
  ChannelCounts counts;
  bool isStuck = false;
  FastForwardResult result;

  bool operator==(const Outcome &o) const { return cycles == o.cycles && counts == o.counts && isStuck == o.isStuck; }
  std::string str() const {
    return fmt::format(
        "{} cycles{}, {} skipped, {} of {} intervals memoised; activates {}+{} precharges {}+{} refreshes {} lost {} "
        "columns {}",
        cycles, isStuck ? " (stuck)" : "", result.skipped, result.memoised, result.intervals, counts.activates,
        counts.allBankActivates, counts.precharges, counts.allBankPrecharges, counts.refreshes, counts.lostRefreshes,
        counts.columns);
  }
};

Outcome runWith(const machine::Machine &machine, const program::Process &process, const FastForwardOptions &options) {
  const ChannelSpec spec = sim::pim::channelSpec(machine);
  const program::FlatLoops code = flatten(process, spec);
  Channel channel(spec, code);
  const FastForwardResult r = FastForward<Channel>(channel, options).run();
  return {channel.cycles().value, channel.counts(), r.isStuck, r};
}

TEST(FastForward, GivesTheTimeAndTheCountsOfAPlainRun) {
  const std::int64_t cases = caseCount(300);
  std::int64_t skipped = 0, memoised = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const RandomCase c = caseOf(seed);
    const Outcome plain = runWith(c.machine, c.process, {.isEnabled = false});
    const Outcome fast = runWith(c.machine, c.process, {});
    ASSERT_TRUE(plain == fast) << "seed " << seed << "\nplain: " << plain.str() << "\nfast:  " << fast.str() << "\n"
                               << c.str();
    skipped += fast.result.skipped > 0 ? 1 : 0;
    memoised += fast.result.memoised > 0 ? 1 : 0;
  }
  EXPECT_GT(skipped, cases / 4) << "the cases are too tame to show anything";
  EXPECT_GT(memoised, cases / 20);
}

TEST(FastForwardTeeth, WithoutAnyPartOfTheStateSomeCaseIsWrong) {
  ASSERT_EQ(kStateNeeds.size(), Channel::kParts.size());
  for (std::size_t i = 0; i < kStateNeeds.size(); ++i) {
    ASSERT_EQ(kStateNeeds[i].part, Channel::kParts[i]);
    bool isWrong = false;
    for (std::int64_t n = 0; n < 70 && !isWrong; ++n) {
      const RandomCase c = kStateNeeds[i].make(n);
      const Outcome plain = runWith(c.machine, c.process, {.isEnabled = false});
      ASSERT_TRUE(runWith(c.machine, c.process, {}) == plain) << Channel::kParts[i] << " " << n;
      isWrong = !(runWith(c.machine, c.process, {.weakening = without(i)}) == plain);
    }
    EXPECT_TRUE(isWrong) << "nothing needs " << Channel::kParts[i];
  }
}

// A read completes long after the writes that follow it; a skip must not carry its completion along.
TEST(FastForwardRegression, ACompletionFromBeforeThePeriodIsNotRepeated) {
  machine::Machine m = handMachine({.refresh = "none"});
  m.dram->readLatency = Cycles(600);
  program::CommandLoops writes;
  for (int i = 0; i < 8; ++i) writes.push_back(wr(0, 0, i));
  const program::Process p = process({rd(0, 0, 0, true), program::CommandNode::loop("i", 40, writes)});
  const Outcome plain = runWith(m, p, {.isEnabled = false});
  const Outcome fast = runWith(m, p, {});
  EXPECT_GT(fast.result.skipped, 0);
  EXPECT_TRUE(fast == plain) << plain.str() << "\n" << fast.str();
}

// The last iterations run dry of look-ahead: what the queue holds beyond the loop is not what it held inside.
TEST(FastForwardRegression, ASkipEndsBeforeTheLookAheadLeavesTheLoop) {
  for (std::int64_t trip = 6; trip < 200; ++trip) {
    program::CommandLoops body, tail;
    for (int i = 0; i < 8; ++i) body.push_back(rd(0, 7, i, i == 7));
    for (int i = 0; i < 8; ++i) tail.push_back(wr(4, 9, i, i == 7));
    const program::Process p =
        process({program::CommandNode::loop("i", trip, body), program::CommandNode::loop("j", trip % 13 + 1, tail)});
    const Outcome plain = runWith(handMachine(), p, {.isEnabled = false});
    const Outcome fast = runWith(handMachine(), p, {});
    ASSERT_TRUE(fast == plain) << trip << "\n" << plain.str() << "\n" << fast.str();
  }
}

// Rows that move through a mode row must not be skipped over: the activate of that row changes the mode.
TEST(FastForwardRegression, AModeRowInTheMiddleOfALoopIsMet) {
  DramNumbers n;
  n.rows = 1 << 20;
  program::CommandLoops body;
  for (const int bank : {0, 1, 8, 9})
    for (int i = 0; i < 2; ++i) {
      program::CommandNode node = rd(bank, kEnterRow - 500, i, i == 1);
      node.statement.row.stride[0] = 1;
      body.push_back(node);
    }
  const program::Process p = process({program::CommandNode::loop("i", 1000, body)});
  const Outcome plain = runWith(handMachine(n), p, {.isEnabled = false});
  const Outcome fast = runWith(handMachine(n), p, {});
  EXPECT_TRUE(plain.isStuck) << "banks 8 and 9 take no activates any more";
  EXPECT_TRUE(fast == plain) << plain.str() << "\n" << fast.str();
}

// Matrix-vector product: inputs into registers, then eight groups of eight reads per input tile, two banks.
program::Process gemvLike(std::int64_t outputs, std::int64_t inputs) {
  const auto tile = [](int bank) {
    program::CommandLoops out;
    for (int i = 0; i < 8; ++i) out.push_back(wr(1, kRegisterRow, 8 + i, i == 7));
    program::CommandLoops reads;
    for (int i = 0; i < 8; ++i) {
      program::CommandNode n = rd(bank, 20000, i, i == 7);
      n.statement.row.stride = {128, 2, 1};
      n.statement.column.stride = {0, 0, 0, 8};
      reads.push_back(n);
    }
    out.push_back(program::CommandNode::loop("row", 2, {program::CommandNode::loop("group", 4, reads)}));
    return out;
  };
  program::CommandLoops even = tile(0), odd = tile(1), output;
  output.push_back(wr(0, kRegisterRow, 0, true));
  output.push_back(program::CommandNode::loop("even", inputs / 2, even));
  output.push_back(program::CommandNode::loop("odd", inputs / 2, odd));
  for (int i = 0; i < 8; ++i) output.push_back(wr(1, 12000, i, i == 7));
  return process({program::CommandNode::loop("output", outputs, output)});
}

TEST(FastForward, SkipsMostOfALongMatrixVectorProduct) {
  for (const std::int64_t ranks : {1, 2}) {
    DramNumbers n;
    n.ranks = ranks;
    n.rows = 1 << 20;
    const program::Process p = gemvLike(200, 64);
    const Outcome plain = runWith(handMachine(n), p, {.isEnabled = false});
    const Outcome fast = runWith(handMachine(n), p, {});
    EXPECT_TRUE(fast == plain) << plain.str() << "\n" << fast.str();
    EXPECT_LT(fast.cycles - fast.result.skipped, fast.cycles / 5) << fast.str();
    EXPECT_EQ(plain.result.skipped, 0);
  }
}

// Bank 4 takes no activates in the all-bank mode. The head of the queue waits for it for ever, while the row that the
// group behind it wants is opened ahead and closed again.
TEST(FastForward, EndsWhenTheModeRefusesTheOnlyBankThatMayGo) {
  for (const char *refresh : {"none", "single-slot", "per-rank"}) {
    program::CommandLoops body;
    for (const int b : {0, 1, 8, 9}) body.push_back(wr(b, kEnterRow, 31, b == 9));
    body.push_back(rd(4, 5, 0, true));
    for (int i = 0; i < 8; ++i) body.push_back(rd(0, 6, i, i == 7));
    const machine::Machine m = handMachine({.refresh = refresh});
    const Outcome plain = runWith(m, process(body), {.isEnabled = false});
    const Outcome fast = runWith(m, process(body), {});
    EXPECT_TRUE(plain.isStuck) << plain.str();
    EXPECT_EQ(plain.counts.columns, 4);
    EXPECT_TRUE(fast == plain) << plain.str() << "\n" << fast.str();
  }
}

TEST(FastForward, EndsWhenRowsNeverStayOpenLongEnough) {
  DramNumbers n;
  n.ras =
      8;  // for a refresh, rows close before a column command may use them; others open meanwhile, so it never comes
  n.rp = 10;
  n.rc = 18;
  n.refi = 900;
  program::CommandLoops body;
  for (int i = 0; i < 16; ++i) {
    body.push_back(rd(i, 100, i));
    body.back().statement.row.stride[0] = 1;
  }
  const program::Process p = process({program::CommandNode::loop("i", 1000, body)});
  const Outcome plain = runWith(handMachine(n), p, {.isEnabled = false});
  const Outcome fast = runWith(handMachine(n), p, {});
  EXPECT_TRUE(plain.isStuck) << plain.str();
  EXPECT_TRUE(fast == plain) << plain.str() << "\n" << fast.str();
}

}  // namespace
}  // namespace pimento::test
