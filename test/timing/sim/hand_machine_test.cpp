// The hand-made machine of these tests is the machine of machines/hbm-pim.yaml, and -sound is it with its additions.
#include "test/support/hand_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace pimento::test {
namespace {

machine::Machine load(const std::string &name) {
  const auto m = machine::loadMachine(name, {PIMENTO_SOURCE_DIR "/machines"});
  if (!m) {
    ADD_FAILURE() << m.diagnostics().front().str();
    return handMachine();
  }
  return *m;
}

using Rule = std::tuple<machine::ScopeLevel, std::string, std::string, std::int64_t, int>;
std::set<Rule> rulesOf(const machine::Dram &d) {
  std::set<Rule> rules;
  const auto commandName = [&](int c) { return d.commands[static_cast<std::size_t>(c)].name; };
  for (const machine::TimingConstraint &t : d.constraints)
    for (const int p : t.preceding)
      for (const int f : t.following)
        rules.insert({t.level, commandName(p), commandName(f), t.latency.value, t.window});
  return rules;
}

void expectSame(const machine::Machine &file, const DramNumbers &numbers) {
  const machine::Machine hand = handMachine(numbers);
  const machine::Dram &a = *file.dram, &b = *hand.dram;
  EXPECT_EQ(rulesOf(a), rulesOf(b));
  EXPECT_EQ(a.readLatency, b.readLatency);
  EXPECT_EQ(a.writeLatency, b.writeLatency);
  EXPECT_EQ(a.prechargeTime, b.prechargeTime);
  EXPECT_EQ(a.refreshInterval, b.refreshInterval);
  EXPECT_EQ(a.refreshTime, b.refreshTime);
  EXPECT_EQ(a.organization.ranks, b.organization.ranks);
  EXPECT_EQ(a.organization.bankGroups, b.organization.bankGroups);
  EXPECT_EQ(a.organization.banksPerGroup, b.organization.banksPerGroup);
  EXPECT_EQ(a.organization.rows, b.organization.rows);
  EXPECT_EQ(a.organization.columns, b.organization.columns);
  EXPECT_EQ(a.controller.transactionQueue, b.controller.transactionQueue);
  EXPECT_EQ(a.controller.commandQueue, b.controller.commandQueue);
  EXPECT_EQ(a.controller.prechargePolicy, b.controller.prechargePolicy);
  EXPECT_EQ(a.controller.refreshPolicy, b.controller.refreshPolicy);
  EXPECT_EQ(a.controller.refreshWaitsForPrecharge, b.controller.refreshWaitsForPrecharge);
  EXPECT_EQ(a.controller.losesBarrierOnFullQueue, b.controller.losesBarrierOnFullQueue);
  EXPECT_EQ(a.controller.fence, b.controller.fence);
  EXPECT_EQ(a.controller.commandLatency, b.controller.commandLatency);
  ASSERT_TRUE(file.pim && hand.pim);
  EXPECT_EQ(file.pim->rows, hand.pim->rows);
  EXPECT_EQ(file.pim->columns, hand.pim->columns);
  EXPECT_EQ(file.pim->firstControlRow, hand.pim->firstControlRow);
  ASSERT_EQ(file.pim->modeRules.size(), hand.pim->modeRules.size());
  for (const machine::ModeRule &r : hand.pim->modeRules)
    EXPECT_EQ(std::count_if(file.pim->modeRules.begin(), file.pim->modeRules.end(),
                            [&](const machine::ModeRule &o) {
                              return o.from == r.from && o.to == r.to && o.command == r.command && o.row == r.row &&
                                     o.banks == r.banks && o.column == r.column && o.value == r.value;
                            }),
              1);
}

TEST(HandMachine, IsTheMachineOfTheFile) {
  expectSame(load("hbm-pim"), {.ranks = 2});
}

TEST(HandMachine, WithItsAdditionsIsTheSoundOne) {
  expectSame(load("hbm-pim-sound"),
             {.ranks = 2, .faw = 16, .fawActivates = 4, .fence = 100, .refreshWaits = true, .losesBarriers = false});
}

}  // namespace
}  // namespace pimento::test
