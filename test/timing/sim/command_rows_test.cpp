// Commands of many banks, and commands that need none: rows of a machine file, timed by hand.
#include <gtest/gtest.h>

#include "pimento/program/text.h"
#include "test/support/near_bank_machine.h"
#include "test/support/trace.h"

namespace pimento::test {
namespace {

using sim::dram::Device;
using sim::dram::DeviceSpec;
using sim::dram::Tick;

/// The commands that a channel issues for a program: "1 WRGB", "4 ACT16", ...
std::string traceOf(const machine::Machine &m, const std::string &text, ChannelRun *out = nullptr) {
  const auto program =
      program::parse("program near-bank\ncommand WRGB write\ncommand MAC16 read\ncommand RDMAC read\n" + text);
  EXPECT_TRUE(program) << program.diagnostics().front().str();
  EXPECT_TRUE(program::verify(*program, m)) << program::verify(*program, m).diagnostics().front().str();
  const ChannelRun run = runChannel(m, program->processes.front(), program->commands);
  if (out != nullptr) *out = run;
  EXPECT_FALSE(run.isStuck);
  std::string trace;
  for (const Issued &c : run.trace)
    trace += (trace.empty() ? "" : ", ") + std::to_string(c.time) + " " + c.what +
             (c.what == "ACT" || c.what == "PRE" ? std::to_string(c.bank) : "");
  return trace;
}

// Two bursts into the buffer, two columns of all banks, the sums: tCCDS 2, tRCDRD 14, tMAC 4, tMACRD 7.
const char *const kTwoTiles = R"(process c x1 {
  WRGB column 0 broadcast
  WRGB column 1 barrier broadcast
  loop tile 2 {
    MAC16 row tile pim_mac
    MAC16 row tile column 1 barrier pim_mac
    RDMAC barrier host_read
  }
}
)";

TEST(CommandRows, ACommandThatNeedsNoRowGoesAtOnceAndTheRowsOfAllBanksOpenTogether) {
  // MAC16 is seen in cycle 3, where the second WRGB goes; its rows open one cycle later. They close after tRAS (33),
  // and open again after tRP (14), which is tRC (47) after the activate before.
  ChannelRun run;
  EXPECT_EQ(traceOf(nearBankMachine(), kTwoTiles, &run),
            "1 WRGB, 3 WRGB, 4 ACT16, 18 MAC16, 22 MAC16, 29 RDMAC, 37 PREA, 51 ACT16, 65 MAC16, 69 MAC16, 76 RDMAC");
  EXPECT_EQ(run.cycles, 76 + 23 + 1);  // RDMAC ends like a read: tCMD + RL + BL/2
  EXPECT_EQ(run.counts.activates, 0);
  EXPECT_EQ(run.counts.allBankActivates, 2);
  EXPECT_EQ(run.counts.allBankPrecharges, 1);
  EXPECT_EQ(run.counts.columns, 8);
}

TEST(CommandRows, ACommandEndsWhenItsRowSays) {
  ChannelRun run;
  traceOf(nearBankMachine(), "process c x1 {\n  WRGB broadcast\n}\n", &run);
  EXPECT_EQ(run.cycles, 1 + 2 + 1);
  traceOf(nearBankMachine(), "process c x1 {\n  MAC16 pim_mac\n}\n", &run);
  EXPECT_EQ(run.cycles, 1 + 14 + 4 + 1);
}

// Without a command that opens all banks, each is opened: tRRDS 4 between groups, tRRDL 6 in a group, in order of
// banks.
TEST(CommandRows, WithoutAWideActivateRowsOpenOneByOne) {
  std::string yaml = kNearBankYaml;
  const auto drop = [&](const std::string &from, const std::string &to) {
    for (std::size_t at = yaml.find(from); at != std::string::npos; at = yaml.find(from))
      yaml.replace(at, from.size(), to);
  };
  drop("  ACT16: {kind: activate, scope: channel}\n", "");
  drop("  activate16_read: {level: bank, preceding: [ACT16], following: [RD], latency: tRCDRD}\n", "");
  drop(", ACT16]", "]");
  const auto machine = machine::parseMachine(yaml, "m.yaml", {std::string(PIMENTO_SOURCE_DIR) + "/machines"});
  ASSERT_TRUE(machine) << machine.diagnostics().front().str();
  ChannelRun run;
  const std::string trace = traceOf(*machine, "process c x1 {\n  MAC16 pim_mac\n}\n", &run);
  EXPECT_EQ(run.counts.activates, 16);
  EXPECT_EQ(run.trace.size(), 17U);
  // The last of them is the one that the command waits for.
  EXPECT_EQ(run.trace[16].time, run.trace[15].time + 14) << trace;
}

// A bank that holds the row already is in the way of the command that opens all of them.
TEST(CommandRows, AnOpenBankIsClosedBeforeAllOpenTogether) {
  EXPECT_EQ(traceOf(nearBankMachine(),
                    "process c x1 {\n  RD rank 0 bank 3 row 5 column 0 barrier host_read\n  MAC16 row 5 pim_mac\n}\n"),
            "1 ACT3, 15 RD, 34 PRE3, 48 ACT16, 62 MAC16");
}

