// L3 slices on a mesh before DRAM: times on an idle chip, from those of its parts; contents; that nothing is lost.
#include "pimento/sim/uncore/uncore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/sim/dram/address_map.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using namespace sim::uncore;

constexpr std::uint64_t kLine = 64;

/// Notes when what was asked for is done.
struct Notes final : Client {
  std::vector<std::pair<Token, Tick>> done;
  void on(Token token, Tick now) override { done.emplace_back(token, now); }
  Tick of(Token token) const {
    for (const auto &[t, time] : done)
      if (t == token) return time;
    ADD_FAILURE() << token << " never came";
    return -1;
  }
};

struct Chip : ::testing::Test {
  machine::Machine machine = load("l3-uncore", {{"refresh.policy", "none"}});
  Notes notes;

  /// Of a packet alone on the mesh.
  Tick packet(Node from, Node to, Bytes data) const {
    if (from == to) return 0;
    sim::noc::Network network(*machine.noc);
    network.send(0, from, to, machine.noc->flits(data), Traffic::kData);
    network.finish();
    return network.takeArrivals().front().time;
  }
  /// When a read of an idle channel, asked for in cycle `at` of the chip, has its data.
  Tick memory(std::uint64_t address, Tick at) const {
    const sim::Clocks clocks(machine);
    sim::dram::Memory m(*machine.dram);
    m.request(clocks.toMemory(at), address, false);
    m.finish();
    return clocks.toCore(m.takeAnswers().front().time);
  }
};

TEST_F(Chip, LinesLieInSlicesByPieces) {
  const Uncore chip(machine, Slices::of(machine), notes);
  EXPECT_EQ(chip.home(0), 0);
  EXPECT_EQ(chip.home(1023), 0);
  EXPECT_EQ(chip.home(1024), 1);
  EXPECT_EQ(chip.home(64 * 1024), 0);
}

TEST_F(Chip, AHitTakesTheLatencyAndAPortTakesOneAccessPerCycle) {
  Uncore chip(machine, Slices::of(machine), notes);
  for (std::uint64_t line = 0; line < 4; ++line) chip.warm(line * kLine, false);
  for (Token i = 0; i < 4; ++i) chip.access(100, i * kLine, Access::kRead, i);
  chip.access(100, 0, Access::kWrite, 4);
  EXPECT_EQ(chip.run(), 124);
  for (Token i = 0; i < 5; ++i) EXPECT_EQ(notes.of(i), 120 + static_cast<Tick>(i));
  EXPECT_EQ(chip.network().flitHops(), 0);
}

TEST_F(Chip, AMissAsksTheControllerOfItsChannel) {
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{1024}, std::uint64_t{37} * 1024 + 512}) {
    SCOPED_TRACE(address);
    Notes own;
    Uncore chip(machine, Slices::of(machine), own);
    chip.access(1000, address, Access::kRead, 7);
    chip.run();
    const Node home = chip.home(address);
    const Node controller =
        Slices::of(machine)
            .controllers[static_cast<std::size_t>(sim::dram::placeOf(machine.dram->organization, address).channel)];
    const Tick asked = 1000 + 20 + packet(home, controller, Bytes(0));
    EXPECT_EQ(own.of(7), memory(address, asked) + packet(controller, home, Bytes(64)));
    const std::int64_t hops = chip.network().distance(home, controller);
    EXPECT_EQ(chip.network().flitHops(Traffic::kControl), hops);
    EXPECT_EQ(chip.network().flitHops(Traffic::kData), 3 * hops);
    EXPECT_TRUE(chip.holds(address));
    EXPECT_EQ(chip.memory().reads, 1);
  }
}

TEST_F(Chip, AccessesToALineOnItsWayWaitForIt) {
  Uncore chip(machine, Slices::of(machine), notes);
  chip.access(0, 128, Access::kRead, 1);
  chip.access(5, 128, Access::kWrite, 2);
  chip.access(9, 160, Access::kRead, 3);
  chip.run();
  EXPECT_EQ(notes.of(1), notes.of(2));
  EXPECT_EQ(notes.of(1), notes.of(3));
  EXPECT_EQ(chip.counts().misses, 1);
  EXPECT_EQ(chip.counts().merged, 2);
  EXPECT_EQ(chip.memory().reads, 1);
}

