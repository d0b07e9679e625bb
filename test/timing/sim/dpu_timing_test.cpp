// When a DPU's instructions issue and its transfers end.
#include <gtest/gtest.h>

#include "../../support/dpu_builder.h"

namespace pimento::test {
namespace {

using sim::dpu::Dpu;

/// Cycles of `slots` instructions on each of T tasklets that are all awake from the start of the counted part.
std::int64_t cyclesOf(int tasklets, int slots) {
  const auto run = [&](int n) {
    DpuBuilder b;
    b.boot(tasklets);
    for (int i = 0; i < n; ++i) b.imm(dpu::Op::kAdd, 0, 0, 1);
    b.end();
    return Dpu(b.image(), handDpu()).simulate().cycles.value;
  };
  return run(100 + slots) - run(100);
}

TEST(DpuIssue, ATaskletIssuesEveryElevenCycles) {
  EXPECT_EQ(cyclesOf(1, 50), 11 * 50);
}

TEST(DpuIssue, UpToElevenTaskletsDoNotSlowEachOtherDown) {
  EXPECT_EQ(cyclesOf(11, 50), 11 * 50);
}

TEST(DpuIssue, MoreThanElevenTaskletsShareOneSlotPerCycle) {
  EXPECT_EQ(cyclesOf(12, 50), 12 * 50);
  EXPECT_EQ(cyclesOf(16, 50), 16 * 50);
  EXPECT_EQ(cyclesOf(24, 50), 24 * 50);
}

TEST(DpuIssue, BranchesCostOneSlotTakenOrNot) {
  DpuBuilder b;
  b.move(0, 10);
  const int top = b.here();
  b.loop(0, top);
  b.end();
  EXPECT_EQ(Dpu(b.image(), handDpu()).simulate().counts.instructions, 1 + 10 + 1);
}

struct Transfers final : sim::dpu::Observer {
  void onIssue(std::int64_t, int, std::uint32_t) override {}
  void onTransfer(std::int64_t issued, std::int64_t begin, std::int64_t end, std::int64_t done, int, bool,
                  std::int64_t) override {
    all.push_back({issued, begin, end, done});
  }
  struct One {
    std::int64_t issued, begin, end, done;
  };
  std::vector<One> all;
};

TEST(DpuDma, ALoneReadDelaysItsTaskletByItsLatency) {
  DpuBuilder b;
  b.transfer(dpu::Op::kLdma, dpu::kZero, dpu::kZero, 64);
  b.end();
  // 60 + 64 / 2 cycles to the next issue, which is the last.
  Transfers seen;
  const auto run = Dpu(b.image(), handDpu()).simulate({.observer = &seen});
  ASSERT_EQ(seen.all.size(), 1u);
  EXPECT_EQ(seen.all[0].done - seen.all[0].issued, 92);
  EXPECT_EQ(run.cycles.value, seen.all[0].done + 1);
}

TEST(DpuDma, TransfersWaitForTheOneBefore) {
  DpuBuilder b;
  b.boot(2);
  b.shifted(0, dpu::kId, 11);
  b.transfer(dpu::Op::kLdma, 0, dpu::kZero, 1024);
  b.end();
  Transfers seen;
  Dpu(b.image(), handDpu()).simulate({.observer = &seen});
  ASSERT_EQ(seen.all.size(), 2u);
  EXPECT_EQ(seen.all[0].begin, seen.all[0].issued);
  EXPECT_EQ(seen.all[1].begin, seen.all[0].begin + 40 + 512);
  EXPECT_EQ(seen.all[1].done, seen.all[1].begin + 60 + 512);
}

TEST(DpuDma, OfSeveralPortsTheFirstFreeOneServes) {
  DpuBuilder b;
  b.boot(4);
  b.shifted(0, dpu::kId, 11);
  b.transfer(dpu::Op::kLdma, 0, dpu::kZero, 1024);
  b.end();
  machine::Dpu machine = handDpu();
  machine.transferPorts = 2;
  Transfers seen;
  Dpu(b.image(), machine).simulate({.observer = &seen});
  ASSERT_EQ(seen.all.size(), 4u);
  EXPECT_EQ(seen.all[0].begin, seen.all[0].issued);
  EXPECT_EQ(seen.all[1].begin, seen.all[1].issued);
  EXPECT_EQ(seen.all[2].begin, seen.all[0].begin + 40 + 512);
  EXPECT_EQ(seen.all[3].begin, seen.all[1].begin + 40 + 512);
}

TEST(DpuPolicies, WhereTransfersTakeAConstantTimeSizesDoNotMatter) {
  DpuBuilder b;
  b.transfer(dpu::Op::kLdma, dpu::kZero, dpu::kZero, 8);
  b.transfer(dpu::Op::kSdma, dpu::kZero, dpu::kZero, 2048);
  b.end();
  machine::Dpu machine = handDpu();
  machine.mramModel = "constant";
  machine.constantTransfer = 100;
  Transfers seen;
  Dpu(b.image(), machine).simulate({.observer = &seen});
  for (const Transfers::One &t : seen.all) EXPECT_EQ(t.done - t.issued, 100);
}

TEST(DpuDma, RefreshStretchesTransfersAndDelaysThem) {
  DpuBuilder b;
  for (int i = 0; i < 40; ++i) b.transfer(dpu::Op::kLdma, dpu::kZero, dpu::kZero, 1024);
  b.end();
  machine::Dpu machine = handDpu();
  machine.refreshInterval = Cycles(2000);
  machine.refreshTime = Cycles(100);
  Transfers seen;
  Dpu(b.image(), machine).simulate({.observer = &seen});
  std::int64_t stretched = 0;
  for (const Transfers::One &t : seen.all) {
    const std::int64_t first = (t.begin + 1999) / 2000 * 2000;  // first refresh that begins no earlier
    const bool isRefreshing = t.begin % 2000 < 100;
    std::int64_t expected = 60 + 512 + (isRefreshing ? 100 - t.begin % 2000 : 0);
    if (!isRefreshing && first < t.begin + expected) expected += 100;
    EXPECT_EQ(t.done - t.begin, expected) << t.begin;
    stretched += expected - 572;
  }
  EXPECT_GT(stretched, 500);
}

TEST(DpuDma, SizesBetweenThoseOfTheTableAreInterpolated) {
  DpuBuilder b;
  b.transfer(dpu::Op::kSdma, dpu::kZero, dpu::kZero, 96);
  b.end();
  Transfers seen;
  Dpu(b.image(), handDpu()).simulate({.observer = &seen});
  EXPECT_EQ(seen.all[0].done - seen.all[0].issued, 50 + 48);
  EXPECT_EQ(seen.all[0].end - seen.all[0].begin, 30 + 48);
}

TEST(DpuPolicies, TheRowModelPaysForColumnsAndForNewRows) {
  DpuBuilder b;
  b.transfer(dpu::Op::kLdma, dpu::kZero, dpu::kZero, 64);  // opens the row
  b.transfer(dpu::Op::kLdma, dpu::kZero, dpu::kZero, 64);
  b.move(0, 1024 - 32);
  b.transfer(dpu::Op::kLdma, dpu::kZero, 0, 64);  // goes on into the next
  b.end();
  machine::Dpu machine = handDpu();
  machine.mramModel = "dram-rows";
  machine.rows = {Bytes(1024), Bytes(8), 6, 5.5, 12};
  Transfers seen;
  Dpu(b.image(), machine).simulate({.observer = &seen});
  ASSERT_EQ(seen.all.size(), 3u);
  EXPECT_EQ(seen.all[0].done - seen.all[0].begin, 6 + 44 + 12);
  EXPECT_EQ(seen.all[1].done - seen.all[1].begin, 6 + 44);
  EXPECT_EQ(seen.all[2].done - seen.all[2].begin, 6 + 44 + 12);
}

TEST(DpuSynchronisation, AFailedAcquireCostsASlotAndSaysSo) {
  DpuBuilder b;
  b.boot(2);
  b.lock(3);
  for (int i = 0; i < 20; ++i) b.imm(dpu::Op::kAdd, 0, 0, 1);
  b.unlock(3);
  b.end();
  const auto run = Dpu(b.image(), handDpu()).simulate();
  EXPECT_GT(run.counts.failedAttempts, 10);
  EXPECT_EQ(run.counts.syncAttempts, 1 + 2 + run.counts.failedAttempts);
}

TEST(DpuPolicies, TheRegisterHazardOfUPimulatorHoldsThePipeline) {
  const auto cycles = [](const std::string &hazard, int slots) {
    DpuBuilder b;
    b.boot(16);
    for (int i = 0; i < slots; ++i) b.reg(dpu::Op::kAdd, 1, 0, 2);  // two even registers: one cycle more
    b.end();
    machine::Dpu machine = handDpu();
    machine.registerHazard = hazard;
    Dpu dpu(b.image(), machine);
    EXPECT_EQ(Dpu(dpu).estimate().has_value(), hazard == "none");
    return dpu.simulate().cycles.value;
  };
  EXPECT_EQ(cycles("none", 200) - cycles("none", 100), 16 * 100);
  EXPECT_EQ(cycles("even-odd", 200) - cycles("even-odd", 100), 2 * 16 * 100);
}

}  // namespace
}  // namespace pimento::test
