#include "pimento/program/program.h"

#include <gtest/gtest.h>

#include <functional>

namespace pimento::program {
namespace {

machine::Machine smallMachine() {
  machine::Machine m;
  m.name = "small";
  m.dram.emplace();
  m.dram->organization.channels = 4;
  m.dram->organization.ranks = 2;
  m.dram->organization.bankGroups = 2;
  m.dram->organization.banksPerGroup = 2;
  m.dram->organization.rows = 100;
  m.dram->organization.columns = 32;
  m.dram->commands = {{"ACT", machine::CommandKind::kActivate}, {"WRGB", machine::CommandKind::kWrite}};
  return m;
}

/// One write in two loops whose addresses just fit `smallMachine`.
Program fittingProgram() {
  Command c;
  c.isWrite = true;
  c.rank = 1;
  c.bank = 3;
  c.row.base = 2;
  c.row.stride = {10, -1};  // 0 .. 92 - 0
  c.column.base = 31;
  c.column.stride = {0, -15};
  c.image = 0;
  c.burst.stride = {3, 1};
  Program p;
  p.target = "small";
  p.images = {{"data", 30, false}};
  p.processes = {{"channel", 4, CommandLoops{CommandNode::loop("j", 10, {CommandNode::loop("k", 3, {c})})}}};
  return p;
}

CommandLoops &loopsOf(Program &p) {
  return std::get<CommandLoops>(p.processes[0].body);
}

Command &commandOf(Program &p) {
  return loopsOf(p)[0].children[0].children[0].statement;
}

/// The code of the first complaint about `fittingProgram` after `change`.
std::string complaint(const std::function<void(Program &)> &change) {
  Program p = fittingProgram();
  change(p);
  const Status s = verify(p, smallMachine());
  return s ? "ok" : s.diagnostics().front().code;
}

TEST(Verify, AProgramThatJustFitsIsAccepted) {
  EXPECT_EQ(complaint([](Program &) {}), "ok");
}

TEST(Verify, ANamedCommandIsAColumnCommandOfTheMachine) {
  const auto named = [](const char *name, bool isWrite, std::uint8_t number = 1) {
    return complaint([&](Program &p) {
      p.commands = {{name, isWrite}};
      commandOf(p).named = number;
    });
  };
  EXPECT_EQ(named("WRGB", true), "ok");
  EXPECT_EQ(named("WRGB", true, 2), "program-command");
  EXPECT_EQ(named("WRGBB", true), "program-command");
  EXPECT_EQ(named("WRGB", false), "program-command");
  EXPECT_EQ(named("ACT", true), "program-command");
}

TEST(Verify, EachBoundIsCheckedOverAllIterations) {
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).rank = 2; }), "program-rank");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).length = kMostLength + 1; }), "program-length");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).bank = 4; }), "program-bank");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).row.base = 1; }), "program-row");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).row.base = 9; }), "ok");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).row.base = 10; }), "program-row");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).column.base = 32; }), "program-column");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).column.base = 29; }), "program-column");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).burst.base = 1; }), "program-burst");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).image = 1; }), "program-image");
  EXPECT_EQ(complaint([](Program &p) { p.processes[0].instances = 5; }), "program-instances");
  EXPECT_EQ(complaint([](Program &p) { p.processes[0].instances = 0; }), "program-instances");
}

TEST(Verify, ProcessesShareTheMachine) {
  const auto two = [](std::int64_t first, std::int64_t second) {
    return complaint([&](Program &p) {
      p.processes.push_back(p.processes[0]);
      p.processes[0].instances = first;
      p.processes[1].instances = second;
    });
  };
  EXPECT_EQ(two(1, 3), "ok");
  EXPECT_EQ(two(2, 3), "program-instances");
}

