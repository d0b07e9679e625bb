// The DPU's functional core against a plain executor, and fast-forward against simulation.
#include <gtest/gtest.h>

#include <cstring>

#include "pimento/sim/dpu/dma.h"
#include "pimento/sim/dpu/step.h"
#include "test/support/cases.h"
#include "test/support/dpu_builder.h"
#include "test/support/plain_dpu.h"
#include "test/support/random_dpu_program.h"

namespace pimento::test {
namespace {

using sim::dpu::Dpu;
using sim::dpu::RunResult;

TEST(DpuCore, RandomProgramsGiveWhatAPlainExecutorGives) {
  for (std::int64_t i = 0; i < caseCount(300); ++i) {
    Rng rng(static_cast<std::uint64_t>(i));
    const RandomDpuProgram program(rng, {.hasEvents = false, .branchesOnData = true, .statements = 20});
    Dpu dpu(program.image(), handDpu());
    PlainDpu plain(program.code());
    ASSERT_TRUE(plain.run(50'000'000)) << i;
    const RunResult run = dpu.simulate();
    ASSERT_FALSE(run.fault) << run.fault->str();
    EXPECT_EQ(run.counts.instructions, plain.executed) << i;
    std::vector<std::byte> wram(plain.wram.size());
    dpu.readWram(0, wram);
    ASSERT_EQ(std::memcmp(wram.data(), plain.wram.data(), wram.size()), 0) << "program " << i;
  }
}

TEST(DpuCore, NoCarryOfLowBitsIsThatOfAPlainAddition) {
  using enum dpu::Condition;
  Rng rng(7);
  for (int n = 0; n < 20'000; ++n) {
    const int bits = static_cast<int>(rng.integer(5, 14));
    const std::uint64_t low = (std::uint64_t{1} << bits) - 1;
    const auto word = [&] { return static_cast<std::uint32_t>(rng.integer(0, (std::int64_t{1} << 32) - 1)); };
    // Half of them near the border.
    std::uint32_t x = word();
    std::uint32_t y = n % 2 == 0 ? word() : static_cast<std::uint32_t>(low - x + rng.integer(0, 2));
    dpu::Instruction i;
    i.op = rng.integer(0, 1) == 0 ? dpu::Op::kAdd : dpu::Op::kAddc;
    i.dst = 3;
    i.a = 1;
    i.b = rng.integer(0, 1) == 0 ? 2 : dpu::kImmediate;
    i.imm = static_cast<std::int32_t>(y);
    i.use = dpu::ConditionUse::kBranch;
    i.condition = static_cast<dpu::Condition>(static_cast<int>(kNc5) + bits - 5);
    i.target = 77;
    sim::dpu::Context k;
    k.regs[1] = x;
    k.regs[2] = y;
    k.c = rng.integer(0, 1) == 0;
    const std::uint64_t carryIn = i.op == dpu::Op::kAddc && k.c ? 1 : 0;
    executeAlu(sim::dpu::Step(i), k);
    EXPECT_EQ(k.regs[3], static_cast<std::uint32_t>(x + y + carryIn));
    EXPECT_EQ(k.pc == 77, (x & low) + (y & low) + carryIn <= low) << bits << " " << x << " " << y << " " << carryIn;
  }
}

std::vector<std::byte> wramOf(const Dpu &dpu) {
  std::vector<std::byte> wram(64 << 10);
  dpu.readWram(0, wram);
  return wram;
}
std::vector<std::byte> mramOf(const Dpu &dpu) {
  std::vector<std::byte> mram(25 << 16);
  dpu.readMram(0, mram);
  return mram;
}

void expectSame(const RunResult &fast, const RunResult &plain, const std::string &what) {
  EXPECT_EQ(fast.cycles, plain.cycles) << what;
  EXPECT_EQ(fast.counts, plain.counts) << what;
  EXPECT_EQ(fast.executed, plain.executed) << what;
  EXPECT_EQ(fast.waited, plain.waited) << what;
  EXPECT_EQ(fast.engineTicks, plain.engineTicks) << what;
  EXPECT_EQ(fast.misaligned, plain.misaligned) << what;
  EXPECT_EQ(fast.isCutOff, plain.isCutOff) << what;
  EXPECT_EQ(fast.fault ? fast.fault->str() : "", plain.fault ? plain.fault->str() : "") << what;
}

TEST(DpuSimulation, WithoutTimeComputesTheSame) {
  for (std::int64_t i = 0; i < caseCount(150); ++i) {
    Rng rng(static_cast<std::uint64_t>(9000 + i));
    const int tasklets = static_cast<int>(rng.integer(1, 24));
    const RandomDpuProgram program(
        rng, {.tasklets = tasklets, .branchesOnData = true, .hasBarriers = false, .statements = 14});
    Dpu untimed(program.image(), handDpu()), timed(untimed);
    const RunResult run = untimed.simulate({.isTimed = false}), other = timed.simulate();
    ASSERT_FALSE(run.fault) << run.fault->str();
    EXPECT_EQ(run.cycles.value, 0);
    EXPECT_EQ(run.counts.mramReadBytes, other.counts.mramReadBytes) << i;
    // But for the registers and words that say who came last.
    std::vector<std::byte> a = wramOf(untimed), b = wramOf(timed);
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + 24 * 2048, b.begin())) << "program " << i;
    EXPECT_TRUE(mramOf(untimed) == mramOf(timed)) << "program " << i;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DpuSimulation, WithoutTimeEndsAtTheLimitAndAtDeadlocksToo) {
  DpuBuilder endless;
  endless.imm(dpu::Op::kCall, dpu::kZero, dpu::kZero, 0);
  EXPECT_EQ(Dpu(endless.image(), handDpu()).simulate({.isTimed = false, .maxInstructions = 1'000'000}).fault->code,
            "dpu-instruction-limit");
  DpuBuilder stuck;
  stuck.boot(2);
  stuck.lock(5);
  stuck.end();
  EXPECT_EQ(Dpu(stuck.image(), handDpu()).simulate({.isTimed = false}).fault->code, "dpu-deadlock");
}

TEST(DpuSimulation, IsThatOfAPlainLoopOverInstructions) {
  for (std::int64_t i = 0; i < caseCount(200); ++i) {
    Rng rng(static_cast<std::uint64_t>(5000 + i));
    const int tasklets = static_cast<int>(rng.integer(1, 24));
    const RandomDpuProgram program(rng, {.tasklets = tasklets,
                                         .branchesOnData = true,
                                         .races = rng.integer(0, 3) != 0,
                                         .statements = static_cast<int>(rng.integer(4, 16))});
    Dpu fast(program.image(), handDpu());
    const std::uint32_t pattern = 0x01020304;
    fast.fillMram(0, 24 << 16, std::as_bytes(std::span(&pattern, 1)));
    Dpu plain(fast);
    // Some end early, or at an access that does not exist.
    sim::dpu::RunOptions options;
    if (i % 4 == 0) options.maxInstructions = rng.integer(1, 20'000);
    const RunResult ofFast = fast.simulate(options);
    options.isPlain = true;
    const RunResult ofPlain = plain.simulate(options);
    const std::string what = "program " + std::to_string(i) + " on " + std::to_string(tasklets) + " tasklets";
    expectSame(ofFast, ofPlain, what);
    EXPECT_TRUE(wramOf(fast) == wramOf(plain)) << what;
    EXPECT_TRUE(mramOf(fast) == mramOf(plain)) << what;
    if (testing::Test::HasFailure()) return;
  }
}

struct Compared {
  int same = 0, unsure = 0;
};

/// Random programs on 1 to 24 tasklets: estimate and simulate agree wherever estimate answers.
Compared compareRuns(std::int64_t count, const sim::dpu::RunOptions &options, const machine::Dpu &machine = handDpu()) {
  Compared c;
  for (std::int64_t i = 0; i < count; ++i) {
    Rng rng(static_cast<std::uint64_t>(1000 + i));
    const int tasklets = static_cast<int>(rng.integer(1, 24));
    const bool isKnown = rng.integer(0, 1) == 0;
    const RandomDpuProgram program(
        rng, {.tasklets = tasklets, .branchesOnData = isKnown, .statements = static_cast<int>(rng.integer(4, 14))});
    Dpu dpu(program.image(), machine);
    if (isKnown) {
      const std::uint32_t pattern = 3;
      dpu.fillMram(0, 24 << 16, std::as_bytes(std::span(&pattern, 1)));
    }
    Dpu other(dpu);
    const std::optional<RunResult> estimate = other.estimate(options);
    if (!estimate) {
      ++c.unsure;
      continue;
    }
    const RunResult run = dpu.simulate();
    EXPECT_FALSE(run.fault) << run.fault->str();
    const bool isSame = estimate->cycles == run.cycles && estimate->counts == run.counts &&
                        estimate->executed == run.executed && estimate->waited == run.waited;
    if (isSame)
      ++c.same;
    else if (options.weakening.without == 0)
      ADD_FAILURE() << "program " << i << " on " << tasklets << " tasklets: estimate " << estimate->cycles.value
                    << ", simulation " << run.cycles.value;
  }
  return c;
}

TEST(DpuFastForward, GivesTheTimeAndTheCountsOfASimulation) {
  const std::int64_t count = caseCount(300);
  const Compared c = compareRuns(count, {});
  EXPECT_EQ(c.same + c.unsure, count);
  EXPECT_LT(c.unsure, count / 4) << "estimates that give up show nothing";
}

TEST(DpuFastForward, GivesThemOnMachinesThatNobodyBuilt) {
  const std::int64_t count = caseCount(12);
  for (const std::int64_t ports : {2, 3, 1000})
    for (const char *model : {"table", "constant"}) {
      machine::Dpu machine = handDpu();
      machine.transferPorts = ports;
      machine.mramModel = model;
      machine.constantTransfer = 60.7;
      machine.issueInterval = Cycles(ports == 3 ? 4 : 11);
      machine.refreshInterval = Cycles(1000);
      machine.refreshTime = Cycles(91);
      const Compared c = compareRuns(count, {}, machine);
      EXPECT_EQ(c.same + c.unsure, count) << ports << " " << model;
      EXPECT_LT(c.unsure, count / 3);
    }
}

sim::Weakening without(sim::dpu::RunPart part) {
  return {sim::Parts{1} << static_cast<int>(part)};
}

TEST(DpuFastForward, WithoutAnyPartOfTheOrderOfIssueTimesAreWrong) {
  using enum sim::dpu::RunPart;
  for (const auto part : {kTurn, kSpacing, kWaits}) {
    const Compared c = compareRuns(50, {.weakening = without(part)});
    EXPECT_LT(c.same + c.unsure, 50) << static_cast<int>(part);
  }
}

/// 16 tasklets that each sum up n words of their own.
DpuBuilder streaming(int tasklets, int words, bool branchesOnData) {
  DpuBuilder b;
  b.boot(tasklets);
  b.shifted(0, dpu::kId, 11);
  b.shifted(1, dpu::kId, 16);
  b.move(2, 0);
  b.transfer(dpu::Op::kLdma, 0, 1, 1024);
  b.move(3, words);
  const int top = b.here();
  b.load(dpu::Op::kLw, 4, 0, 0);
  if (branchesOnData) b.jump(dpu::Condition::kE, 4, 0, b.here() + 2);
  b.reg(dpu::Op::kAdd, 2, 2, 4);
  b.imm(dpu::Op::kAdd, 0, 0, 4);
  b.loop(3, top);
  b.end();
  return b;
}

TEST(DpuFastForward, LoopsOverUnknownDataAreSkipped) {
  Dpu dpu(streaming(16, 256, false).image(), handDpu());
  const auto estimate = dpu.estimate();
  ASSERT_TRUE(estimate);
  EXPECT_LT(estimate->cyclesSimulated.value, estimate->cycles.value / 4);
}

TEST(DpuFastForward, LoopsThatEndWithALowCarryAreSkipped) {
  Rng rng(11);
  for (int bits = 5; bits <= 14; ++bits)
    for (const int step : {1, 4, 8, -8, 12}) {
      const auto noCarry = static_cast<dpu::Condition>(static_cast<int>(dpu::Condition::kNc5) + bits - 5);
      DpuBuilder b;
      b.boot(16);
      b.move(0, static_cast<int>(rng.integer(0, 30)));
      b.move(2, static_cast<int>(rng.integer(1, 60)));
      const int top = b.here();
      b.imm(dpu::Op::kAdd, 1, 1, 3);
      DpuBuilder::branch(b.imm(dpu::Op::kAdd, 0, 0, step), noCarry, top);
      b.reg(dpu::Op::kAdd, 3, 3, 1);
      b.loop(2, top);
      b.end();
      const auto estimate = Dpu(b.image(), handDpu()).estimate();
      const RunResult run = Dpu(b.image(), handDpu()).simulate();
      ASSERT_TRUE(estimate);
      EXPECT_EQ(estimate->cycles, run.cycles) << bits << " " << step;
      EXPECT_EQ(estimate->executed, run.executed) << bits << " " << step;
    }
}

TEST(DpuFastForward, GivesUpWhereUnknownDataDecideTheTime) {
  Dpu dpu(streaming(16, 256, true).image(), handDpu());
  EXPECT_FALSE(dpu.estimate());
}

TEST(DpuFastForward, ConstantDataDecideTheTimeAndAreSkippedTogether) {
  Dpu dpu(streaming(16, 256, true).image(), handDpu());
  const std::uint32_t three = 3;
  dpu.fillMram(0, 1 << 20, std::as_bytes(std::span(&three, 1)));
  Dpu other(dpu);
  const auto estimate = dpu.estimate();
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->cycles, other.simulate().cycles);
  EXPECT_LT(estimate->cyclesSimulated.value, estimate->cycles.value / 4);
}

/// A tasklet looks at a word again and again, one of its instructions hangs on what it finds; the other one sets it
/// after a while. `writer`: the tasklet that does.
DpuBuilder race(int writer) {
  constexpr int kWord = 64;
  DpuBuilder b;
  b.boot(2);
  b.move(0, 400);
  const int toWriter = b.here();
  b.jump(dpu::Condition::kZ, dpu::kId, writer, 0);
  const int look = b.here();
  b.load(dpu::Op::kLw, 1, dpu::kZero, kWord);
  b.jump(dpu::Condition::kZ, 1, 0, b.here() + 2);
  b.imm(dpu::Op::kAdd, 2, 2, 1);
  b.loop(0, look);
  b.end();
  b.code()[static_cast<std::size_t>(toWriter)].target = static_cast<std::uint16_t>(b.here());
  const int wait = b.here();
  b.loop(0, wait);
  b.move(1, 1);
  b.store(dpu::Op::kSw, dpu::kZero, kWord, 1);
  b.end();
  return b;
}

TEST(DpuFastForward, WithoutGuardsItGivesWrongTimesWhereTaskletsRace) {
  using enum sim::dpu::RunPart;
  for (const int writer : {0, 1}) {
    const DpuBuilder b = race(writer);
    EXPECT_FALSE(Dpu(b.image(), handDpu()).estimate());
    const auto wrong = Dpu(b.image(), handDpu()).estimate({.weakening = without(writer == 0 ? kWrites : kReads)});
    ASSERT_TRUE(wrong) << writer;
    EXPECT_NE(wrong->counts.instructions, Dpu(b.image(), handDpu()).simulate().counts.instructions) << writer;
  }
}

/// An instruction hangs on the carry that a word leaves.
DpuBuilder branchOnCarry() {
  DpuBuilder b;
  b.move(0, 0);
  b.move(1, 0);
  b.transfer(dpu::Op::kLdma, 0, 1, 8);
  b.load(dpu::Op::kLw, 2, 0, 0);
  b.imm(dpu::Op::kAdd, 3, 2, -1);  // carries unless the word is 0
  b.reg(dpu::Op::kAddc, 4, dpu::kZero, dpu::kZero);
  b.jump(dpu::Condition::kZ, 4, 0, b.here() + 2);
  b.imm(dpu::Op::kAdd, 5, 5, 1);
  b.end();
  return b;
}

TEST(DpuFastForward, WithoutWhatIsUnknownItGivesWrongTimes) {
  using enum sim::dpu::RunPart;
  const std::uint32_t three = 3;
  const DpuBuilder streams = streaming(2, 16, true), carry = branchOnCarry();
  for (const auto &[part, b] : {std::pair{kBytes, &streams}, {kRegisters, &streams}, {kFlags, &carry}}) {
    EXPECT_FALSE(Dpu(b->image(), handDpu()).estimate());
    const auto wrong = Dpu(b->image(), handDpu()).estimate({.weakening = without(part)});
    ASSERT_TRUE(wrong) << static_cast<int>(part);
    Dpu dpu(b->image(), handDpu());
    dpu.fillMram(0, 1 << 20, std::as_bytes(std::span(&three, 1)));
    EXPECT_NE(wrong->counts.instructions, dpu.simulate().counts.instructions) << static_cast<int>(part);
  }
}

/// Adds 6 * 7 to a word that nobody knows, or multiplies by it.
DpuBuilder product(bool isFactorUnknown) {
  constexpr int kSteps = 4, kFactor = 4, kSum = 5;  // a pair
  DpuBuilder b;
  b.boot(2);
  b.move(0, 0);
  b.move(1, 0);
  b.transfer(dpu::Op::kLdma, 0, 1, 8);
  b.move(kFactor, 6);
  b.move(3, 7);
  b.load(dpu::Op::kLw, isFactorUnknown ? kFactor : kSum, 0, 0);
  const int end = b.here() + kSteps;
  for (int n = 0; n < kSteps; ++n) {
    dpu::Instruction &step = b.reg(dpu::Op::kMulStep, kFactor, 3, kFactor);
    step.shift = static_cast<std::uint8_t>(n);
    DpuBuilder::branch(step, dpu::Condition::kZ, end);
  }
  b.end();
  return b;
}

TEST(DpuFastForward, WhatAProductIsAddedToDecidesNothing) {
  Dpu dpu(product(false).image(), handDpu());
  Dpu other(dpu);
  const auto estimate = dpu.estimate();
  ASSERT_TRUE(estimate);
  const auto simulated = other.simulate();
  EXPECT_EQ(estimate->cycles, simulated.cycles);
  EXPECT_EQ(estimate->counts.instructions, simulated.counts.instructions);
  EXPECT_FALSE(Dpu(product(true).image(), handDpu()).estimate());
}

TEST(DpuFastForward, GivesUpWhereTaskletsRace) {
  DpuBuilder b;
  b.boot(2);
  b.move(0, 1000);
  const int top = b.here();
  b.load(dpu::Op::kLw, 1, dpu::kZero, 64);
  b.imm(dpu::Op::kAdd, 1, 1, 1);
  b.store(dpu::Op::kSw, dpu::kZero, 64, 1);
  b.jump(dpu::Condition::kGts, 1, 1500, b.here() + 2);
  b.imm(dpu::Op::kAdd, 2, 2, 1);
  b.loop(0, top);
  b.end();
  EXPECT_FALSE(Dpu(b.image(), handDpu()).estimate());
}

TEST(DpuMemory, ASecondLaunchGoesOnFromWhatTheFirstLeft) {
  DpuBuilder b;
  b.load(dpu::Op::kLw, 1, dpu::kZero, 64);
  b.imm(dpu::Op::kAdd, 1, 1, 1);
  b.store(dpu::Op::kSw, dpu::kZero, 64, 1);
  b.end();
  Dpu dpu(b.image(), handDpu());
  const RunResult first = dpu.simulate(), second = dpu.simulate();
  EXPECT_EQ(first.cycles, second.cycles);
  std::uint32_t word = 0;
  dpu.readWram(64, std::as_writable_bytes(std::span(&word, 1)));
  EXPECT_EQ(word, 2u);
}

TEST(DpuMemory, PatternsAndBytesOfMramComeBack) {
  Dpu dpu(streaming(1, 1, false).image(), handDpu());
  const std::uint16_t pattern = 0x1234;
  dpu.fillMram(6, 100000, std::as_bytes(std::span(&pattern, 1)));
  const std::uint8_t byte = 0xff;
  dpu.writeMram(20, std::as_bytes(std::span(&byte, 1)));
  std::vector<std::uint8_t> out(40);
  dpu.readMram(0, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out[5], 0);
  EXPECT_EQ(out[6], 0x34);
  EXPECT_EQ(out[7], 0x12);
  EXPECT_EQ(out[20], 0xff);
  dpu.readMram(100000, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out[4], 0x34);
  EXPECT_EQ(out[5], 0x12);
  EXPECT_EQ(out[6], 0);
}

TEST(Dma, NoTransfersThatMoveSoMuchTakeLessThanTheLeast) {
  Rng rng(5);
  for (const char *model : {"table", "constant", "dram-rows"})
    for (int n = 0; n < 300; ++n) {
      machine::Dpu machine = handDpu();
      machine.mramModel = model;
      machine.constantTransfer = rng.real(1, 300);
      machine.rows = {Bytes(1024), Bytes(8), rng.real(0, 60), rng.real(0, 9), rng.real(0, 90)};
      for (machine::Dpu::Transfer &t : machine.reads) t.occupancy = rng.real(5, 1500);
      sim::dpu::Dma dma(machine);
      const sim::dpu::LeastOccupancy least(machine, true);
      const std::int64_t wanted = rng.integer(1, 3 * machine.transferMax.value);
      std::int64_t moved = 0, before = 0;
      while (moved < wanted) {
        const std::int64_t bytes = 8 * rng.integer(1, machine.transferMax.value / 8);
        dma.issue(before++, true, bytes, static_cast<std::uint32_t>(8 * rng.integer(0, 4096)));
        moved += bytes;
      }
      ASSERT_LE(least.ticks(wanted), static_cast<double>(dma.work())) << model << " " << wanted;
      ASSERT_GT(least.ticks(wanted), 0);
    }
}

TEST(Dma, TheLeastOfATransferThatExistsIsWhatItTakesWhereOccupancyGrowsEvenly) {
  machine::Dpu machine = handDpu();
  for (machine::Dpu::Transfer &t : machine.reads) t.occupancy = 50 + 0.5 * static_cast<double>(t.size.value);
  const sim::dpu::Dma dma(machine);
  const sim::dpu::LeastOccupancy least(machine, true);
  for (std::int64_t bytes = 8; bytes <= machine.transferMax.value; bytes += 8)
    EXPECT_EQ(least.ticks(bytes), static_cast<double>(dma.occupancy(true, bytes))) << bytes;
}

}  // namespace
}  // namespace pimento::test
