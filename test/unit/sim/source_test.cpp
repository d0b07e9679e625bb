// Where a channel's commands come from: loops, a list, requests with their times; one engine, whichever.
#include "pimento/sim/dram/source.h"

#include <gtest/gtest.h>

#include "test/support/random_program.h"

namespace pimento::test {
namespace {

using program::Transaction;
using sim::Checkpoint;
using sim::dram::ChannelOf;
using sim::dram::ChannelSpec;
using sim::dram::ListSource;
using sim::dram::RequestSource;
using sim::dram::Tick;

std::vector<Transaction> listOf(const program::FlatLoops &code) {
  std::vector<Transaction> list;
  for (program::LoopsCursor c(code); !c.isDone(); c.advance()) list.push_back(c.peek());
  return list;
}

TEST(ListSource, ItsCommandsTakeTheTimeOfTheLoopsTheyCameFrom) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomCase c = randomCase(seed, {400, 4, 40});
    const ChannelSpec spec = sim::pim::channelSpec(c.machine);
    const program::FlatLoops code = flatten(c.process, spec);
    const ChannelRun loops = runChannel(c.machine, c.process);
    Recorder recorder;
    ChannelOf<ListSource> channel(spec, listOf(code), &recorder);
    const ChannelRun list = runToEnd(channel, recorder);
    ASSERT_EQ(list.trace, loops.trace) << seed << "\n" << c.str();
    ASSERT_EQ(list.cycles, loops.cycles);
    ASSERT_EQ(list.isStuck, loops.isStuck);
    ASSERT_EQ(list.counts, loops.counts);
  }
}

TEST(ListSource, AnEmptyListIsDoneAtOnce) {
  const machine::Machine m = handMachine();
  const ChannelSpec spec = sim::pim::channelSpec(m);
  ChannelOf<ListSource> channel(spec, std::vector<Transaction>{});
  EXPECT_EQ(channel.run().kind, Checkpoint::Kind::kDone);
}

/// Runs until the channel has nothing to do before its source knows more.
template <typename Channel>
Checkpoint::Kind runOn(Channel &channel) {
  for (;;)
    if (const Checkpoint c = channel.run(); c.kind != Checkpoint::Kind::kEvent) return c.kind;
}

class Requests : public ::testing::Test {
 protected:
  Transaction read(int bank, std::int64_t row, std::int64_t column = 0) const {
    return spec_.transaction(spec_.read, bank, row, column);
  }
  machine::Machine machine_ = handMachine({.refresh = "none"});
  ChannelSpec spec_ = sim::pim::channelSpec(machine_);
  Recorder recorder_;
  ChannelOf<RequestSource> channel_{spec_, RequestSource{}, &recorder_};
};

// What arrives in cycle 100 is seen in 101; tRCD 14, tCCDL 4, and a read ends 23 cycles after its issue.
TEST_F(Requests, GoWhenTheyHaveArrived) {
  channel_.source().handIn(100, read(0, 7));
  channel_.source().handIn(100, read(0, 7, 1));
  channel_.source().handIn(300, read(0, 7, 2));
  channel_.source().close();
  EXPECT_EQ(runOn(channel_), Checkpoint::Kind::kDone);
  // The row that nobody wants any more closes as soon as tRAS allows.
  const std::vector<Issued> expected = {{101, "ACT", 0, 7}, {115, "RD", 0, 7, 0}, {119, "RD", 0, 7, 1},
                                        {134, "PRE", 0, 7}, {301, "ACT", 0, 7},   {315, "RD", 0, 7, 2}};
  EXPECT_EQ(recorder_.trace, expected);
  EXPECT_EQ(channel_.cycles().value, 315 + 23 + 1);
}

