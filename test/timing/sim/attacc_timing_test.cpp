// Every timing rule of `attacc`, written down by hand: not at t - 1, yes at t; and programs that break there, on the
// published model, what they keep here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "pimento/base/rng.h"
#include "pimento/program/text.h"
#include "pimento/sim/dram/fed_channels.h"
#include "pimento/sim/pim/all_bank.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using machine::ScopeLevel;
using sim::dram::Device;
using sim::dram::DeviceSpec;
using sim::dram::IssuedCommand;
using sim::dram::Tick;

machine::Machine loaded(const char *name, const std::vector<machine::Override> &overrides = {}) {
  auto m = machine::loadMachine(name, {PIMENTO_SOURCE_DIR "/machines"}, overrides);
  EXPECT_TRUE(m.ok()) << m.diagnostics().front().str();
  return std::move(*m);
}

/// After `before` at a node of `level`, `after` waits there.
struct Rule {
  const char *name;
  ScopeLevel level;
  std::vector<std::string> before, after;
  Tick latency;
  bool isPublished;  ///< the published model has it too, for all banks that the commands address
};

const std::vector<std::string> kData = {"WRGB",   "WRGBAB", "SETM",  "SETS", "MVSB", "MVGB",
                                        "MVGBAB", "SFM",    "RDACC", "RDSB", "RD",   "WR"};

/// The numbers of HBM3_5.2Gbps; tRCD 19, tRAS 45, tRTP 8, tWR 21, tRP 19, tFAW 39.
const std::vector<Rule> &rules() {
  using enum ScopeLevel;
  static const std::vector<Rule> kRules = {
      {"tRCD", kBank, {"ACT", "ACTAB"}, {"RD", "WR", "MACAB"}, 19, false},
      {"tRAS", kBank, {"ACT", "ACTAB"}, {"PRE", "PREA", "PREpc"}, 45, false},
      {"tRP", kBank, {"PRE", "PREA", "PREpc"}, {"ACT", "ACTAB"}, 19, false},
      {"tRC", kBank, {"ACT", "ACTAB"}, {"ACT", "ACTAB"}, 63, false},
      {"tRTP", kBank, {"RD", "MACAB"}, {"PRE", "PREA", "PREpc"}, 8, false},
      {"tWR", kBank, {"WR"}, {"PRE", "PREA", "PREpc"}, 6 + 2 + 21, false},
      {"tRP before REF", kPseudoChannel, {"PRE", "PREA", "PREpc"}, {"REFab"}, 19, false},
      {"tRC before REF", kPseudoChannel, {"ACT", "ACTAB"}, {"REFab"}, 63, false},
      {"tRFC", kPseudoChannel, {"REFab"}, {"ACT", "ACTAB", "REFab"}, 456, false},
      {"row bus", kChannel, {"ACT", "ACTAB"}, {"ACT", "ACTAB", "PRE", "PREA", "PREpc", "REFab"}, 2, false},
      {"tRRD_S", kRank, {"ACT", "ACTAB"}, {"ACT", "ACTAB"}, 2, false},
      {"tRRD_L", kBankGroup, {"ACT", "ACTAB"}, {"ACT", "ACTAB"}, 4, false},
      {"tFAW of all banks", kRank, {"ACTAB"}, {"ACT", "ACTAB"}, 39, false},
      {"tFAW before all banks", kRank, {"ACT"}, {"ACTAB"}, 39, false},
      {"WR before MACAB in a rank", kRank, {"WR"}, {"RD", "MACAB"}, 6 + 2 + 8, false},
      {"WR before MACAB in a group", kBankGroup, {"WR"}, {"RD", "MACAB"}, 6 + 2 + 11, false},
      {"RD before WR", kRank, {"RD"}, {"WR"}, 19 + 2 + 2 - 6, true},
      {"RD before MACAB", kBankGroup, {"RD"}, {"MACAB"}, 4, false},
      {"MACAB before a column", kBank, {"MACAB"}, {"RD", "WR"}, 6, false},
      {"tCCD of all banks", kChannel, {"MACAB"}, {"MACAB"}, 6, true},
      {"load before MACAB", kBank, {"WRGB", "WRGBAB", "SETM", "MVGB", "MVGBAB"}, {"MACAB"}, 6 + 2, false},
      {"MACAB before results", kBank, {"MACAB"}, {"MVSB", "RDACC", "SETM"}, 6, false},
      {"scores before softmax", kChannel, {"MVSB"}, {"SFM", "RDSB"}, 19 + 2, false},
      {"settings before softmax", kChannel, {"SETS"}, {"SFM"}, 6 + 2, false},
      {"tBL", kPseudoChannel, kData, kData, 2, true},
      {"tCCD_S", kRank, kData, kData, 2, true},
      {"tCCD_L", kBankGroup, kData, kData, 4, true},
  };
  return kRules;
}