// A read of one bank finds the row that all banks opened.
TEST(CommandRows, ARowThatAllBanksOpenedIsOpenForReads) {
  EXPECT_EQ(traceOf(nearBankMachine(),
                    "process c x1 {\n  MAC16 row 5 barrier pim_mac\n  RD rank 0 bank 3 row 5 column 0 host_read\n}\n"),
            "1 ACT16, 15 MAC16, 16 RD");
}

// Leaving the all-bank mode takes a precharge of that row in each of two banks: one for both would not be seen.
TEST(CommandRows, RowsWithAMeaningCloseOneByOne) {
  machine::Machine m = handMachine({.refresh = "none"});
  m.dram->commands.push_back({"PREA", machine::CommandKind::kPrecharge, machine::ScopeLevel::kChannel});
  m.dram->constraints.push_back({machine::ScopeLevel::kBank, {kAct}, {5}, Cycles(10), 1, {}});  // before a PRE may go
  program::CommandLoops body;
  for (const int b : {0, 1, 8, 9}) body.push_back(wr(b, kEnterRow, 31, b == 9));
  for (const int b : {0, 1}) body.push_back(wr(b, kLeaveRow, 31, b == 1));
  for (const int b : {4, 8}) body.push_back(rd(b, 7, 0, b == 8));
  body.push_back(rd(4, 8, 0, true));
  const ChannelRun run = runChannel(m, process(body));
  EXPECT_FALSE(run.isStuck);
  EXPECT_EQ(run.counts.columns, 9);
  EXPECT_FALSE(run.only("PREA").empty()) << "data rows close together";
}

class WideTiming : public ::testing::Test {
 protected:
  int op(const char *name) const { return machine_.dram->commandNamed(name); }
  /// May go at `t` and not before.
  void expectAt(const char *name, int bank, Tick t) {
    EXPECT_EQ(device_.earliestForAll(op(name), bank, t - 1), t) << name;
    EXPECT_EQ(device_.earliestForAll(op(name), bank, t), t) << name;
  }
  machine::Machine machine_ = nearBankMachine();
  DeviceSpec spec_{*machine_.dram};
  Device device_{spec_};
};

TEST_F(WideTiming, ACommandOfAllBanksWaitsForTheLastOfThem) {
  device_.issue(op("ACT"), 0, 7, 0, 100);
  device_.issue(op("ACT"), 11, 7, 0, 120);
  expectAt("MAC16", 0, 134);
  expectAt("MAC16", 15, 134);
  expectAt("PREA", 0, 153);
}

TEST_F(WideTiming, EveryBankWaitsForACommandOfAllBanks) {
  device_.issue(op("ACT16"), 0, 7, 0, 100);
  for (int bank = 0; bank < 16; ++bank) {
    EXPECT_TRUE(device_.isActive(bank));
    EXPECT_EQ(device_.bank(bank).row, 7);
    expectAt("PRE", bank, 133);
    expectAt("RD", bank, 114);
  }
  device_.issue(op("PREA"), 5, 0, -1, 133);
  EXPECT_EQ(device_.active(), 0U);
  expectAt("ACT", 9, 147);
  expectAt("ACT16", 0, 147);
}

TEST_F(WideTiming, AWindowCountsACommandOfAllBanksOnce) {
  machine::Machine m = nearBankMachine();
  const int act16 = m.dram->commandNamed("ACT16");
  m.dram->constraints = {{machine::ScopeLevel::kChannel, {act16}, {act16}, Cycles(50), 2, {}}};
  const DeviceSpec spec(*m.dram);
  Device device(spec);
  device.issue(act16, 0, 7, 0, 100);
  EXPECT_EQ(device.earliestForAll(act16, 0, 0), 0);
  device.issue(act16, 0, 7, 0, 110);
  EXPECT_EQ(device.earliestForAll(act16, 0, 0), 150);
}

TEST_F(WideTiming, ScopesAreTheBanksOfTheirNode) {
  machine::Machine m = nearBankMachine("");
  m.dram->organization.ranks = 2;
  m.dram->organization.pseudoChannels = 2;
  machine::Command &mac = m.dram->commands[static_cast<std::size_t>(m.dram->commandNamed("MAC16"))];
  const auto reach = [&](machine::ScopeLevel scope, int bank) {
    mac.scope = scope;
    return DeviceSpec(*m.dram).reach(m.dram->commandNamed("MAC16"), bank);
  };
  using enum machine::ScopeLevel;
  EXPECT_EQ(reach(kBank, 21), 1U << 21);
  EXPECT_EQ(reach(kBankGroup, 21), 0xfU << 20);
  EXPECT_EQ(reach(kRank, 21), 0xffffU << 16);
  EXPECT_EQ(reach(kPseudoChannel, 21), 0xffffU << 16);
  EXPECT_EQ(reach(kChannel, 21), 0xffffffffU);
}

}  // namespace
}  // namespace pimento::test