TEST(Verify, TripCountsAndNestingAreBounded) {
  EXPECT_EQ(complaint([](Program &p) { loopsOf(p)[0].trip = 0; }), "program-trip");
  EXPECT_EQ(complaint([](Program &p) { loopsOf(p)[0].trip = (std::int64_t{1} << 40) + 1; }), "program-trip");
  EXPECT_EQ(complaint([](Program &p) {
              CommandNode n;
              for (int d = 0; d < kMaxDepth; ++d) n = CommandNode::loop("d", 2, {n});
              loopsOf(p) = {n};
            }),
            "ok");
  EXPECT_EQ(complaint([](Program &p) {
              CommandNode n;
              for (int d = 0; d <= kMaxDepth; ++d) n = CommandNode::loop("d", 2, {n});
              loopsOf(p) = {n};
            }),
            "program-depth");
}

TEST(Verify, HugeStridesAreRefusedInsteadOfOverflowing) {
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).row.stride[0] = INT64_MAX; }), "program-row");
  EXPECT_EQ(complaint([](Program &p) { commandOf(p).column.base = INT64_MIN; }), "program-column");
  EXPECT_EQ(complaint([](Program &p) {
              loopsOf(p)[0].trip = std::int64_t{1} << 40;
              commandOf(p).row.stride[0] = std::int64_t{1} << 32;
            }),
            "program-row");
  // A huge climb and a huge fall that would cancel in a sum of reaches.
  EXPECT_EQ(complaint([](Program &p) {
              loopsOf(p)[0].trip = std::int64_t{1} << 40;
              loopsOf(p)[0].children[0].trip = std::int64_t{1} << 40;
              commandOf(p).row.stride = {std::int64_t{1} << 32, -(std::int64_t{1} << 32)};
            }),
            "program-row");
}

TEST(Verify, AMachineWithoutDramRunsNoCommands) {
  const Status s = verify(fittingProgram(), machine::Machine{});
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics().front().code, "no-dram");
}

TEST(Verify, MessagesSayByHowMuch) {
  Program p = fittingProgram();
  commandOf(p).row.base = 20;
  const Status s = verify(p, smallMachine());
  ASSERT_FALSE(s);
  EXPECT_NE(s.diagnostics().front().message.find("row runs from 18 to 110, allowed: 0 to 99"), std::string::npos)
      << s.diagnostics().front().str();
}

TEST(CountCommands, TripCountsMultiplyAlongTheNest) {
  const auto leaf = [](Purpose purpose) {
    Command c;
    c.purpose = purpose;
    return CommandNode(c);
  };
  const Process p{
      "c", 1,
      CommandLoops{leaf(Purpose::kControl),
                   CommandNode::loop("j", 5,
                                     {leaf(Purpose::kBroadcast),
                                      CommandNode::loop("k", 7, {leaf(Purpose::kPimMac), leaf(Purpose::kPimMac)})}),
                   leaf(Purpose::kControl)}};
  const auto n = countCommands(p);
  EXPECT_EQ(n[static_cast<std::size_t>(Purpose::kControl)], 2);
  EXPECT_EQ(n[static_cast<std::size_t>(Purpose::kBroadcast)], 5);
  EXPECT_EQ(n[static_cast<std::size_t>(Purpose::kPimMac)], 70);
  EXPECT_EQ(n[static_cast<std::size_t>(Purpose::kPimStore)], 0);
}

TEST(CountCommands, HugeNestsSaturate) {
  CommandNode n;
  for (int d = 0; d < kMaxDepth; ++d) n = CommandNode::loop("d", std::int64_t{1} << 40, {n});
  const auto counts = countCommands({"c", 1, CommandLoops{n, n}});
  EXPECT_EQ(counts[static_cast<std::size_t>(Purpose::kHostRead)], INT64_MAX);
}

TEST(RangeOf, RisingAndFallingLoopsStretchTheirOwnEnd) {
  Operand o;
  o.base = 5;
  o.stride = {2, -3, 100};
  const Range r = rangeOf(o, {4, 3});
  EXPECT_EQ(r.low, -1);
  EXPECT_EQ(r.high, 11);
}

TEST(Purposes, EachHasANameOfItsOwn) {
  for (int a = 0; a < kPurposes; ++a)
    for (int b = 0; b < a; ++b) EXPECT_NE(name(static_cast<Purpose>(a)), name(static_cast<Purpose>(b)));
}

}  // namespace
}  // namespace pimento::program
