// Broken micro-benchmark tables: what is wrong, where.
#include <gtest/gtest.h>

#include "pimento/tune/calibrate.h"
#include "test/support/dpu_builder.h"

namespace pimento::tune {
namespace {

constexpr const char *kTransfers = "op,size_bytes,tasklets,n_dma,cycles_per_iteration\n";

Diagnostic tableError(const std::string &rows) {
  CalibrationTables tables;
  const Result<bool> r = addTable(rows, "t.csv", tables);
  EXPECT_FALSE(r.ok()) << rows;
  if (r) return {};
  EXPECT_EQ(r.diagnostics().front().code, "bad-table");
  EXPECT_FALSE(r.diagnostics().front().hint.empty());
  return r.diagnostics().front();
}

TEST(CalibrateErrors, ABrokenRowIsNamedWithItsLine) {
  const Diagnostic d = tableError(std::string("# comment\n") + kTransfers + "DMA_LOAD,8,1,1,84\nDMA_LOAD,8,25,1,84\n");
  EXPECT_EQ(d.where.line, 4);
  EXPECT_NE(d.message.find("tasklets"), std::string::npos);
  EXPECT_NE(d.hint.find("24"), std::string::npos);
}

TEST(CalibrateErrors, EveryKindOfBrokenCellIsFound) {
  for (const char *row : {"DMA_LOAD,8,1,1", "DMA_COPY,8,1,1,84", "DMA_LOAD,12,1,1,84", "DMA_LOAD,4096,1,1,84",
                          "DMA_LOAD,8,0,1,84", "DMA_LOAD,8,1,x,84", "DMA_LOAD,8,1,1,nan", "DMA_LOAD,8,1,1,-4",
                          "DMA_LOAD,8,1,1,1e99", "DMA_LOAD,99999999999999999999,1,1,84"})
    tableError(std::string(kTransfers) + row + "\n");
  tableError("operand_value,cycles\n-1,88\n");
  tableError("tasklets,barrier_count,cycles_per_barrier_call\n4,0,100\n");
}

TEST(CalibrateErrors, ARowTwiceIsRefused) {
  const Diagnostic d = tableError(std::string(kTransfers) + "DMA_LOAD,8,1,1,84\nDMA_LOAD,8,1,1,85\n");
  EXPECT_NE(d.message.find("line 2"), std::string::npos);
}

std::string calibrateCode(const std::string &csv, const machine::Machine &m) {
  CalibrationTables tables;
  EXPECT_TRUE(addTable(csv, "t.csv", tables).ok());
  const Result<Calibration> c = calibrate(tables, m);
  return c ? "" : c.diagnostics().front().code;
}

TEST(CalibrateErrors, ASizeNeedsALoneTransfer) {
  machine::Machine m;
  m.dpu = test::handDpu();
  EXPECT_EQ(calibrateCode(std::string(kTransfers) + "DMA_LOAD,8,8,1,84\n", m), "bad-table");
  EXPECT_EQ(calibrateCode(std::string(kTransfers) + "DMA_LOAD,8,1,1,5\n", m), "bad-table");
}

TEST(CalibrateErrors, AMachineWithoutDpusIsRefused) {
  machine::Machine m;
  m.name = "hbm-pim";
  EXPECT_EQ(calibrateCode(std::string(kTransfers) + "DMA_LOAD,8,1,1,84\n", m), "not-a-dpu");
}

TEST(CalibrateErrors, ASizeThatTheMachineLacksIsNamed) {
  machine::Machine m;
  m.name = "hand";
  m.dpu = test::handDpu();
  Calibration c;
  c.reads = {{Bytes(24), 60, 40}};
  const Result<std::string> text = machineText(c, m, "mine", "t.csv");
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.diagnostics().front().code, "bad-table");
  EXPECT_NE(text.diagnostics().front().message.find("24 bytes"), std::string::npos);
}

}  // namespace
}  // namespace pimento::tune
