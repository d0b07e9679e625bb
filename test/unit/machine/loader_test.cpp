#include <gtest/gtest.h>

#include <map>
#include <string>

#include "pimento/base/file.h"
#include "pimento/machine/machine.h"
#include "test/support/machine_file.h"

namespace pimento::machine {
namespace {

using test::extended;
using test::load;

/// Latency of the constraint on `following` after `preceding` at `level`; -1 if there is none.
std::int64_t latency(const Machine &m, const std::string &preceding, const std::string &following, ScopeLevel level,
                     int window = 1) {
  for (const TimingConstraint &c : m.dram->constraints) {
    if (c.level == level && c.window == window && c.preceding.front() == m.dram->commandNamed(preceding) &&
        c.following.front() == m.dram->commandNamed(following)) {
      return c.latency.value;
    }
  }
  return -1;
}

TEST(HbmPim, OrganisationIsThatOfTheVendorsSimulator) {
  const Machine m = load("hbm-pim");
  ASSERT_TRUE(m.dram);
  const Organization &o = m.dram->organization;
  EXPECT_EQ(o.channels, 64);
  EXPECT_EQ(o.ranks, 2);
  EXPECT_EQ(o.banks(), 16);
  EXPECT_EQ(o.rows, 16384);
  EXPECT_EQ(o.columns, 32);
  EXPECT_EQ(o.burst.value, 32);
  EXPECT_EQ(m.clockGHz, 1.0);
  EXPECT_EQ(m.nativeType, DType::kF16);
  EXPECT_FALSE(m.notes.empty());
}

TEST(HbmPim, AddressesAreScheme8WithoutRankBits) {
  const Machine m = load("hbm-pim");
  const std::pair<std::string, int> kScheme8[] = {{"offset", 5}, {"channel", 6}, {"bank", 2}, {"bankgroup", 2},
                                                  {"column", 5}, {"row", 14},    {"rank", 0}};
  ASSERT_EQ(m.dram->organization.addressMap.size(), std::size(kScheme8));
  for (std::size_t i = 0; i < std::size(kScheme8); ++i) {
    EXPECT_EQ(m.dram->organization.addressMap[i].name, kScheme8[i].first);
    EXPECT_EQ(m.dram->organization.addressMap[i].bits, kScheme8[i].second) << kScheme8[i].first;
  }
}

TEST(HbmPim, DerivedLatenciesAreThoseOfTheSheet) {
  const Machine m = load("hbm-pim");
  using enum ScopeLevel;
  EXPECT_EQ(latency(m, "RD", "PRE", kBank), 3);
  EXPECT_EQ(latency(m, "WR", "PRE", kBank), 26);
  EXPECT_EQ(latency(m, "RD", "WR", kRank), 15);
  EXPECT_EQ(latency(m, "WR", "RD", kRank), 19);
  EXPECT_EQ(latency(m, "RD", "RD", kRank), 2);
  EXPECT_EQ(latency(m, "RD", "RD", kBankGroup), 4);
  EXPECT_EQ(latency(m, "WR", "WR", kRank), 2);
  EXPECT_EQ(latency(m, "WR", "WR", kBankGroup), 4);
  EXPECT_EQ(latency(m, "ACT", "RD", kBank), 14);
  EXPECT_EQ(latency(m, "ACT", "WR", kBank), 10);
  EXPECT_EQ(latency(m, "ACT", "PRE", kBank), 33);
  EXPECT_EQ(latency(m, "ACT", "ACT", kBank), 47);
  EXPECT_EQ(latency(m, "ACT", "ACT", kBankGroup), 6);
  EXPECT_EQ(latency(m, "ACT", "ACT", kRank), 4);
  EXPECT_EQ(latency(m, "PRE", "ACT", kBank), 14);
  EXPECT_EQ(latency(m, "REF", "ACT", kRank), 350);
  EXPECT_EQ(m.dram->constraints.size(), 16U);
  EXPECT_EQ(m.dram->readLatency.value, 23);
  EXPECT_EQ(m.dram->writeLatency.value, 10);
  EXPECT_EQ(m.dram->prechargeTime.value, 14);
  EXPECT_EQ(m.dram->refreshTime.value, 350);
  EXPECT_EQ(m.dram->refreshInterval.value, 3900);
}

TEST(HbmPim, ControllerKeepsTheSimulatorsQuirks) {
  const Controller c = load("hbm-pim").dram->controller;
  EXPECT_EQ(c.transactionQueue, 64);
  EXPECT_EQ(c.commandQueue, 64);
  EXPECT_EQ(c.scheduler, Scheduler::kFrFcfsBarrier);
  EXPECT_EQ(c.prechargePolicy, "eager");
  EXPECT_EQ(c.refreshPolicy, "single-slot");
  EXPECT_FALSE(c.refreshWaitsForPrecharge);
  EXPECT_TRUE(c.losesBarrierOnFullQueue);
  EXPECT_EQ(c.fence.value, 0);
  EXPECT_EQ(c.commandLatency.value, 1);
}

TEST(HbmPim, UnitAndModesAreThoseOfTheRegisterMap) {
  const Machine m = load("hbm-pim");
  ASSERT_TRUE(m.pim);
  EXPECT_EQ(m.pim->blocks, 8);
  EXPECT_EQ(m.pim->lanes, 16);
  EXPECT_EQ(m.pim->firstControlRow, 4096);
  EXPECT_EQ(m.pim->rows.at("enter_all_bank"), 0x17ff);
  EXPECT_EQ(m.pim->rows.at("leave_all_bank"), 0x1fff);
  EXPECT_EQ(m.pim->rows.at("registers"), 0x3fff);
  EXPECT_EQ(m.pim->columns.at("grf_b"), 0x18);
  ASSERT_EQ(m.pim->modeRules.size(), 4U);
  const ModeRule &enter = m.pim->modeRules[0];
  EXPECT_EQ(enter.from, PimMode::kSingleBank);
  EXPECT_EQ(enter.to, PimMode::kAllBank);
  EXPECT_EQ(enter.command, CommandKind::kActivate);
  EXPECT_EQ(enter.row, 0x17ff);
  EXPECT_EQ(enter.banks, (std::vector<int>{0, 1, 8, 9}));
  EXPECT_FALSE(enter.column);
  const ModeRule &start = m.pim->modeRules[1];
  EXPECT_EQ(start.to, PimMode::kAllBankPim);
  EXPECT_EQ(start.column, 0);
  EXPECT_EQ(start.value, 1);
}

TEST(HbmPim, LevelsFollowTheOrganisation) {
  const Machine m = load("hbm-pim", {{"channels", "16"}});
  ASSERT_EQ(m.levels.size(), 3U);
  EXPECT_EQ(m.levels[0].name, "channel");
  EXPECT_EQ(m.levels[0].count, 16);
  EXPECT_TRUE(m.levels[0].splitsReduction);
  EXPECT_EQ(m.levels[0].merge, "host");
  EXPECT_FALSE(m.levels[0].mustFill);
  EXPECT_EQ(m.levels[1].name, "block");
  EXPECT_EQ(m.levels[1].count, 8);
  EXPECT_FALSE(m.levels[1].splitsReduction);
  EXPECT_EQ(m.levels[2].name, "lane");
  EXPECT_EQ(m.levels[2].count, 16);
  EXPECT_TRUE(m.levels[2].mustFill);
  EXPECT_EQ(m.dram->organization.addressMap[1].bits, 4);
}

TEST(HbmPim, TheLinkIsAllChannelsTogether) {
  EXPECT_EQ(load("hbm-pim").host.linkGBps, 1024);
  EXPECT_EQ(load("hbm-pim", {{"channels", "1"}}).host.linkGBps, 16);
  EXPECT_DOUBLE_EQ(load("hbm-pim", {{"clock.device", "1200 MHz"}}).host.linkGBps, 1024 * 1.2);
  EXPECT_EQ(load("hbm-pim").host.linkLatency.value, 100000);
  EXPECT_EQ(load("hbm-pim").host.peakGflops, 13600);
}

TEST(HbmPimSound, AddsWhatTheSimulatorLeavesOut) {
  const Machine m = load("hbm-pim-sound");
  EXPECT_EQ(m.name, "hbm-pim-sound");
  EXPECT_EQ(m.family, "hbm-pim");
  EXPECT_TRUE(m.dram->controller.refreshWaitsForPrecharge);
  EXPECT_FALSE(m.dram->controller.losesBarrierOnFullQueue);
  EXPECT_GT(m.dram->controller.fence.value, 0);
  EXPECT_EQ(latency(m, "ACT", "ACT", ScopeLevel::kRank, 4), 16);
  EXPECT_EQ(m.dram->constraints.size(), 17U);
  EXPECT_EQ(m.numbers.at("controller.fence").confidence, Confidence::kAssumed);
  EXPECT_NE(m.about, load("hbm-pim").about);
  EXPECT_NE(m.numbers.at("controller.fence").where.file.find("hbm-pim-sound.yaml"), std::string::npos);
}

TEST(Provenance, InnerSourcesWinOverOuterOnes) {
  const Machine m = load("hbm-pim");
  EXPECT_EQ(m.numbers.at("timing.tRP").confidence, Confidence::kPaper);
  EXPECT_EQ(m.numbers.at("timing.tRP").source, m.numbers.at("timing.RL").source);
  EXPECT_NE(m.numbers.at("organization.ranks").source, m.numbers.at("organization.channels").source);
  EXPECT_EQ(m.numbers.at("energy.refresh").confidence, Confidence::kMeasured);
}

TEST(Provenance, NumbersStandWhereTheFileHasThem) {
  const Machine m = load("hbm-pim");
  const Location where = m.numbers.at("timing.tRP").where;
  const auto text = readFile(test::kMachines + "/hbm-pim.yaml");
  ASSERT_TRUE(text);
  std::size_t begin = 0;
  for (int line = 1; line < where.line; ++line) begin = text->find('\n', begin) + 1;
  EXPECT_EQ(text->substr(begin, 15), "  tRP: 14 cycle");
  EXPECT_EQ(where.column, 8);
}

TEST(Provenance, RangesAreKeptInTheWrittenUnit) {
  const Number n = load("hbm-pim").numbers.at("energy.act_pre");
  EXPECT_EQ(n.value, 650);
  EXPECT_EQ(n.low, 374);
  EXPECT_EQ(n.high, 909);
}

TEST(Extends, ANumberBringsItsOwnProvenance) {
  const Machine m = extended("timing: {tRP: 13 cycle, source: a paper, confidence: measured}\n");
  EXPECT_EQ(m.numbers.at("timing.tRP").value, 13);
  EXPECT_EQ(m.numbers.at("timing.tRP").source, "a paper");
  EXPECT_EQ(m.numbers.at("timing.tRP").confidence, Confidence::kMeasured);
  EXPECT_EQ(m.numbers.at("timing.tRAS").source, load("hbm-pim").numbers.at("timing.tRAS").source);
  EXPECT_EQ(latency(m, "PRE", "ACT", ScopeLevel::kBank), 13);
}

TEST(Extends, APlainNumberOverAMappingReplacesTheValueAndItsRange) {
  const Machine m = extended("energy: {act_pre: 1000 pJ, source: mine, confidence: assumed}\n");
  const Number n = m.numbers.at("energy.act_pre");
  EXPECT_EQ(n.value, 1000);
  EXPECT_FALSE(n.low);
  EXPECT_EQ(n.source, "mine");
  EXPECT_EQ(m.energy.front().action, load("hbm-pim").energy.front().action);
}

TEST(Extends, NullRemovesAKey) {
  EXPECT_EQ(latency(extended("constraints: {read_write: null}\n"), "RD", "WR", ScopeLevel::kRank), -1);
}

TEST(Extends, FilesMayExtendFilesThatExtend) {
  const auto m = parseMachine("name: third\nextends: hbm-pim-sound\n", "third.yaml", {test::kMachines});
  ASSERT_TRUE(m);
  EXPECT_EQ(m->name, "third");
  EXPECT_TRUE(m->dram->controller.refreshWaitsForPrecharge);
}

TEST(Override, AnAliasStandsForItsPath) {
  const Machine m = load("hbm-pim", {{"channels", "16"}, {"ranks", "1"}});
  EXPECT_EQ(m.dram->organization.channels, 16);
  EXPECT_EQ(m.dram->organization.ranks, 1);
  EXPECT_TRUE(m.numbers.at("organization.channels").overridden);
  EXPECT_FALSE(m.numbers.at("organization.rows").overridden);
  EXPECT_EQ(m.aliases.at("channels"), "organization.channels");
}

TEST(Override, TimingReachesEveryLatencyThatUsesIt) {
  const Machine m = load("hbm-pim", {{"timing.tWR", "20"}, {"timing.tRP", "13 cycle"}});
  EXPECT_EQ(latency(m, "WR", "PRE", ScopeLevel::kBank), 30);
  EXPECT_EQ(latency(m, "PRE", "ACT", ScopeLevel::kBank), 13);
  EXPECT_EQ(m.dram->prechargeTime.value, 13);
}

TEST(Override, ALongerPrechargeNeedsNoLongerRowCycle) {
  const Machine m = load("hbm-pim", {{"timing.tRP", "20"}});
  EXPECT_EQ(latency(m, "PRE", "ACT", ScopeLevel::kBank), 20);
  EXPECT_EQ(latency(m, "ACT", "ACT", ScopeLevel::kBank), 47);
}

TEST(Override, AValueMayCarryItsUnit) {
  const Machine m =
      load("hbm-pim", {{"timing.tRFC", "260.5ns"}, {"energy.refresh", "20000 pJ"}, {"energy.act_pre", "909"}});
  EXPECT_EQ(m.dram->refreshTime.value, 261);  // rounded up to cycles
  EXPECT_EQ(m.numbers.at("timing.tRFC").value, 260.5);
  EXPECT_EQ(m.numbers.at("energy.refresh").canonical, 20000);
  EXPECT_EQ(m.energy.front().energy.value, 909);
}

TEST(Override, ANumberWithoutUnitTakesTheOneItReplaces) {
  EXPECT_EQ(load("hbm-pim", {{"energy.refresh", "18"}}).numbers.at("energy.refresh").canonical, 18000);
}

TEST(Override, PoliciesAreSetByName) {
  const Machine m =
      load("hbm-pim",
           {{"refresh.policy", "none"}, {"controller.precharge", "conflict"}, {"refresh.waits_for_precharge", "true"}});
  EXPECT_EQ(m.dram->controller.refreshPolicy, "none");
  EXPECT_EQ(m.dram->controller.prechargePolicy, "conflict");
  EXPECT_TRUE(m.dram->controller.refreshWaitsForPrecharge);
}

TEST(Override, AnOptionTheFileLeavesOutCanBeSet) {
  const Machine m = load("hbm-pim", {{"constraints.read_write.window", "2"}});
  EXPECT_EQ(latency(m, "RD", "WR", ScopeLevel::kRank, 2), 15);
}

TEST(Override, TheSourceTellsWhatTheFileSaid) {
  const Number n = load("hbm-pim", {{"timing.tRP", "13"}}).numbers.at("timing.tRP");
  EXPECT_NE(n.source.find("--set"), std::string::npos);
  EXPECT_NE(n.source.find("14 cycle"), std::string::npos);
  EXPECT_EQ(n.confidence, Confidence::kAssumed);
}

TEST(Override, TheLastOneWins) {
  EXPECT_EQ(load("hbm-pim", {{"channels", "16"}, {"organization.channels", "32"}}).dram->organization.channels, 32);
}

TEST(Machine, CyclesBecomeTimeThroughTheClock) {
  EXPECT_EQ(load("hbm-pim").toTime(Cycles(5)).value, 5000);
  EXPECT_DOUBLE_EQ(load("hbm-pim", {{"clock.device", "2 GHz"}}).toTime(Cycles(5)).value, 2500);
}

TEST(Machine, PresetsAreListedByName) {
  const auto names = listMachines({test::kMachines, "/nonexistent-folder"});
  EXPECT_NE(std::find(names.begin(), names.end(), "hbm-pim"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "hbm-pim-sound"), names.end());
}

TEST(Print, ShowsEveryNumberWithItsSource) {
  const Machine m = load("hbm-pim-sound", {{"timing.tRP", "13"}});
  const std::string text = printMachine(m);
  for (const auto &[path, n] : m.numbers) {
    EXPECT_NE(text.find("  " + path + " "), std::string::npos) << path;
    EXPECT_NE(text.find("] " + n.source + "\n"), std::string::npos) << path;
  }
  EXPECT_NE(text.find("13 cycle (overridden)"), std::string::npos);
  EXPECT_NE(text.find("= RL + BL/2 + tRTRS - WL"), std::string::npos);
  EXPECT_NE(text.find(m.notes.front()), std::string::npos);
}

}  // namespace
}  // namespace pimento::machine
