// Instructions that caches compute, on streams whose time can be worked out by hand.
#include <gtest/gtest.h>

#include "pimento/sim/core/core.h"
#include "test/support/machine_file.h"

namespace pimento::sim::core {
namespace {

using trace::Access;
using trace::CimStep;
using trace::Instruction;
using trace::Operation;

constexpr trace::Register kBase = 20;
constexpr Tick kL1 = 2, kL2 = 12, kSum = 4;  // of cim-a9: hits, and what a sum takes longer
constexpr Tick kFind = 1;                    // the port of the bank looks an operand up

/// cim-a9 whose first data cache has so many banks.
machine::Machine machineOf(int banks, std::vector<machine::Override> more = {}) {
  more.push_back({"caches.l1d.banks", std::to_string(banks) + " count"});
  return test::load("cim-a9", more);
}
int levelOf(const machine::Machine &m, std::string_view name) {
  for (std::size_t i = 0; i < m.caches.size(); ++i)
    if (m.caches[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << name;
  return 0;
}

Instruction computing(int level, std::initializer_list<Operation> operations, bool isStored) {
  Instruction in;
  in.operation = Operation::kCim;
  in.width = 32;
  in.loads = true;
  in.stores = isStored;
  in.addressRegisters.add(kBase);
  in.reads.add(kBase);
  in.cim.level = level;
  in.cim.steps.push_back({.kind = CimStep::Kind::kOperand, .operand = 0});
  for (const Operation o : operations) {
    in.cim.steps.push_back({.kind = CimStep::Kind::kConstant, .constant = 1});
    in.cim.steps.push_back({.kind = CimStep::Kind::kOperation, .operation = o});
  }
  if (!isStored) {
    in.hasDestination = true;
    in.destination = 3;
    in.writes.add(3);
  }
  return in;
}

class Stream {
 public:
  explicit Stream(const machine::Machine &machine, const CimTiming &timing = {}) : core_(machine) {
    core_.setTiming(timing);
    // Code and data are there, and nothing is under way.
    for (int i = 0; i < 600; ++i) compute();
  }
  void bring(std::uint64_t address, bool isWrite = false) { core_.warm(address, isWrite); }
  Times compute() {
    Instruction in;
    in.operation = Operation::kAdd;
    in.reads.add(kBase);
    in.writes.add(kBase);
    return run(in, {});
  }
  Times load(std::uint64_t address) {
    Instruction in;
    in.operation = Operation::kLoad;
    in.loads = true;
    in.reads.add(kBase);
    in.addressRegisters.add(kBase);
    in.writes.add(4);
    return run(in, {{address, 0, 4, false, 0}});
  }
  Times store(std::uint64_t address) {
    Instruction in;
    in.operation = Operation::kStore;
    in.stores = true;
    in.reads.add(kBase);
    in.addressRegisters.add(kBase);
    return run(in, {{address, 0, 4, true, 0}});
  }
  Times run(Instruction in, const std::vector<Access> &accesses) {
    in.address = at_;
    at_ = (at_ + 4) % 1024;
    return core_.run(in, accesses, in.address + 4);
  }
  Core &core() { return core_; }

 private:
  Core core_;
  std::uint64_t at_ = 0;
};

std::vector<Access> operand(std::uint64_t address) {
  return {{address, 0, 4, false, 0}};
}
std::vector<Access> operandAndResult(std::uint64_t from, std::uint64_t to) {
  return {{from, 0, 4, false, 0}, {to, 0, 4, true, 0}};
}

TEST(CachesCompute, ForTheTimeOfAReadAndMoreForASum) {
  const machine::Machine m = machineOf(1);
  const int l1 = levelOf(m, "l1d"), l2 = levelOf(m, "l2");
  const auto time = [&](int level, std::initializer_list<Operation> operations, const CimTiming &timing = {}) {
    Stream s(m, timing);
    s.bring(0x8000);
    const Times t = s.run(computing(level, operations, false), operand(0x8000));
    return t.done - t.issued;
  };
  // The result is read for the core.
  EXPECT_EQ(time(l1, {Operation::kXor}), kFind + kL1 + kL1);
  EXPECT_EQ(time(l1, {Operation::kAdd}), kFind + kL1 + kSum + kL1);
  EXPECT_EQ(time(l1, {Operation::kSub, Operation::kAnd}), kFind + 2 * kL1 + kSum + kL1);
  EXPECT_EQ(time(l1, {Operation::kAdd}, {.operations = false}), kFind + kL1);
  // The first cache is asked on the way, and has the line; it is clean.
  EXPECT_EQ(time(l2, {Operation::kOr}), kL1 + kFind + kL2 + kL2);
}

TEST(CachesCompute, InOneBankInTurnsAndInTwoAtATime) {
  for (const int banks : {1, 2}) {
    const machine::Machine m = machineOf(banks);
    const int l1 = levelOf(m, "l1d");
    Stream s(m);
    s.bring(0x8000);
    s.bring(0x8040);
    const Times a = s.run(computing(l1, {Operation::kAdd}, false), operand(0x8000)),
                b = s.run(computing(l1, {Operation::kAdd}, false), operand(0x8040));
    // The load unit takes one per cycle.
    ASSERT_EQ(b.issued, a.issued + 1);
    const Tick later = b.done - a.done;
    if (banks == 2)
      EXPECT_EQ(later, 1);
    else
      EXPECT_GE(later, kL1 + kSum);
  }
}

TEST(CachesCompute, AfterStoresToTheirLines) {
  const machine::Machine m = machineOf(4);
  const int l1 = levelOf(m, "l1d");
  const auto time = [&](std::uint64_t stored, bool isOrdered) {
    Stream s(m, {.order = isOrdered});
    s.bring(0x8000);
    // A line that is in memory: the store takes long.
    s.store(stored);
    const Times t = s.run(computing(l1, {Operation::kXor}, false), operand(0x8000 + (stored == 0x10000 ? 0x8000 : 0)));
    return t.done - t.issued;
  };
  EXPECT_EQ(time(0x20040, true), kFind + kL1 + kL1);
  EXPECT_GT(time(0x10000, true), 50);
}

TEST(CachesCompute, LoadsOfAResultWaitForIt) {
  const machine::Machine m = machineOf(4);
  const int l1 = levelOf(m, "l1d");
  Stream s(m);
  s.bring(0x8000);
  s.bring(0x8040);
  s.bring(0x8080);
  const Times t = s.run(computing(l1, {Operation::kAdd}, true), operandAndResult(0x8000, 0x8040));
  const Times of = s.load(0x8044), other = s.load(0x8080);
  EXPECT_EQ(other.done - other.issued, kL1);
  // A word beside it is in the same line, which is there.
  EXPECT_EQ(of.done - of.issued, kL1);
  const Times result = s.load(0x8040);
  EXPECT_GE(result.done, t.committed + kL1 + kSum + 1 + kL1);
  EXPECT_EQ(s.core().counts().forwarded, 0);
}

TEST(CachesCompute, WhatIsAboveIsWrittenBackAndGone) {
  const machine::Machine m = machineOf(1);
  const int l1 = levelOf(m, "l1d"), l2 = levelOf(m, "l2");
  for (const bool isDirty : {false, true}) {
    Stream s(m);
    s.bring(0x8000, isDirty);
    const Times t = s.run(computing(l2, {Operation::kXor}, false), operand(0x8000));
    const cache::Counts &first = s.core().caches().counts(l1);
    EXPECT_EQ(first.forcedDown, 1);
    EXPECT_EQ(first.writeBacks, isDirty ? 1 : 0);
    EXPECT_EQ(t.done - t.issued, kL1 + (isDirty ? kL2 : 0) + kFind + kL2 + kL2);
    const Times again = s.load(0x8000);
    EXPECT_EQ(again.level, l2);
  }
}

TEST(CachesCompute, OperandsInOtherBanksAreCopied) {
  const machine::Machine m = machineOf(2);
  const int l1 = levelOf(m, "l1d");
  const auto time = [&](std::uint64_t second, bool moves) {
    Stream s(m, {.moves = moves});
    s.bring(0x8000);
    s.bring(second);
    Instruction in = computing(l1, {}, false);
    in.cim.steps = {{.kind = CimStep::Kind::kOperand, .operand = 0},
                    {.kind = CimStep::Kind::kOperand, .operand = 1},
                    {.kind = CimStep::Kind::kOperation, .operation = Operation::kXor}};
    const Times t = s.run(in, {{0x8000, 0, 4, false, 0}, {second, 0, 4, false, 0}});
    EXPECT_EQ(s.core().computed().at[static_cast<std::size_t>(l1)].copies, second == 0x8040 ? 1 : 0);
    return t.done - t.issued;
  };
  EXPECT_EQ(time(0x8040, false), kFind + kL1 + kL1);
  // A read there, a write here.
  EXPECT_EQ(time(0x8040, true), kFind + kL1 + 1 + kL1 + kL1);
  // The port of their bank takes one after the other.
  EXPECT_EQ(time(0x8080, true), 2 * kFind + kL1 + kL1);
}

TEST(CachesCompute, WithWhatIsNotThereOnceItIs) {
  const machine::Machine m = machineOf(1);
  const int l1 = levelOf(m, "l1d");
  Stream s(m);
  const Times t = s.run(computing(l1, {Operation::kXor}, false), operand(0x8000));
  EXPECT_GT(t.done - t.issued, kL2 + m.memory->latency.value);
  EXPECT_EQ(s.core().caches().counts(l1).readMisses, 1);
}

TEST(CachesCompute, AndWriteForTheTimeOfTheirCells) {
  constexpr Tick kWrite = 40;
  const machine::Machine m = machineOf(1, {{"caches.l1d.write_busy", "40 cycle"}});
  const int l1 = levelOf(m, "l1d");
  Stream s(m);
  s.bring(0x8000);
  s.bring(0x8040);
  s.bring(0x8080);
  s.run(computing(l1, {Operation::kXor}, true), operandAndResult(0x8000, 0x8040));
  const Times t = s.run(computing(l1, {Operation::kXor}, true), operandAndResult(0x8000, 0x8080));
  const Times result = s.load(0x8080);
  // Two results, one after the other in one bank.
  EXPECT_GE(result.done - t.committed, 2 * kWrite);
}

TEST(CachesCompute, ALevelThatIsNotThereIsTheLast) {
  const machine::Machine m = machineOf(1);
  Stream s(m);
  s.bring(0x8000);
  s.run(computing(7, {Operation::kXor}, false), operand(0x8000));
  EXPECT_EQ(s.core().computed().at[static_cast<std::size_t>(levelOf(m, "l2"))].logicXor, 1);
}

}  // namespace
}  // namespace pimento::sim::core
