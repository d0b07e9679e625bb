// The lower bound of a channel's time and activations is never above what the engine counts.
#include "pimento/sim/dram/bound.h"

#include <gtest/gtest.h>

#include "pimento/sim/fast_forward.h"
#include "test/support/cases.h"
#include "test/support/random_program.h"

namespace pimento::test {
namespace {

using sim::dram::Channel;
using sim::dram::ChannelBound;
using sim::dram::ChannelCounts;
using sim::dram::ChannelSpec;
using sim::dram::lowerBound;
using sim::dram::Overclaim;

struct Comparison {
  bool holds = true, isFinished = true;
  double tightness = 0;  // bound / simulated
  std::string text;
};

Comparison compare(const RandomCase &c, Overclaim overclaim) {
  const ChannelSpec spec = sim::pim::channelSpec(c.machine);
  const program::FlatLoops code = flatten(c.process, spec);
  const ChannelBound bound = lowerBound(spec, code, overclaim);
  Channel channel(spec, code);
  if (sim::FastForward<Channel>(channel, {}).run().isStuck) return {true, false, 0, ""};
  const ChannelCounts &n = channel.counts(), &b = bound.counts;
  Comparison out;
  out.holds = bound.cycles <= channel.cycles() && b.activates <= n.activates &&
              b.allBankActivates <= n.allBankActivates && b.precharges <= n.precharges &&
              b.allBankPrecharges <= n.allBankPrecharges && b.refreshes <= n.refreshes &&
              b.lostRefreshes <= n.lostRefreshes && b.columns == n.columns;
  out.tightness = static_cast<double>(bound.cycles.value) / static_cast<double>(channel.cycles().value);
  out.text = fmt::format("cycles {} of {}, activates {}+{} of {}+{}, columns {} of {}", bound.cycles.value,
                         channel.cycles().value, b.activates, b.allBankActivates, n.activates, n.allBankActivates,
                         b.columns, n.columns);
  return out;
}

RandomCase caseOf(std::int64_t seed) {
  Shape shape;
  if (seed % 3 == 1) shape = {8000, 4, 700};
  if (seed % 3 == 2) shape = {60000, 3, 5000};
  return randomCase(static_cast<std::uint64_t>(seed) + 5000000, shape);
}

TEST(ChannelBound, IsNeverAboveTheEngineOnRandomMachinesAndStreams) {
  const std::int64_t cases = caseCount(300);
  double sum = 0;
  std::int64_t finished = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const RandomCase c = caseOf(seed);
    const Comparison result = compare(c, Overclaim::kNone);
    ASSERT_TRUE(result.holds) << "seed " << seed << ": " << result.text << "\n" << c.str();
    if (!result.isFinished) continue;
    ++finished;
    sum += result.tightness;
  }
  EXPECT_GT(finished, cases / 2);
  EXPECT_GT(sum / static_cast<double>(finished), 0.4) << "a bound this loose rules nothing out";
  RecordProperty("mean_share_of_the_time", std::to_string(sum / static_cast<double>(finished)));
}

/// The first case in which a bound that claims too much is above the engine; -1 if none.
std::int64_t firstAbove(Overclaim overclaim) {
  for (std::int64_t seed = 0; seed < 3000; ++seed)
    if (!compare(caseOf(seed), overclaim).holds) return seed;
  return -1;
}

TEST(ChannelBoundTeeth, RowsThatOpenOnlyAfterTheGroupBeforeAreTooMuch) {
  EXPECT_GE(firstAbove(Overclaim::kLateRows), 0);
}
TEST(ChannelBoundTeeth, BanksThatWaitForEachOtherLikeOneAreTooMuch) {
  EXPECT_GE(firstAbove(Overclaim::kOneBank), 0);
}
TEST(ChannelBoundTeeth, RowsThatCloseAfterEveryGroupAreTooMuch) {
  EXPECT_GE(firstAbove(Overclaim::kClosedRows), 0);
}

/// One barrier group of `count` reads of one row, as often as `trips` says.
program::Process reads(std::int64_t count, std::int64_t trips, std::int64_t rowStride) {
  program::CommandLoops group;
  for (std::int64_t i = 0; i < count; ++i) {
    program::Command c;
    c.isBarrier = i + 1 == count;
    c.row.stride[0] = rowStride;
    c.column.base = i;
    group.push_back(program::CommandNode(c));
  }
  program::Process p;
  commandsOf(p).push_back(program::CommandNode::loop("i", trips, std::move(group)));
  return p;
}

ChannelBound boundOf(const DramNumbers &n, const program::Process &p) {
  const machine::Machine m = handMachine(n);
  const ChannelSpec spec = sim::pim::channelSpec(m);
  return lowerBound(spec, flatten(p, spec));
}

TEST(ChannelBound, CountsColumnsOfOneRowAtTheColumnDistance) {
  DramNumbers n;
  n.hasPim = n.losesBarriers = false;
  const ChannelBound b = boundOf(n, reads(8, 100, 0));
  // One activate, then 800 columns tCCDL apart, then the last one's latency.
  const machine::Machine m = handMachine(n);
  EXPECT_EQ(b.cycles.value, 1 + n.rcdRead + 799 * n.ccdL + m.dram->readLatency.value + 1);
  EXPECT_EQ(b.counts.activates, 1);
  EXPECT_EQ(b.counts.columns, 800);
}

TEST(ChannelBound, CountsAPrechargeAndAnActivateForEveryOtherRow) {
  DramNumbers n;
  n.hasPim = n.losesBarriers = false;
  const ChannelBound b = boundOf(n, reads(8, 1000, 1));
  EXPECT_EQ(b.counts.activates, 1000);
  const std::int64_t open = std::max(n.rcdRead + 7 * n.ccdL + std::max(n.rtpL, n.ccdL) - n.ccdL + n.burst, n.ras);
  EXPECT_GE(b.cycles.value, 999 * std::max(open + n.rp, n.rc));
  EXPECT_LE(b.cycles.value, 1000 * std::max(open + n.rp, n.rc) + 100);
}

TEST(ChannelBound, AddsAFencePerGroup) {
  DramNumbers n;
  n.hasPim = n.losesBarriers = false;
  const ChannelBound without = boundOf(n, reads(8, 1000, 0));
  n.fence = 500;
  const ChannelBound with = boundOf(n, reads(8, 1000, 0));
  EXPECT_GE(with.cycles.value - without.cycles.value, 999 * (500 - n.ccdL));
}

}  // namespace
}  // namespace pimento::test
