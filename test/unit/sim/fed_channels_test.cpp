// Channels with four queues: the rules, cycle for cycle against a plain model; fast-forward; what a state must hold.
#include "pimento/sim/dram/fed_channels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/sim/dram/bound.h"
#include "test/support/cases.h"
#include "test/support/plain_list.h"
#include "test/support/random_list.h"

namespace pimento::sim::dram {
namespace {

using test::RandomList;
using test::randomList;

constexpr std::int64_t kCommands = 1500;

struct Outcome {
  std::int64_t cycles = 0, skipped = 0;
  bool isStuck = false;
  ChannelCounts counts;

  bool operator==(const Outcome &o) const {
    return isStuck == o.isStuck && (isStuck || (cycles == o.cycles && counts == o.counts));
  }
};

Outcome runWith(const RandomList &c, const FastForwardOptions &options) {
  const ChannelSpec spec(*c.machine.dram);
  const program::FlatLoops code = spec.flatten(std::get<program::CommandLoops>(c.process().body), c.program.commands);
  FedChannels channels(spec, code, static_cast<int>(c.process().instances));
  const FastForwardResult r = FastForward<FedChannels>(channels, options).run();
  return {channels.cycles().value, r.skipped, r.isStuck, channels.counts()};
}

Weakening without(std::size_t part) {
  return {Parts{1} << part};
}

TEST(FedChannels, TakeTheTimeOfAPlainModel) {
  const std::int64_t cases = test::caseCount(24);
  std::int64_t ended = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const RandomList c = randomList(static_cast<std::uint64_t>(seed), 120);
    const Outcome ours = runWith(c, {.isEnabled = false});
    if (ours.isStuck) continue;
    ++ended;
    const ChannelSpec spec(*c.machine.dram);
    const program::FlatLoops code = spec.flatten(std::get<program::CommandLoops>(c.process().body), c.program.commands);
    test::PlainList plain(*c.machine.dram, spec, code, static_cast<int>(c.process().instances));
    ASSERT_EQ(plain.run(ours.cycles + 1000), ours.cycles) << "seed " << seed << "\n" << c.str();
  }
  EXPECT_GE(ended, cases / 4);  // the others are stuck, as random lists of rows and barriers may be
}

TEST(FedChannels, FastForwardGivesTheTimeAndTheCountsOfAPlainRun) {
  const std::int64_t cases = test::caseCount(100);
  std::int64_t skipped = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const RandomList c = randomList(static_cast<std::uint64_t>(seed), seed % 4 == 0 ? 12000 : kCommands);
    const Outcome plain = runWith(c, {.isEnabled = false}), fast = runWith(c, {});
    ASSERT_TRUE(fast == plain) << "seed " << seed << ": " << plain.cycles << ", fast-forwarded " << fast.cycles << "\n"
                               << c.str();
    skipped += fast.skipped > 0 ? 1 : 0;
  }
  EXPECT_GT(skipped, cases / 20);
}

// An interval between refreshes fits, and fits no longer once periods of it were skipped: an address crosses there.
TEST(FedChannels, PeriodsOfIntervalsEndWhereAnAddressCrosses) {
  const RandomList c = randomList(1879, kCommands);
  const Outcome plain = runWith(c, {.isEnabled = false}), fast = runWith(c, {});
  EXPECT_EQ(fast.cycles, plain.cycles);
  EXPECT_EQ(fast.counts.activates, plain.counts.activates);
  EXPECT_GT(fast.skipped, 0);
}

TEST(FedChannels, NoRunIsBelowTheLowerBound) {
  for (std::int64_t seed = 0; seed < test::caseCount(100); ++seed) {
    const RandomList c = randomList(static_cast<std::uint64_t>(seed), seed % 10 == 0 ? 12000 : 400);
    const Outcome ours = runWith(c, {.isEnabled = false});
    if (ours.isStuck) continue;
    const ChannelSpec spec(*c.machine.dram);
    const program::FlatLoops code = spec.flatten(std::get<program::CommandLoops>(c.process().body), c.program.commands);
    const ChannelBound bound = lowerBoundOfList(spec, code, static_cast<int>(c.process().instances));
    ASSERT_LE(bound.cycles.value, ours.cycles) << c.str();
    ASSERT_LE(bound.counts.columns, ours.counts.columns) << c.str();
  }
}

// Data that move in and out of rows keep the bus busy, refreshes aside: the bound knows both.
TEST(FedChannels, TheLowerBoundOfAStreamIsClose) {
  std::string text = "program attacc\nprocess list x1 shared {\nloop i 2000 {\n";
  for (int bank = 0; bank < 64; bank += 4)
    text += fmt::format("RD rank {} bank {} at 32*i host_read\n", bank / 32, bank % 32);
  const Result<program::Program> p = program::parse(text + "}\n}\n", "list.llvcnm");
  ASSERT_TRUE(p) << (p ? "" : p.diagnostics().front().str());
  RandomList c{test::load("attacc"), *p};
  const Outcome ours = runWith(c, {});
  const ChannelSpec spec(*c.machine.dram);
  const program::FlatLoops code = spec.flatten(std::get<program::CommandLoops>(c.process().body), c.program.commands);
  const ChannelBound bound = lowerBoundOfList(spec, code, 1);
  EXPECT_LE(bound.cycles.value, ours.cycles);
  EXPECT_GE(static_cast<double>(bound.cycles.value), 0.9 * static_cast<double>(ours.cycles));
}