TEST_F(Requests, AreWaitedForAndNoFurther) {
  EXPECT_EQ(runOn(channel_), Checkpoint::Kind::kWaiting);
  EXPECT_EQ(channel_.now(), 1);
  channel_.source().promise(50);
  EXPECT_EQ(runOn(channel_), Checkpoint::Kind::kWaiting);
  EXPECT_EQ(channel_.now(), 51);
  channel_.source().handIn(60, read(2, 9));
  EXPECT_EQ(runOn(channel_), Checkpoint::Kind::kWaiting);
  EXPECT_TRUE(recorder_.trace.empty()) << "another request of cycle 60 may still come";
  channel_.source().promise(61);
  EXPECT_EQ(runOn(channel_), Checkpoint::Kind::kWaiting);
  ASSERT_EQ(recorder_.trace.size(), 1U);
  EXPECT_EQ(recorder_.trace[0], (Issued{61, "ACT", 2, 9}));
  channel_.source().close();
  EXPECT_EQ(runOn(channel_), Checkpoint::Kind::kDone);
}

TEST_F(Requests, ALongPauseIsNoStarvation) {
  machine_ = handMachine();
  spec_ = sim::pim::channelSpec(machine_);
  ChannelOf<RequestSource> channel(spec_, RequestSource{}, &recorder_);
  channel.source().handIn(3 * spec_.patience, read(0, 7));
  channel.source().close();
  EXPECT_EQ(runOn(channel), Checkpoint::Kind::kDone);
  EXPECT_EQ(channel.counts().columns, 1);
}

// Observers know a request by its number, in order of arrival.
TEST_F(Requests, AreKnownByTheirNumbers) {
  struct Numbers final : sim::dram::CommandObserver {
    void onCommand(const sim::dram::IssuedCommand &c) override {
      if (c.number >= 0) seen.push_back(c.number);
    }
    std::vector<int> seen;
  } numbers;
  ChannelOf<RequestSource> channel(spec_, RequestSource{}, &numbers);
  channel.source().handIn(0, read(0, 7));
  channel.source().handIn(1, read(0, 8));
  channel.source().handIn(2, read(0, 7, 3));
  channel.source().close();
  runOn(channel);
  EXPECT_EQ(numbers.seen, (std::vector<int>{0, 2, 1})) << "the open row first";
}

// Whoever hands requests in may do so as late as he promised.
TEST(RequestSource, GivesOneRunHoweverItsRequestsAreHandedIn) {
  std::int64_t commands = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomCase c = randomCase(seed, {300, 4, 30});
    c.machine.dram->controller.losesBarrierOnFullQueue = false;
    const ChannelSpec spec = sim::pim::channelSpec(c.machine);
    const program::FlatLoops code = flatten(c.process, spec);
    const std::vector<Transaction> list = listOf(code);
    Rng rng(seed);
    std::vector<Tick> times;
    Tick time = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (rng.integer(0, 3) == 0) time += rng.integer(0, rng.integer(0, 9) == 0 ? 4000 : 40);
      times.push_back(time);
    }
    Recorder atOnceTrace, lateTrace;
    ChannelOf<RequestSource> atOnce(spec, RequestSource{}, &atOnceTrace), late(spec, RequestSource{}, &lateTrace);
    for (std::size_t i = 0; i < list.size(); ++i) atOnce.source().handIn(times[i], list[i]);
    atOnce.source().close();
    const ChannelRun expected = runToEnd(atOnce, atOnceTrace);
    bool isStuck = false;
    for (std::size_t i = 0; i < list.size() && !isStuck; ++i) {
      late.source().promise(times[i] - rng.integer(0, std::min<Tick>(times[i], 20)));
      isStuck = runOn(late) == Checkpoint::Kind::kStuck;
      late.source().handIn(times[i], list[i]);
      if (rng.integer(0, 1) == 0) isStuck = isStuck || runOn(late) == Checkpoint::Kind::kStuck;
    }
    late.source().close();
    const ChannelRun run = isStuck ? ChannelRun{{}, 0, true, {}} : runToEnd(late, lateTrace);
    ASSERT_EQ(run.isStuck, expected.isStuck) << seed << "\n" << c.str();
    if (run.isStuck) continue;
    ASSERT_EQ(run.trace, expected.trace) << seed << "\n" << c.str();
    ASSERT_EQ(run.cycles, expected.cycles);
    ASSERT_EQ(run.counts, expected.counts);
    commands += static_cast<std::int64_t>(run.trace.size());
  }
  EXPECT_GT(commands, 10000);
}

}  // namespace
}  // namespace pimento::test
