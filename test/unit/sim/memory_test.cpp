// DDR4-3200 fed with requests: bandwidth of streams, times of single requests, order, refresh.
#include "pimento/sim/dram/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/sim/cache/main_memory.h"
#include "pimento/sim/dram/address_map.h"
#include "pimento/sim/dram/channel.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using sim::dram::Answer;
using sim::dram::Memory;
using sim::dram::Tick;

constexpr std::uint64_t kLine = 64;
/// l3-uncore: four lines in the groups of a channel, then the next of 16 channels.
constexpr std::uint64_t kGroups = 4, kChannels = 16, kColumns = 128;
constexpr std::uint64_t kColumn = kLine * kGroups * kChannels, kBank = kColumn * kColumns, kRow = kBank * 4;

class Ddr4 : public ::testing::Test {
 protected:
  static machine::Machine machineOf(const std::string &refresh) {
    return load("l3-uncore", {{"refresh.policy", refresh}});
  }
  Tick n(const std::string &name) const { return static_cast<Tick>(machine_.numbers.at("timing.n" + name).canonical); }
  static std::map<std::int64_t, Tick> answersOf(Memory &memory) {
    memory.finish();
    std::map<std::int64_t, Tick> times;
    for (const Answer &a : memory.takeAnswers()) EXPECT_TRUE(times.emplace(a.request, a.time).second);
    return times;
  }
  /// Bytes per second of a channel, in 10^9, for a stream of `lines` from address 0 on, all wanted at once.
  static double stream(const machine::Machine &m, std::int64_t lines, bool isWrite) {
    Memory memory(*m.dram);
    for (std::int64_t i = 0; i < lines; ++i) memory.request(0, static_cast<std::uint64_t>(i) * kLine, isWrite);
    memory.finish();
    const std::vector<Answer> answers = memory.takeAnswers();
    EXPECT_EQ(static_cast<std::int64_t>(answers.size()), lines);
    const double seconds = static_cast<double>(answers.back().time) / (m.clocks.at("memory") * 1e9);
    return static_cast<double>(lines) * static_cast<double>(kLine) / seconds / 1e9 / static_cast<double>(kChannels);
  }

  machine::Machine machine_ = machineOf("none");
};

TEST_F(Ddr4, AnAddressLiesInTheFieldsOfTheMap) {
  const machine::Organization &o = machine_.dram->organization;
  EXPECT_EQ(sim::dram::placeOf(o, kLine * kGroups).channel, 1);
  EXPECT_EQ(sim::dram::placeOf(o, kColumn).column, 1);
  EXPECT_EQ(sim::dram::placeOf(o, kLine).bank, 4) << "the next group";
  EXPECT_EQ(sim::dram::placeOf(o, kBank).bank, 1);
  EXPECT_EQ(sim::dram::placeOf(o, kRow).row, 1);
}

// A request is seen in the cycle after it arrives.
TEST_F(Ddr4, ReadsOfClosedOpenAndOtherRowsTakeTheirTimes) {
  Memory memory(*machine_.dram);
  memory.request(100, 0, false);
  memory.request(1000, kColumn, false);
  memory.request(2000, kRow, false);
  memory.request(3000, kRow, true);
  const auto times = answersOf(memory);
  EXPECT_EQ(times.at(0), 101 + n("RCD") + n("CL") + n("BL"));
  EXPECT_EQ(times.at(1), 1001 + n("CL") + n("BL"));
  EXPECT_EQ(times.at(2), 2001 + n("RP") + n("RCD") + n("CL") + n("BL"));
  EXPECT_EQ(times.at(3), 3001 + n("CWL") + n("BL"));
  EXPECT_EQ(memory.counts().activates, 2);
  EXPECT_EQ(memory.counts().precharges, 1);
  EXPECT_EQ(memory.counts().reads, 3);
  EXPECT_EQ(memory.counts().writes, 1);
}