/// A list for one channel of the published machine, in a loop; no refreshes.
RandomList inLoop(int trips, const std::vector<std::string> &commands) {
  std::string text =
      fmt::format("program attacc-published\ncommand MACAB read\nprocess list x1 shared {{\nloop i {} {{\n", trips);
  for (const std::string &c : commands) text += c + "\n";
  const Result<program::Program> p = program::parse(text + "}\n}\n", "list.llvcnm");
  EXPECT_TRUE(p) << (p ? "" : p.diagnostics().front().str());
  RandomList c{test::load("attacc-published"), *p};
  c.machine.dram->controller.refreshPolicy = "none";
  return c;
}

std::vector<std::string> times(int n, const std::string &command) {
  return std::vector<std::string>(static_cast<std::size_t>(n), command);
}

/// Writes pile up among reads, and are not served before many of them wait.
RandomList writesThatPileUp() {
  std::vector<std::string> commands = times(8, "RD rank 0 bank 0 at 0 host_read");
  commands.emplace_back("WR rank 0 bank 1 at 0 host_write");
  return inLoop(24, commands);
}

/// Reads that find their address among the writes, more in a cycle than data can leave.
RandomList dataThatPileUp() {
  std::vector<std::string> commands = times(8, "RD rank 0 bank 0 at 0 host_read");
  commands.insert(commands.begin(), "WR rank 0 bank 0 at 0 host_write");
  return inLoop(400, commands);
}

/// A row that is hit for ever keeps refreshes waiting.
RandomList refreshesThatPileUp() {
  RandomList c = inLoop(20000, times(8, "MACAB at 0 pim_mac"));
  c.machine.dram->controller.refreshPolicy = "per-pseudo-channel";
  c.machine.dram->refreshInterval = Cycles(1000);
  return c;
}

/// Lists of which one needs the part; none: no short list is known that does (reads, rows).
std::vector<RandomList> needing(std::string_view part) {
  if (part == "writes") return {writesThatPileUp()};
  if (part == "data") return {dataThatPileUp()};
  if (part == "refreshes") return {refreshesThatPileUp()};
  if (part == "process") return {randomList(176, 600)};
  if (part == "pim") return {randomList(5, 600)};
  if (part == "waits") return {randomList(14, 600)};
  return {};
}

TEST(FedChannelsTeeth, WithoutAnyPartOfTheStateSomeCaseIsWrong) {
  for (std::size_t i = 0; i < FedChannels::kParts.size(); ++i) {
    const std::vector<RandomList> lists = needing(FedChannels::kParts[i]);
    if (lists.empty()) continue;
    bool isWrong = false;
    for (const RandomList &c : lists) {
      const Outcome plain = runWith(c, {.isEnabled = false});
      ASSERT_TRUE(runWith(c, {}) == plain) << FedChannels::kParts[i] << "\n" << c.str();
      isWrong |= !(runWith(c, {.weakening = without(i)}) == plain);
    }
    EXPECT_TRUE(isWrong) << "nothing needs " << FedChannels::kParts[i];
  }
}

TEST(FedChannels, EqualChannelsAreSimulatedOnceAndUnequalOnesApart) {
  RandomList c = randomList(1, 10);
  c.machine = test::load("attacc-published");
  const auto groupsOf = [&](const char *list) {
    const Result<program::Program> p = program::parse(
        fmt::format("program attacc-published\ncommand MACAB read\nprocess list x16 shared {{\n{}}}\n", list),
        "list.llvcnm");
    EXPECT_TRUE(p) << (p ? "" : p.diagnostics().front().str());
    const ChannelSpec spec(*c.machine.dram);
    const program::FlatLoops code = spec.flatten(std::get<program::CommandLoops>(p->processes[0].body), p->commands);
    FedChannels channels(spec, code, 16);
    FastForward<FedChannels>(channels, {false}).run();
    return channels.groups();
  };
  EXPECT_EQ(groupsOf("loop i 100 {\n MACAB at 32*i pim_mac\n}\n"), 1);
  EXPECT_EQ(groupsOf("loop i 10 {\n MACAB channels 0 x4 at 32*i pim_mac\n}\n"), 2);
  EXPECT_EQ(groupsOf("MACAB at 0 pim_mac\nMACAB channels 0 x8 step 2 at 32 pim_mac\n"), 2);
}

}  // namespace
}  // namespace pimento::sim::dram
