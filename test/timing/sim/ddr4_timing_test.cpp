// DDR4-3200: every constraint of its table at the device (not at t-1, yes at t), and every JEDEC rule on the commands
// of random requests, looked up command by command.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/dram/memory.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using sim::dram::Device;
using sim::dram::DeviceSpec;
using sim::dram::IssuedCommand;
using sim::dram::Tick;

// JESD79-4B at tCK 0.625 ns, written down again from the standard: cycles of ns are rounded up.
constexpr double kClock = 0.625;
Tick ns(double time, Tick atLeast = 0) {
  return std::max(atLeast, static_cast<Tick>(std::ceil(time / kClock - 1e-9)));
}
const Tick kCl = ns(13.75), kCwl = 16, kBl = 4, kRcd = ns(13.75), kRp = ns(13.75), kRas = ns(32), kRc = ns(45.75),
           kCcdS = 4, kCcdL = ns(5, 5), kRrdS = ns(2.5, 4), kRrdL = ns(4.9, 4), kFaw = ns(21, 20), kRtp = ns(7.5, 4),
           kWtrS = ns(2.5, 2), kWtrL = ns(7.5, 4), kWr = ns(15), kRfc = ns(350), kRefi = ns(7800);

enum class Where : std::uint8_t { kBank, kGroup, kRank };
struct Rule {
  const char *before, *after;
  Where where;
  Tick wait;
};
const std::vector<Rule> &rules() {
  static const std::vector<Rule> all{
      {"RD", "RD", Where::kRank, kCcdS},
      {"RD", "RD", Where::kGroup, kCcdL},
      {"WR", "WR", Where::kRank, kCcdS},
      {"WR", "WR", Where::kGroup, kCcdL},
      {"RD", "WR", Where::kRank, kCl + kBl + 2 - kCwl},
      {"WR", "RD", Where::kRank, kCwl + kBl + kWtrS},
      {"WR", "RD", Where::kGroup, kCwl + kBl + kWtrL},
      {"RD", "PRE", Where::kBank, kRtp},
      {"WR", "PRE", Where::kBank, kCwl + kBl + kWr},
      {"ACT", "RD", Where::kBank, kRcd},
      {"ACT", "WR", Where::kBank, kRcd},
      {"ACT", "PRE", Where::kBank, kRas},
      {"ACT", "ACT", Where::kBank, kRc},
      {"ACT", "ACT", Where::kGroup, kRrdL},
      {"ACT", "ACT", Where::kRank, kRrdS},
      {"PRE", "ACT", Where::kBank, kRp},
      {"REF", "ACT", Where::kRank, kRfc},
  };
  return all;
}