TEST_F(Ddr4, AGroupIsSlowerThanARank) {
  Memory memory(*machine_.dram);
  memory.request(0, 0, false);
  memory.request(0, kColumn, false);
  memory.request(500, kLine, false);  // opens the other group
  memory.request(1000, 2 * kColumn, false);
  memory.request(1000, kLine + kColumn, false);
  const auto times = answersOf(memory);
  EXPECT_EQ(times.at(1) - times.at(0), n("CCDL"));
  EXPECT_EQ(times.at(4) - times.at(3), n("CCDS"));
}

TEST_F(Ddr4, AnOpenRowGoesFirst) {
  Memory memory(*machine_.dram);
  memory.request(0, 0, false);
  memory.request(1000, kColumn, false);  // the row must stay open for tRTP
  memory.request(1000, kRow, false);
  memory.request(1000, 2 * kColumn, false);
  const auto times = answersOf(memory);
  EXPECT_EQ(times.at(3), times.at(1) + n("CCDL"));
  EXPECT_GT(times.at(2), times.at(3));
}

TEST_F(Ddr4, StreamsReachEightyFivePercentOfTheBus) {
  const machine::Machine refreshed = machineOf("per-rank");
  constexpr double kPeak = 25.6;
  const double read = stream(refreshed, 1 << 18, false), written = stream(refreshed, 1 << 18, true);
  EXPECT_GE(read, 0.85 * kPeak);
  EXPECT_LE(read, kPeak);
  EXPECT_GE(written, 0.85 * kPeak);
  EXPECT_LE(written, kPeak);
  RecordProperty("read", std::to_string(read));
  RecordProperty("written", std::to_string(written));
}

TEST_F(Ddr4, RefreshesTakeTheirShareOfTime) {
  const machine::Machine refreshed = machineOf("per-rank");
  Memory memory(*refreshed.dram);
  const Tick end = 20 * n("REFI");
  for (Tick t = 0; t < end; t += 64) memory.request(t, static_cast<std::uint64_t>(t) * kColumn % kBank, false);
  memory.workUntil(end);
  const std::int64_t each = memory.counts().refreshes / static_cast<std::int64_t>(kChannels);
  EXPECT_GE(each, 18);
  EXPECT_LE(each, 20);
}

TEST_F(Ddr4, WhenItIsToldToWorkChangesNothing) {
  const machine::Machine refreshed = machineOf("per-rank");
  Rng rng(11);
  Memory atOnce(*refreshed.dram), stepByStep(*refreshed.dram);
  Tick t = 0;
  std::vector<Answer> early;
  for (int i = 0; i < 20000; ++i) {
    t += static_cast<Tick>(rng.below(4));
    const std::uint64_t address = rng.below(std::uint64_t{1} << 33) / kLine * kLine;
    const bool isWrite = rng.below(3) == 0;
    atOnce.request(t, address, isWrite);
    stepByStep.request(t, address, isWrite);
    if (rng.below(5) == 0) {
      stepByStep.workUntil(t);
      for (const Answer &a : stepByStep.takeAnswers()) early.push_back(a);
    }
  }
  EXPECT_FALSE(early.empty());
  auto times = answersOf(stepByStep);
  for (const Answer &a : early) EXPECT_TRUE(times.emplace(a.request, a.time).second);
  EXPECT_EQ(times, answersOf(atOnce));
  EXPECT_EQ(times.size(), 20000u);
}

// Both engines are the same channels: what one is told in the order of time, the other may be asked in any order.
TEST_F(Ddr4, AnswersWhatMainMemoryAnswers) {
  machine::Machine m = machineOf("per-rank");
  m.memory = machine::MainMemory{Cycles(0)};
  m.clockGHz = m.clocks.at("memory");
  sim::cache::MainMemory asked(m);
  Memory told(*m.dram);
  Rng rng(5);
  std::vector<Tick> expected;
  for (int i = 0; i < 300; ++i) {
    const Tick t = 1500 * (i + 1);
    const std::uint64_t address = rng.below(std::uint64_t{1} << 30) / kLine * kLine;
    expected.push_back(asked.read(address, kLine, t));
    told.request(t, address, false);
  }
  const auto times = answersOf(told);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(times.at(i), expected[static_cast<std::size_t>(i)]) << i;
}

}  // namespace
}  // namespace pimento::test