TEST_F(Chip, DirtyLinesThatGoAreWrittenBack) {
  Slices small = Slices::of(machine);
  small.size = Bytes(4 * 64);
  small.ways = 4;
  Uncore chip(machine, small, notes);
  // One set in a slice; five lines of slice 3.
  for (Token i = 0; i < 5; ++i) chip.access(static_cast<Tick>(1000 * i), 3 * 1024 + i * kLine, Access::kWriteWhole, i);
  chip.run();
  EXPECT_EQ(chip.counts().misses, 0) << "whole lines are not fetched";
  EXPECT_EQ(chip.counts().writeBacks, 1);
  EXPECT_EQ(chip.memory().writes, 1);
  EXPECT_EQ(chip.memory().reads, 0);
}

TEST_F(Chip, HoldsAsManyLinesAsItHasPlaces) {
  Slices small = Slices::of(machine);
  small.size = Bytes(8192);
  small.ways = 8;
  small.replacement = sim::cache::Replacement::kLru;
  Uncore chip(machine, small, notes);
  const std::uint64_t lines = 64 * 8192 / kLine;
  for (std::uint64_t i = 0; i < lines; ++i) chip.warm(i * kLine, false);
  for (std::uint64_t i = 0; i < lines; ++i) ASSERT_TRUE(chip.holds(i * kLine)) << i;
}

TEST_F(Chip, AMessageComesOncePerTile) {
  Uncore chip(machine, Slices::of(machine), notes);
  chip.send(10, 5, 62, Bytes(0), Traffic::kOffload, 1);
  chip.multicast(10000, 9, {1, 9, 63}, Bytes(64), Traffic::kOffload, 2);
  chip.at(3, 3);
  chip.run();
  EXPECT_EQ(notes.of(1), 10 + packet(5, 62, Bytes(0)));
  EXPECT_EQ(std::ranges::count(notes.done, Token{2}, &std::pair<Token, Tick>::first), 3);
  EXPECT_EQ(notes.done.front(), std::pair(Token{3}, Tick{3}));
}

/// Requests at random, one for each wake-up; each must be done once, later than it began, and memory reads what misses.
struct RandomClient final : Client {
  Uncore *chip = nullptr;
  Rng rng{1};
  std::vector<Tick> began;
  std::vector<int> times;
  Tick last = 0;
  void on(Token token, Tick now) override {
    EXPECT_GE(now, last) << "time goes back";
    last = now;
    EXPECT_GT(now, began[token]);
    ++times[token];
  }
};

TEST_F(Chip, LosesNothing) {
  const std::int64_t count = caseCount(20000);
  std::vector<Tick> ends;
  for (int run = 0; run < 2; ++run) {
    RandomClient client;
    Slices small = Slices::of(machine);
    small.size = Bytes(64 * 64);
    Uncore chip(machine, small, client);
    client.chip = &chip;
    Tick now = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      now += static_cast<Tick>(client.rng.below(6));
      client.began.push_back(now);
      client.times.push_back(0);
      const std::uint64_t address = client.rng.below(1 << 20);
      const auto what = static_cast<Access>(client.rng.below(3));
      if (client.rng.below(5) > 0)
        chip.access(now, address, what, static_cast<Token>(i));
      else
        chip.send(now, static_cast<Node>(client.rng.below(64)), static_cast<Node>(client.rng.below(63) + 1), Bytes(64),
                  Traffic::kData, static_cast<Token>(i));
    }
    // A message to its own tile is there at once.
    for (Tick &t : client.began) t -= 1;
    ends.push_back(chip.run());
    for (std::size_t i = 0; i < client.times.size(); ++i) ASSERT_EQ(client.times[i], 1) << i;
    EXPECT_EQ(chip.memory().reads, chip.counts().misses);
    EXPECT_EQ(chip.memory().writes, chip.counts().writeBacks);
    EXPECT_EQ(chip.network().packets(), chip.network().delivered());
    EXPECT_GT(chip.counts().merged, 0);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_F(Chip, StreamsReadNearlyAsFastAsMemoryDoes) {
  Uncore chip(machine, Slices::of(machine), notes);
  constexpr std::int64_t kLines = 64000;
  for (std::int64_t i = 0; i < kLines; ++i)
    chip.access(i / 16, static_cast<std::uint64_t>(i) * kLine, Access::kRead, static_cast<Token>(i));
  const Tick cycles = chip.run();
  const double perChannel = static_cast<double>(kLines) * 64 / static_cast<double>(cycles) * machine.clockGHz / 16;
  EXPECT_GT(perChannel, 0.8 * 25.6) << "GB/s";
  EXPECT_LE(perChannel, 25.6);
}

}  // namespace
}  // namespace pimento::test
