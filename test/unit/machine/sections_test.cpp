// What sections of machine files mean that presets do not show: several clocks, sets of energy terms, roles of levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "pimento/machine/identity.h"
#include "pimento/machine/machine.h"
#include "test/support/machine_file.h"

namespace pimento::machine {
namespace {

using test::extended;
using test::load;

TEST(Clocks, EachHasItsNameAndItsProvenance) {
  const Machine m = extended("clock: {noc: 500 MHz, core: 2 GHz, source: a paper, confidence: paper}\n");
  EXPECT_EQ(m.clockGHz, 1.0);
  EXPECT_EQ(m.clocks.size(), 2U);
  EXPECT_EQ(m.toTime(Cycles(5), "noc").value, 10000);
  EXPECT_EQ(m.toTime(Cycles(5), "core").value, 2500);
  EXPECT_EQ(m.toTime(Cycles(5), "device").value, m.toTime(Cycles(5)).value);
  EXPECT_EQ(m.numbers.at("clock.noc").source, "a paper");
  EXPECT_TRUE(load("hbm-pim").clocks.empty());
}

TEST(Clocks, TimesInCyclesOfAnotherClockBecomeDeviceCycles) {
  const Machine m = extended(
      "source: me\nconfidence: assumed\nclock: {core: 3 GHz}\n"
      "timing: {tRP: 40 cycle@core}\ncontroller: {fence: {value: 30 cycle@core, range: [0, 60]}}\n");
  EXPECT_EQ(m.dram->prechargeTime.value, 14);  // 13.3, rounded up as times are
  EXPECT_EQ(m.dram->controller.fence.value, 10);
  EXPECT_EQ(m.numbers.at("timing.tRP").value, 40);
  EXPECT_EQ(m.numbers.at("timing.tRP").unit, "cycle@core");
  EXPECT_EQ(m.numbers.at("timing.tRP").canonical, 14);
  EXPECT_NE(printMachine(m).find("40 cycle@core = 14 cycle"), std::string::npos);
}

/// hbm-pim with two sets of terms, of which `set` is chosen.
const char *const kSets =
    "energy:\n  source: me\n  confidence: assumed\n  set: published\n  sets:\n"
    "    published: {mac: {value: 1 pJ, action: macs, component: pim, covers: one}}\n"
    "    measured:\n      covers: the board\n      source: a meter\n      idle: {value: 5 W, component: dram, covers: "
    "all}\n";

const EnergyTerm *term(const Machine &m, const std::string &name) {
  const auto it = std::ranges::find(m.energy, name, &EnergyTerm::name);
  return it != m.energy.end() ? &*it : nullptr;
}

TEST(EnergySets, ATermOfTheChosenSetReplacesTheCommonOneInItsPlace) {
  const Machine m = extended(kSets), base = load("hbm-pim");
  ASSERT_EQ(m.energy.size(), base.energy.size());
  for (std::size_t i = 0; i < m.energy.size(); ++i) EXPECT_EQ(m.energy[i].name, base.energy[i].name);
  EXPECT_EQ(term(m, "mac")->energy.value, 1);
  EXPECT_EQ(term(m, "mac")->path(), "energy.sets.published.mac");
  EXPECT_EQ(term(m, "alu")->path(), "energy.alu");
  EXPECT_EQ(m.numbers.at("energy.sets.published.mac").source, "me");
  EXPECT_EQ(m.energyCovers, base.energyCovers);
  EXPECT_EQ(m.energySet, "published");
  EXPECT_EQ(m.energySets, (std::vector<std::string>{"published", "measured"}));
  EXPECT_TRUE(base.energySet.empty());
}

TEST(EnergySets, APriceIsEnoughInPlaceOfACommonTerm) {
  const Machine m = extended(
      "energy: {set: a, sets: {a: {source: me, confidence: assumed, mac: 3 pJ, standby_channel: {value: 1 mW, range: "
      "[0, 2]}}}}\n");
  const Machine base = load("hbm-pim");
  ASSERT_EQ(m.energy.size(), base.energy.size());
  for (std::size_t i = 0; i < m.energy.size(); ++i) {
    EXPECT_EQ(m.energy[i].action, base.energy[i].action);
    EXPECT_EQ(m.energy[i].component, base.energy[i].component);
    EXPECT_EQ(m.energy[i].covers, base.energy[i].covers);
    EXPECT_EQ(m.energy[i].instances, base.energy[i].instances);
  }
  EXPECT_EQ(term(m, "mac")->energy.value, 3);
  EXPECT_EQ(term(m, "standby_channel")->high.value, 2);
  EXPECT_EQ(term(m, "standby_channel")->instancesPath, "energy.standby_channel.instances");
}

TEST(EnergySets, AnotherOneIsSetByName) {
  const auto m = parseMachine(std::string("name: mine\nextends: hbm-pim\n") + kSets, "mine.yaml", {test::kMachines},
                              {{"energy.set", "measured"}});
  ASSERT_TRUE(m) << m.diagnostics().front().str();
  EXPECT_EQ(m->energy.back().name, "idle");
  EXPECT_TRUE(m->energy.back().isBackground);
  EXPECT_EQ(term(*m, "mac")->energy.value, 0.5);
  EXPECT_EQ(m->energyCovers, "the board");
  EXPECT_EQ(m->numbers.at("energy.sets.measured.idle").source, "a meter");
  EXPECT_NE(printMachine(*m).find("totals use set measured; others, for --set energy.set=NAME: published"),
            std::string::npos);
}

TEST(Roles, AreThoseOfTheFile) {
  const Machine m = load("upmem");
  EXPECT_EQ(levelOf(m.levels, LevelRole::kGroup)->name, "rank");
  EXPECT_EQ(levelOf(m.levels, LevelRole::kUnit)->name, "dpu");
  EXPECT_EQ(levelOf(m.levels, LevelRole::kThread)->name, "tasklet");
  EXPECT_EQ(levelOf(m.levels, LevelRole::kLane), nullptr);
  EXPECT_EQ(unitCount(m.levels), 2560);
  EXPECT_EQ(unitCount(load("hbm-pim").levels), 512);
}

TEST(Roles, FollowThePositionWhereAFileSaysNothing) {
  const std::tuple<std::string, std::string, LevelRole> kBases[] = {
      {"hbm-pim", "channel: null, block: null, lane: null", LevelRole::kLane},
      {"upmem", "rank: null, dpu: null, tasklet: null", LevelRole::kThread}};
  for (const auto &[base, removed, innermost] : kBases) {
    const auto m = parseMachine(
        "name: mine\nextends: " + base + "\nfamily: other\nlevels: {source: me, confidence: assumed, " + removed +
            ", a: {count: 2 count}, b: {count: 3 count}, c: {count: 4 count}, d: {count: 5 count}}\n",
        "mine.yaml", {test::kMachines});
    ASSERT_TRUE(m) << m.diagnostics().front().str();
    std::vector<LevelRole> roles;
    for (const Level &l : m->levels) roles.push_back(l.role);
    EXPECT_EQ(roles, (std::vector{LevelRole::kGroup, LevelRole::kGroup, LevelRole::kUnit, innermost})) << base;
    EXPECT_EQ(unitCount(m->levels), 24);
  }
}

TEST(SramControl, LoweringTakesABaseAndATimePerCommand) {
  const std::vector<Override> numbers = {{"sram.control.lowering_base", "1000 cycle"},
                                         {"sram.control.lowering_per_command", "20.5 cycle"},
                                         {"sram.control.lowering_to_banks", "4 cycle"}};
  const auto with = [&](const char *overlapped, const char *filter) {
    std::vector<Override> all = numbers;
    all.push_back({"sram.control.overlapped_lowering", overlapped});
    all.push_back({"sram.control.bank_filter", filter});
    return *load("l3-uncore", all).sram->control;
  };
  EXPECT_EQ(with("false", "false").lowering(10), Cycles(1245));
  EXPECT_EQ(with("false", "true").lowering(10), Cycles(1205));
  EXPECT_EQ(with("false", "false").lowering(0), Cycles(1000));
  EXPECT_EQ(with("false", "false").preparation(10, Cycles(5000)), Cycles(6245));
  EXPECT_EQ(with("true", "false").preparation(10, Cycles(5000)), Cycles(5000));
  EXPECT_EQ(with("true", "false").preparation(10, Cycles(500)), Cycles(1245));
  EXPECT_FALSE(load("l3-arrays").sram->control) << "commands alone";
}

TEST(Identity, TellsMachinesOfOtherSetsRolesAndModelsApart) {
  const Machine base = load("upmem");
  EXPECT_EQ(identity(load("upmem")), identity(base));
  EXPECT_NE(identity(load("upmem", {{"dpu.mram_model", "constant"}})), identity(base));
  EXPECT_NE(identity(load("upmem", {{"dpu.register_hazard", "even-odd"}})), identity(base));
  EXPECT_NE(identity(load("upmem", {{"dpu.tasklets", "16"}})), identity(base));
  // The same words from --set and from a file; the same file with another word.
  const auto edited = [](const std::string &model) {
    const auto m =
        parseMachine("name: upmem\nextends: upmem\ndpu: {mram_model: " + model + "}\n", "mine.yaml", {test::kMachines});
    EXPECT_TRUE(m) << m.diagnostics().front().str();
    return m ? identity(*m) : "";
  };
  EXPECT_EQ(edited("constant"), identity(load("upmem", {{"dpu.mram_model", "constant"}})));
  EXPECT_NE(edited("constant"), edited("table"));
  Machine lanes = base;
  lanes.levels.back().role = LevelRole::kLane;
  EXPECT_NE(identity(lanes), identity(base));
}

}  // namespace
}  // namespace pimento::machine
