// One list for several channels with the barrier queue: like loops of a channel's own where there is one, like each
// channel looked at in every cycle where there are several; fast-forward; what a state must hold.
#include <gtest/gtest.h>

#include "pimento/sim/dram/channels.h"
#include "test/support/cases.h"
#include "test/support/random_barrier_list.h"
#include "test/support/state_needs.h"

namespace pimento::test {
namespace {

using Channels = sim::dram::FedChannelsOf<sim::dram::BarrierQueue>;
using sim::dram::ChannelSpec;

struct Outcome {
  std::int64_t cycles = 0, skipped = 0;
  bool isStuck = false;
  sim::dram::ChannelCounts counts;

  bool operator==(const Outcome &o) const {
    return isStuck == o.isStuck && (isStuck || (cycles == o.cycles && counts == o.counts));
  }
};

Outcome runWith(const RandomCase &c, const sim::FastForwardOptions &options) {
  const ChannelSpec spec = sim::pim::channelSpec(c.machine);
  const program::FlatLoops code = flatten(c.process, spec);
  Channels channels(spec, code, static_cast<int>(c.process.instances));
  const sim::FastForwardResult r = sim::FastForward<Channels>(channels, options).run();
  return {channels.cycles().value, r.skipped, r.isStuck, channels.counts()};
}

TEST(BarrierLists, AListForOneChannelTakesTheTimeOfItsOwnLoops) {
  std::int64_t ended = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomCase c = randomCase(seed, {600, 4, 40});
    c.machine.dram->controller.losesBarrierOnFullQueue = false;  // what a host loses that has queued everything
    const ChannelRun own = runChannel(c.machine, c.process);
    c.process.isShared = true;
    c.process.instances = 1;
    const Outcome list = runWith(c, {.isEnabled = false});
    ASSERT_EQ(list.isStuck, own.isStuck) << seed << "\n" << c.str();
    if (list.isStuck) continue;
    ++ended;
    ASSERT_EQ(list.cycles, own.cycles) << seed << "\n" << c.str();
    ASSERT_EQ(list.counts, own.counts) << seed << "\n" << c.str();
  }
  EXPECT_GT(ended, 200);
}

TEST(BarrierLists, TakeTheTimeOfEachChannelLookedAtInEveryCycle) {
  const std::int64_t cases = caseCount(100);
  std::int64_t ended = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const RandomCase c = randomBarrierList(static_cast<std::uint64_t>(seed), {300, 4, 40});
    const Outcome ours = runWith(c, {.isEnabled = false});
    if (ours.isStuck) continue;
    ++ended;
    const ChannelSpec spec = sim::pim::channelSpec(c.machine);
    const BarrierListRun plain =
        everyCycle(spec, flatten(c.process, spec), static_cast<int>(c.process.instances), ours.cycles + 100000);
    ASSERT_EQ(ours.cycles, plain.cycles) << "seed " << seed << "\n" << c.str();
    ASSERT_EQ(ours.counts, plain.counts) << "seed " << seed << "\n" << c.str();
  }
  EXPECT_GE(ended, cases / 4);
}

TEST(BarrierLists, FastForwardGivesTheTimeAndTheCountsOfAPlainRun) {
  const std::int64_t cases = caseCount(100);
  std::int64_t skipped = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const RandomCase c = randomBarrierList(static_cast<std::uint64_t>(seed), {4000, 4, 40});
    const Outcome plain = runWith(c, {.isEnabled = false}), fast = runWith(c, {});
    ASSERT_TRUE(fast == plain) << "seed " << seed << ": " << plain.cycles << ", fast-forwarded " << fast.cycles << "\n"
                               << c.str();
    skipped += fast.skipped > 0 ? 1 : 0;
  }
  EXPECT_GT(skipped, cases / 20);
}

TEST(BarrierLists, NoRunIsBelowTheLowerBound) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomCase c = randomBarrierList(seed, {400, 4, 40});
    const Outcome ours = runWith(c, {.isEnabled = false});
    if (ours.isStuck) continue;
    const ChannelSpec spec = sim::pim::channelSpec(c.machine);
    const auto bound =
        sim::dram::lowerBoundOf(spec, flatten(c.process, spec), {true, static_cast<int>(c.process.instances)});
    ASSERT_LE(bound.cycles.value, ours.cycles) << c.str();
    ASSERT_LE(bound.counts.columns, ours.counts.columns) << c.str();
  }
}

// A request may come in the cycle after the one before it: whether that has passed is part of the state.
TEST(BarrierListsRegression, AnArrivalThatMayComeNowIsToldFromOneThatMayNot) {
  RandomCase c = caseOf(1680);
  c.process.isShared = true;
  c.process.instances = 1;
  const Outcome plain = runWith(c, {.isEnabled = false}), fast = runWith(c, {});
  EXPECT_GT(fast.skipped, 0);
  EXPECT_TRUE(fast == plain) << plain.cycles << ", fast-forwarded " << fast.cycles;
}

RandomCase asList(RandomCase c, std::int64_t channels) {
  c.process.isShared = true;
  c.process.instances = channels;
  return c;
}

// What needs a part of a channel's state needs it in a list, too. The mode and whose turn it is to be precharged are
// left out: no list that was drawn needed them; loops of a channel's own do (fast_forward_test.cpp).
TEST(BarrierListsTeeth, WithoutAnyPartOfTheStateSomeCaseIsWrong) {
  for (std::size_t i = 0; i < Channels::kParts.size(); ++i) {
    const auto need = std::find_if(kStateNeeds.begin(), kStateNeeds.end(),
                                   [i](const StateNeed &n) { return n.part == Channels::kParts[i]; });
    ASSERT_NE(need, kStateNeeds.end()) << Channels::kParts[i];
    if (Channels::kParts[i] == "turn" || Channels::kParts[i] == "mode") continue;
    bool isWrong = false;
    for (std::int64_t n = 0; n < 140 && !isWrong; ++n) {
      const RandomCase c = asList(need->make(n), 1 + n % 3);
      const Outcome plain = runWith(c, {.isEnabled = false});
      ASSERT_TRUE(runWith(c, {}) == plain) << Channels::kParts[i] << " " << n;
      isWrong = !(runWith(c, {.weakening = {sim::Parts{1} << i}}) == plain);
    }
    EXPECT_TRUE(isWrong) << "nothing needs " << Channels::kParts[i];
  }
}

}  // namespace
}  // namespace pimento::test