int nodeOf(int bank, ScopeLevel level) {
  const int banksPerNode[] = {64, 16, 4, 1, 32};  // of channel, rank, bank group, bank, pseudo channel
  return bank / banksPerNode[static_cast<int>(level)];
}

/// The longest wait that the rules ask for between two commands by banks.
Tick waitOf(const machine::Dram &d, int before, int a, int after, int b) {
  const DeviceSpec spec(d);
  Tick wait = 0;
  for (const Rule &r : rules()) {
    const auto has = [&](const std::vector<std::string> &names, int command) {
      return std::find(names.begin(), names.end(), d.commands[static_cast<std::size_t>(command)].name) != names.end();
    };
    if (!has(r.before, before) || !has(r.after, after)) continue;
    for (int x = 0; x < 64; ++x)
      for (int y = 0; y < 64; ++y)
        if (((spec.reach(before, a) >> x) & 1U) != 0 && ((spec.reach(after, b) >> y) & 1U) != 0 &&
            nodeOf(x, r.level) == nodeOf(y, r.level))
          wait = std::max(wait, r.latency);
  }
  return wait;
}

TEST(AttaccTiming, EveryCommandWaitsForEveryOtherAsLongAsTheRulesSayAndNoLonger) {
  const machine::Machine m = loaded("attacc");
  const machine::Dram &d = *m.dram;
  const DeviceSpec spec(d);
  constexpr Tick kStart = 1000;
  std::set<std::string> bound;
  int pairs = 0;
  for (int before = 0; before < spec.commands; ++before)
    for (int after = 0; after < spec.commands; ++after)
      // The same bank, its group, another group, another rank, another pseudo channel.
      for (const int other : {5, 6, 9, 21, 40}) {
        if (d.commands[static_cast<std::size_t>(before)].kind == machine::CommandKind::kBarrier ||
            d.commands[static_cast<std::size_t>(after)].kind == machine::CommandKind::kBarrier)
          continue;
        Device device(spec);
        device.mark(before, 5, kStart, false);
        const Tick wait = waitOf(d, before, 5, after, other);
        const std::string what = d.commands[static_cast<std::size_t>(before)].name + " " +
                                 d.commands[static_cast<std::size_t>(after)].name + " bank " + std::to_string(other);
        ++pairs;
        if (wait > 0) {
          EXPECT_EQ(device.earliestForAll(after, other, kStart + wait - 1), kStart + wait) << what;
        }
        EXPECT_EQ(device.earliestForAll(after, other, kStart + wait), kStart + wait) << what;
      }
  EXPECT_GT(pairs, 1000);
}

TEST(AttaccTiming, AtMostFourBanksOfARankAreActivatedInAWindow) {
  const machine::Machine m = loaded("attacc");
  const DeviceSpec spec(*m.dram);
  const int act = m.dram->commandNamed("ACT");
  Device device(spec);
  for (int i = 0; i < 4; ++i) device.mark(act, 4 * i, 100 + 2 * i, false);
  EXPECT_EQ(device.earliest(act, 1, 138), 139);
  EXPECT_EQ(device.earliest(act, 17, 108), 108) << "another rank has a window of its own";
}

TEST(AttaccTiming, AnAllBankActivateCountsAsManyActivationsAsTheMachineSays) {
  for (const auto &[weight, wait] : {std::pair{"4", 39}, std::pair{"8", 78}, std::pair{"16", 156}}) {
    const machine::Machine m = loaded("attacc", {{"timing.tfaw_weight", weight}});
    const DeviceSpec spec(*m.dram);
    Device device(spec);
    device.mark(m.dram->commandNamed("ACTAB"), 0, 100, false);
    EXPECT_EQ(device.earliest(m.dram->commandNamed("ACT"), 63, 100), std::max(100 + wait, 163)) << weight;
  }
}