int commandOf(const machine::Dram &d, const std::string &name) {
  for (std::size_t i = 0; i < d.commands.size(); ++i)
    if (d.commands[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << name;
  return 0;
}

constexpr int kBanksPerGroup = 4, kBanks = 16;
bool isAt(Where where, int a, int b) {
  return where == Where::kRank || (where == Where::kGroup ? a / kBanksPerGroup == b / kBanksPerGroup : a == b);
}

TEST(Ddr4Timing, TheDeviceHasEveryRuleOfTheStandardAndNoOther) {
  const machine::Machine m = load("l3-uncore");
  const DeviceSpec spec(*m.dram);
  constexpr Tick kStart = 1000;
  constexpr int kFirst = 5;
  for (const char *before : {"ACT", "PRE", "RD", "WR", "REF"})
    for (const char *after : {"ACT", "PRE", "RD", "WR"})
      for (int bank = 0; bank < kBanks; ++bank) {
        Tick expected = kStart;
        for (const Rule &r : rules())
          if (std::string(r.before) == before && std::string(r.after) == after && isAt(r.where, kFirst, bank))
            expected = std::max(expected, kStart + r.wait);
        Device device(spec);
        const bool isRefresh = std::string(before) == "REF";
        device.issue(commandOf(*m.dram, before), isRefresh ? 0 : kFirst, 7, 0, kStart);
        const int next = commandOf(*m.dram, after);
        EXPECT_EQ(device.earliest(next, bank, kStart), expected) << before << " " << after << " " << bank;
        if (expected > kStart) {
          EXPECT_NE(device.earliest(next, bank, expected - 1), expected - 1);
        }
        EXPECT_EQ(device.earliest(next, bank, expected), expected);
      }
}

TEST(Ddr4Timing, FourActivatesFillAWindow) {
  const machine::Machine m = load("l3-uncore");
  const DeviceSpec spec(*m.dram);
  Device device(spec);
  const int act = commandOf(*m.dram, "ACT");
  for (int i = 0; i < 4; ++i) device.issue(act, i * kBanksPerGroup, 7, 0, 1000 + i * kRrdS);
  EXPECT_EQ(device.earliest(act, 1, 1000 + 3 * kRrdS), 1000 + kFaw);
}

TEST(Ddr4Timing, TheFileHasTheStandardsTimes) {
  const machine::Machine m = load("l3-uncore");
  EXPECT_EQ(m.dram->refreshInterval, Cycles(kRefi));
  EXPECT_EQ(m.dram->refreshTime, Cycles(kRfc));
  EXPECT_EQ(m.dram->prechargeTime, Cycles(kRp));
  EXPECT_EQ(m.dram->readLatency, Cycles(kCl + kBl));
  EXPECT_EQ(m.dram->writeLatency, Cycles(kCwl + kBl));
}

struct Recorder final : sim::dram::CommandObserver {
  void onCommand(const IssuedCommand &c) override { all.push_back(c); }
  std::vector<IssuedCommand> all;
};

/// What is wrong with a list of commands, one after the other against all that may hold them back.
std::string fault(const machine::Dram &d, const std::vector<IssuedCommand> &commands) {
  const auto nameOf = [&](const IssuedCommand &c) { return d.commands[static_cast<std::size_t>(c.op)].name; };
  std::vector<std::int64_t> open(kBanks, -1);
  std::vector<Tick> closed(kBanks, -kRfc), activates;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const IssuedCommand &c = commands[i];
    const std::string name = nameOf(c), at = name + " in cycle " + std::to_string(c.time);
    for (std::size_t j = i; j-- > 0 && c.time - commands[j].time <= kRfc;) {
      const IssuedCommand &p = commands[j];
      if (p.time == c.time && nameOf(p) == name) return at + ": two at once";
      for (const Rule &r : rules())
        if (nameOf(p) == r.before && name == r.after && isAt(r.where, p.bank, c.bank) && c.time < p.time + r.wait)
          return at + ": too early after " + r.before + " in cycle " + std::to_string(p.time);
    }
    std::int64_t &row = open[static_cast<std::size_t>(c.bank)];
    if (name == "ACT") {
      if (row >= 0) return at + ": the bank is open";
      if (activates.size() >= 4 && c.time < activates[activates.size() - 4] + kFaw) return at + ": a fifth in tFAW";
      activates.push_back(c.time);
      row = c.row;
    } else if (name == "PRE") {
      row = -1;
      closed[static_cast<std::size_t>(c.bank)] = c.time;
    } else if (name == "REF") {
      for (int b = 0; b < kBanks; ++b)
        if (open[static_cast<std::size_t>(b)] >= 0 || c.time < closed[static_cast<std::size_t>(b)] + kRp)
          return at + ": bank " + std::to_string(b) + " is not idle";
    } else if (row != c.row) {
      return at + ": another row is open";
    }
  }
  return {};
}

TEST(Ddr4Timing, CommandsOfRandomRequestsKeepEveryRule) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const machine::Machine m = load("l3-uncore", {{"organization.channels", "1"}});
    Rng rng(seed);
    Recorder recorder;
    sim::dram::Memory memory(*m.dram, &recorder);
    Tick t = 0;
    const std::uint64_t bytes = std::uint64_t{1} << (14 + 2 * (seed % 6)), pause = 1 + 8 * (seed % 4);
    constexpr int kRequests = 3000;
    for (int i = 0; i < kRequests; ++i) {
      t += static_cast<Tick>(rng.below(pause));
      memory.request(t, rng.below(bytes), rng.below(3) == 0);
    }
    memory.finish();
    std::size_t columns = 0;
    for (const IssuedCommand &c : recorder.all) columns += c.number >= 0 ? 1 : 0;
    EXPECT_EQ(columns, std::size_t{kRequests});
    EXPECT_EQ(fault(*m.dram, recorder.all), "") << "seed " << seed;
    // The checker sees what is wrong: every command a cycle too early after the first.
    std::vector<IssuedCommand> early = recorder.all;
    for (std::size_t i = 1; i < early.size(); ++i) early[i].time -= static_cast<Tick>(i);
    EXPECT_NE(fault(*m.dram, early), "");
  }
}

}  // namespace
}  // namespace pimento::test
