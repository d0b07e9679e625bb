// Tables made from a machine whose times are known give that machine back.
#include "pimento/tune/calibrate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/support/dpu_builder.h"

namespace pimento::tune {
namespace {

machine::Machine handMachine() {
  machine::Machine m;
  m.name = "hand";
  m.dpu = test::handDpu();
  return m;
}

/// What a measurement of the hand machine would say.
std::string transferTable(const machine::Dpu &dpu, const LoopSlots &loop) {
  std::string csv = "# made up\nop,size_bytes,tasklets,n_dma,cycles_per_iteration,extra\n";
  for (const bool isRead : {true, false}) {
    for (const std::int64_t bytes : {8, 64, 256}) {
      for (const std::int64_t tasklets : {1, 8, 16}) {
        for (const std::int64_t transfers : {1, 2, 4}) {
          TransferRow row{isRead, bytes, tasklets, transfers, 0, {}};
          const Result<double> cycles = benchmarkTransfers(dpu, row, loop);
          EXPECT_TRUE(cycles.ok());
          if (cycles)
            csv += fmt::format("{},{},{},{},{},x\n", isRead ? "DMA_LOAD" : "DMA_STORE", bytes, tasklets, transfers,
                               *cycles);
        }
      }
    }
  }
  return csv;
}

CalibrationTables read(const std::string &csv) {
  CalibrationTables tables;
  const Result<bool> isTable = addTable(csv, "made.csv", tables);
  EXPECT_TRUE(isTable.ok() && *isTable);
  return tables;
}

TEST(Calibrate, KnownTransferTimesAndLoopsAreRecovered) {
  const machine::Machine m = handMachine();
  const LoopSlots loop{15, 3};
  const Result<Calibration> c = calibrate(read(transferTable(*m.dpu, loop)), m);
  ASSERT_TRUE(c.ok()) << c.diagnostics().front().str();
  EXPECT_EQ(c->loop.empty, loop.empty);
  EXPECT_EQ(c->loop.more, loop.more);
  ASSERT_EQ(c->reads.size(), 3u);
  for (const machine::Dpu::Transfer &t : c->reads) {
    const double half = static_cast<double>(t.size.value) / 2;
    EXPECT_NEAR(t.latency, 60 + half, 0.5) << t.size.value;
    EXPECT_NEAR(t.occupancy, 40 + half, 0.5) << t.size.value;
  }
  for (const machine::Dpu::Transfer &t : c->writes) EXPECT_NEAR(t.latency - t.occupancy, 20, 1) << t.size.value;
}

TEST(Calibrate, TheModelHasNoResidualOnItsOwnTables) {
  const machine::Machine m = handMachine();
  const LoopSlots loop;
  const Result<Residuals> r = residuals(read(transferTable(*m.dpu, loop)), *m.dpu, loop, 1);
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->groups.size(), 6u);  // reads and writes at three numbers of tasklets
  for (const Residual &g : r->groups) {
    EXPECT_EQ(g.rows, 9);
    EXPECT_LT(std::abs(g.worstPercent), 0.01) << g.table << " " << g.group << " " << g.worstRow;
  }
}

TEST(Calibrate, AResidualIsTheDistanceOfTheModelFromTheRow) {
  const machine::Machine m = handMachine();
  CalibrationTables tables = read("operand_value,cycles\n1,80\n");
  const Result<double> ours = benchmarkMultiply(*m.dpu, 1);
  ASSERT_TRUE(ours.ok());
  EXPECT_DOUBLE_EQ(*ours, 88);
  const Result<Residuals> r = residuals(tables, *m.dpu, {}, 1);
  ASSERT_TRUE(r.ok());
  EXPECT_NEAR(r->groups.front().worstPercent, 10, 1e-9);
}

TEST(Calibrate, RefreshIsTakenOutOfWhatTablesSay) {
  machine::Machine m = handMachine();
  const CalibrationTables tables = read("op,size_bytes,tasklets,n_dma,cycles_per_iteration\nDMA_LOAD,8,1,1,122\n");
  const Result<Calibration> without = calibrate(tables, m);
  m.dpu->refreshInterval = Cycles(1000);
  m.dpu->refreshTime = Cycles(100);
  const Result<Calibration> with = calibrate(tables, m);
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_DOUBLE_EQ(without->reads[0].latency, 100);  // two slots belong to the loop
  EXPECT_DOUBLE_EQ(with->reads[0].latency, 90);
}

TEST(Calibrate, TheIssueIntervalIsThatOfA32BitAddition) {
  const Result<Calibration> c =
      calibrate(read("op,dtype,cycles_1_tasklet\nADD,uint32_t,7.02\nADD,float,600\n"), handMachine());
  ASSERT_TRUE(c.ok());
  EXPECT_DOUBLE_EQ(c->issueInterval, 7);
}

TEST(Calibrate, RowsWhoseOperandsAreUnknownAreNamedNotCompared) {
  const machine::Machine m = handMachine();
  const Result<Residuals> r =
      residuals(read("op,dtype,cycles_1_tasklet\nLOAD,uint32_t,11\nADD,float,600\n"), *m.dpu, {}, 1);
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->groups.size(), 1u);
  EXPECT_NEAR(r->groups[0].worstPercent, 0, 1e-9);
  ASSERT_EQ(r->leftOut.size(), 1u);
  EXPECT_NE(r->leftOut[0].find("ADD float"), std::string::npos);
}

TEST(Calibrate, BarriersOfMoreTaskletsTakeLonger) {
  const machine::Machine m = handMachine();
  const Result<double> few = benchmarkBarrier(*m.dpu, 2, 8), many = benchmarkBarrier(*m.dpu, 16, 8);
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_GT(*many, 5 * *few);
}

TEST(Calibrate, TheTextNamesTheEntriesOfTheMachine) {
  machine::Machine m = handMachine();
  machine::Number size;
  size.canonical = 8;
  m.numbers["dpu.dma.read.small.size"] = size;
  Calibration c;
  c.issueInterval = 11;
  c.reads = {{Bytes(8), 60, 40.5}};
  const Result<std::string> text = machineText(c, m, "mine", "a \"table\"");
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("small: {size: 8 B, latency: 60 cycle, occupancy: 40.5 cycle}"), std::string::npos) << *text;
  EXPECT_NE(text->find("\"calibrated: a table\""), std::string::npos) << *text;
}

TEST(Calibrate, FilesOfOtherColumnsAreNoTables) {
  CalibrationTables tables;
  const Result<bool> isTable = addTable("kernel,time\nva,3\n", "f.csv", tables);
  ASSERT_TRUE(isTable.ok());
  EXPECT_FALSE(*isTable);
}

}  // namespace
}  // namespace pimento::tune