TEST(AttaccTiming, ASoftmaxTakesACycleForEachUnitOfItsLength) {
  for (const auto &[perEntry, length] : {std::pair{1, 256}, std::pair{4, 3}, std::pair{1, 65536}}) {
    const machine::Machine m = loaded("attacc", {{"timing.nSFM", std::to_string(perEntry)}});
    const DeviceSpec spec(*m.dram);
    const int softmax = m.dram->commandNamed("SFM");
    Device device(spec);
    device.mark(softmax, 0, 100, false, length);
    const Tick end = 100 + perEntry * length;
    for (const char *behind : {"SFM", "SETS", "MVGB", "MVGBAB"}) {
      const int after = m.dram->commandNamed(behind);
      EXPECT_EQ(device.earliestForAll(after, 40, end - 1), end) << behind;
      EXPECT_EQ(device.earliestForAll(after, 40, end), end) << behind;
    }
    EXPECT_LE(device.earliest(m.dram->commandNamed("MVSB"), 40, 104), 104) << "other entries can be filled meanwhile";
    EXPECT_EQ(device.earliest(m.dram->commandNamed("MACAB"), 40, 104), 104) << "units go on";
  }
}

// --- What whole programs do.

class Trace final : public sim::dram::CommandObserver {
 public:
  void onCommand(const IssuedCommand &c) override {
    if (commands.size() < kMost) commands.push_back(c);
  }
  static constexpr std::size_t kMost = 8000;
  std::vector<IssuedCommand> commands;
};

/// The first commands of a run. The published model opens and closes rows of most programs for ever.
std::vector<IssuedCommand> run(const machine::Machine &m, const std::string &text) {
  const auto program = program::parse(text);
  EXPECT_TRUE(program.ok()) << program.diagnostics().front().str();
  EXPECT_TRUE(program::verify(*program, m).ok()) << program::verify(*program, m).diagnostics().front().str();
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(m);
  const program::FlatLoops code =
      spec.flatten(std::get<program::CommandLoops>(program->processes.front().body), program->commands);
  Trace trace;
  sim::dram::FedChannels channels(spec, code, 1, &trace);
  const auto result = sim::FastForward<sim::dram::FedChannels>(channels, {false}).run();
  if (m.name == "attacc") {
    EXPECT_FALSE(result.isStuck) << "at " << channels.cycles().value;
  }
  return std::move(trace.commands);
}

/// Names of the rules that a run breaks; "one row" where an activate finds a row open.
std::set<std::string> brokenBy(const machine::Machine &m, const std::vector<IssuedCommand> &commands) {
  constexpr std::array<ScopeLevel, 5> kLevels = {ScopeLevel::kChannel, ScopeLevel::kRank, ScopeLevel::kBankGroup,
                                                 ScopeLevel::kBank, ScopeLevel::kPseudoChannel};
  std::set<std::string> broken;
  std::map<std::pair<std::string, std::pair<int, int>>, Tick> last;  // by command, level and node
  std::uint64_t open = 0;
  for (const IssuedCommand &c : commands) {
    const std::string &name = m.dram->commands[static_cast<std::size_t>(c.op)].name;
    for (const Rule &r : rules()) {
      if (std::find(r.after.begin(), r.after.end(), name) == r.after.end()) continue;
      for (int b = 0; b < 64; ++b) {
        if (((c.banks >> b) & 1U) == 0) continue;
        for (const std::string &before : r.before) {
          const auto at = last.find({before, {static_cast<int>(r.level), nodeOf(b, r.level)}});
          if (at != last.end() && c.time < at->second + r.latency) broken.insert(r.name);
        }
      }
    }
    for (int b = 0; b < 64; ++b)
      if (((c.banks >> b) & 1U) != 0)
        for (const ScopeLevel l : kLevels) last[{name, {static_cast<int>(l), nodeOf(b, l)}}] = c.time;
    if (c.kind == machine::CommandKind::kActivate) {
      if ((open & c.banks) != 0) broken.insert("one row");
      open |= c.banks;
    } else if (c.kind == machine::CommandKind::kPrecharge) {
      open &= ~c.banks;
    } else if (c.kind == machine::CommandKind::kRefresh && name == "REFab" && m.name == "attacc" &&
               (open & c.banks) != 0) {
      broken.insert("rows closed before REF");
    }
  }
  return broken;
}

