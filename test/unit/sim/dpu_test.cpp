// The DPU's functional core against a plain executor, and fast-forward against simulation.
#include <gtest/gtest.h>

#include <cstring>

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
    else if (options.weakening == sim::dpu::Weakening::kNone)
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
  for (const std::int64_t ports : {2, 3, 24})
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

TEST(DpuFastForward, AStateThatForgetsWhoseTurnItIsGivesWrongTimes) {
  const Compared c = compareRuns(100, {.weakening = sim::dpu::Weakening::kForgetsTurn});
  EXPECT_LT(c.same + c.unsure, 100);
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

}  // namespace
}  // namespace pimento::test