/// Requests of all kinds to a few rows and banks.
std::string randomRequests(std::uint64_t seed) {
  Rng rng(seed);
  std::string text;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t rank = rng.integer(0, 3), bank = rng.integer(0, 15), row = rng.integer(0, 2);
    const std::string at = " at " + std::to_string(row * 1024 + 32 * rng.integer(0, 31));
    const std::string place = " rank " + std::to_string(rank) + " bank " + std::to_string(bank);
    switch (rng.below(8)) {
      case 0:
        text += "  RD" + place + at + " host_read\n";
        break;
      case 1:
      case 2:
        text += "  WR" + place + at + " host_write\n";
        break;
      case 3:
        text += "  WRGB" + place + " at 32 broadcast\n";
        break;
      case 4:
        text += rng.below(2) == 0 ? "  WRGBAB at 0 broadcast\n" : "  SETM at 0 control\n";
        break;
      case 5:
        text += "  MVSB" + place + " at 0 pim_move\n";
        break;
      default:
        text += "  MACAB" + at + " pim_mac\n";
        break;
    }
    if (rng.below(20) == 0) text += "  BARRIER at 0 control\n";
  }
  return text;
}

std::string programOf(const std::string &requests) {
  std::string text =
      "program attacc\ncommand MACAB read\ncommand WRGB write\ncommand WRGBAB write\ncommand SETM write\n"
      "command MVSB read\ncommand BARRIER read\nprocess c x1 {\n" +
      requests;
  // Long enough for a few refreshes, with gaps that let the published model close rows for them.
  text +=
      "  BARRIER at 0 control\n  loop i 150 {\n    loop j 10 {\n      MACAB at 0 pim_mac\n    }\n    BARRIER at 0 "
      "control\n"
      "    loop k 10 {\n      RD rank 1 bank 3 at 64 host_read\n    }\n    BARRIER at 0 control\n  }\n";
  return text + "}\n";
}

TEST(AttaccTiming, ObserversLearnWhichBurstOfItsImageAWriteSends) {
  const std::string text =
      "program attacc\ncommand WRGB write\nimage x bursts 12\nprocess c x1 {\n  loop i 3 {\n    loop k 4 {\n"
      "      WRGB bank 1 at 32*k broadcast data x[4*i+k]\n    }\n  }\n}\n";
  std::vector<std::int64_t> bursts;
  const machine::Machine m = loaded("attacc");
  for (const IssuedCommand &c : run(m, text))  // their names went with the run
    if (m.dram->commands[static_cast<std::size_t>(c.op)].name == "WRGB") bursts.push_back(c.burst);
  ASSERT_EQ(bursts.size(), 12U);
  for (std::size_t i = 0; i < bursts.size(); ++i) EXPECT_EQ(bursts[i], static_cast<std::int64_t>(i));
}

// A bank whose row is hit again and again: the published model puts refreshes off until the end.
TEST(AttaccTiming, ARefreshWaitsForNoMoreThanWhatIsUnderWay) {
  const std::string text =
      "program attacc\ncommand MACAB read\nprocess c x1 {\n  loop i 4000 {\n    MACAB at 0 pim_mac\n  }\n}\n";
  const auto refreshes = [&](const char *name) {
    std::vector<Tick> times;
    for (const IssuedCommand &c : run(loaded(name), text))
      if (c.kind == machine::CommandKind::kRefresh) times.push_back(c.time);
    return times;
  };
  const std::vector<Tick> here = refreshes("attacc"), there = refreshes("attacc-published");
  ASSERT_GE(here.size(), 8U);
  for (std::size_t i = 0; i < here.size(); ++i) {
    const Tick due = 5070 * (static_cast<Tick>(i) / 2 + 1);
    EXPECT_GE(here[i], due);
    EXPECT_LE(here[i], due + 8 + 19 + 21) << "refresh " << i;
  }
  ASSERT_FALSE(there.empty());
  EXPECT_GT(there.front(), 20000) << "the published model closes no row that is hit again";
}

TEST(AttaccTiming, WhatWasReadIsThereBeforeItIsWrittenBehindAWait) {
  const machine::Machine m = loaded("attacc");
  const std::string reads = "  RD rank 0 bank 0 at 0 host_read\n  RD rank 1 bank 4 at 0 host_read\n",
                    write = "  WR rank 2 bank 8 at 0 host_write\n",
                    head = "program attacc\ncommand WAIT read\ncommand BARRIER read\nprocess c x1 {\n";
  const auto gap = [&](const std::string &barrier) {
    Tick lastRead = 0, firstWrite = 0;
    for (const IssuedCommand &c : run(m, head + reads + barrier + write + "}\n")) {
      const std::string &name = m.dram->commands[static_cast<std::size_t>(c.op)].name;
      // The write's row is opened before it can go.
      if (name == "RD") lastRead = c.time;
      if (c.kind == machine::CommandKind::kActivate && c.bank == 2 * 16 + 8) firstWrite = c.time;
    }
    return firstWrite - lastRead;
  };
  EXPECT_EQ(gap("  WAIT at 0 control\n"), 19 + 2) << "nCL + nBL: not a cycle earlier, and no later";
  EXPECT_LT(gap("  BARRIER at 0 control\n"), 19 + 2);
}

TEST(AttaccTiming, ARunEndsWhenItsLastDataHaveArrived) {
  const auto cyclesOf = [](const char *name, Tick &last) {
    const machine::Machine m = loaded(name);
    const std::string text =
        "program attacc\ncommand MACAB read\ncommand RDACC read\ncommand BARRIER read\nprocess c x1 {\n"
        "  MACAB at 0 pim_mac\n  BARRIER at 0 control\n  RDACC rank 1 bank 5 at 0 pim_move\n}\n";
    for (const IssuedCommand &c : run(m, text)) last = c.time;
    const auto program = program::parse(text);
    const sim::dram::ChannelSpec spec = sim::pim::channelSpec(m);
    const program::FlatLoops code =
        spec.flatten(std::get<program::CommandLoops>(program->processes.front().body), program->commands);
    sim::dram::FedChannels channels(spec, code, 1);
    sim::FastForward<sim::dram::FedChannels>(channels, {}).run();
    return channels.cycles().value;
  };
  Tick sound = 0, published = 0;
  const std::int64_t here = cyclesOf("attacc", sound), there = cyclesOf("attacc-published", published);
  EXPECT_EQ(here, sound + 19 + 2);
  EXPECT_LT(there, published + 19 + 2) << "as published";
}

TEST(AttaccTiming, ProgramsThatBreakEachRuleOnThePublishedModelKeepItHere) {
  const machine::Machine sound = loaded("attacc"), published = loaded("attacc-published");
  std::set<std::string> brokenThere;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::string text = programOf(seed == 1 ? "" : randomRequests(seed));
    const std::set<std::string> here = brokenBy(sound, run(sound, text));
    EXPECT_TRUE(here.empty()) << "seed " << seed << ": " << *here.begin();
    const std::set<std::string> there = brokenBy(published, run(published, text));
    brokenThere.insert(there.begin(), there.end());
  }
  const std::string barrier = "  BARRIER at 0 control\n", mac = "  MACAB at 0 pim_mac\n";
  for (const std::string command : {"  WR rank 0 bank 0 at 32 host_write\n", "  WRGB rank 0 bank 0 at 0 broadcast\n"}) {
    const std::string text = programOf(mac + barrier + command + barrier + mac);
    EXPECT_TRUE(brokenBy(sound, run(sound, text)).empty()) << command;
    const std::set<std::string> there = brokenBy(published, run(published, text));
    brokenThere.insert(there.begin(), there.end());
  }
  // MACAB has banks in the group of every WR, whose wait is the longest.
  for (const char *rule :
       {"tRCD", "tRAS", "tRP", "tRC", "tRTP", "tWR", "tRP before REF", "tRFC", "tRRD_S", "tRRD_L", "tFAW of all banks",
        "tFAW before all banks", "WR before MACAB in a rank", "WR before MACAB in a group", "RD before MACAB",
        "MACAB before a column", "load before MACAB", "MACAB before results", "one row"})
    EXPECT_TRUE(brokenThere.contains(rule)) << rule;
}

}  // namespace
}  // namespace pimento::test
