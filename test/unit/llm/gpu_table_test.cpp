// Tables of measured times, and what lies between their sizes.
#include "pimento/llm/gpu_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"
#include "test/support/llm_host.h"

namespace pimento::llm {
namespace {

constexpr const char *kHead = "# gpu: a card\n# clock: 1980 MHz\n# driver: 550\n# cuda: 12.4\n";

GpuTable table(const std::string &rows) {
  Result<GpuTable> t = GpuTable::parse(kHead + rows, "t.csv");
  if (!t) ADD_FAILURE() << t.diagnostics().front().str();
  return std::move(*t);
}

double ns(const GpuTable &t, const Operation &o) {
  const Result<Picoseconds> time = t.time(o);
  if (!time) return -1;
  return time->value / 1000;
}

constexpr const char *kRows =
    "kernel,bytes,m,n,k,count,time_ns\n"
    "linear,2,1,512,256,1,100\n"
    "linear,2,3,512,256,1,140\n"
    "linear,2,1,1024,256,1,200\n"
    "linear,2,3,1024,256,1,280\n"
    "softmax,2,1,512,1,40,9\n";

TEST(MeasuredTimes, AreTakenAsTheyAre) {
  const GpuTable t = table(kRows);
  EXPECT_EQ(ns(t, {OperationKind::kLinear, 3, 1024, 256}), 280);
  EXPECT_EQ(ns(t, {OperationKind::kSoftmax, 1, 512, 1, 40}), 9);
  EXPECT_EQ(t.head().find("clock")->second, "1980 MHz");
}

TEST(MeasuredTimes, LieOnLinesBetweenTwoSizes) {
  const GpuTable t = table(kRows);
  EXPECT_DOUBLE_EQ(ns(t, {OperationKind::kLinear, 2, 512, 256}), 120);
  EXPECT_DOUBLE_EQ(ns(t, {OperationKind::kLinear, 1, 768, 256}), 150);
  EXPECT_DOUBLE_EQ(ns(t, {OperationKind::kLinear, 2, 768, 256}), 180) << "in both sizes";
}

TEST(MeasuredTimes, AreNotExtrapolated) {
  const GpuTable t = table(kRows);
  for (const Operation &o :
       {Operation{OperationKind::kLinear, 4, 512, 256}, Operation{OperationKind::kLinear, 1, 256, 256},
        Operation{OperationKind::kLinear, 1, 512, 128}, Operation{OperationKind::kNorm, 1, 512},
        Operation{OperationKind::kLinear, 1, 512, 256, 1, 1}}) {
    const Result<Picoseconds> time = t.time(o);
    ASSERT_FALSE(time);
    EXPECT_EQ(time.diagnostics().front().code, "not-in-table");
  }
}

TEST(MeasuredTimes, OfRepeatedRowsAreTheMedian) {
  const std::string row = "linear,2,1,17749.33333,256,1,";
  const GpuTable t = table("kernel,bytes,m,n,k,count,time_ns\n" + row + "100\n" + row + "90\n" + row + "500\n");
  EXPECT_EQ(ns(t, {OperationKind::kLinear, 1, 53248.0 / 3, 256}), 100) << "fractional widths are rounded in tables";
}

TEST(MeasuredTimes, MayBeInMicroseconds) {
  EXPECT_EQ(ns(table("kernel,bytes,m,n,k,count,time_us\nnorm,2,1,512,1,1,7.5\n"), {OperationKind::kNorm, 1, 512}),
            7500);
}

TEST(MeasuredTimes, OfTheH200AreThere) {
  for (const char *name : {"h200", "launch"}) {
    Result<machine::Machine> m = machine::loadMachine(name, {test::kHosts});
    ASSERT_TRUE(m.ok()) << m.diagnostics().front().str();
    const Result<Host> host = makeHost(*m, *m);
    ASSERT_TRUE(host.ok()) << host.diagnostics().front().str();
    const Result<GpuTime> t = host->gpu.time({OperationKind::kLinear, 1, 15360, 5120});
    ASSERT_TRUE(t.ok());
    const double bytes = 2.0 * 15360 * 5120, peak = m->host.memoryGBps / 1000;  // bytes per ps
    EXPECT_GT(t->time.value, bytes / peak) << "no card reads faster than its memory";
    EXPECT_LT(t->time.value, 3 * bytes / peak);
  }
}

TEST(MeasuredTimes, ReplaceTheRooflineOfAHost) {
  const test::Folder folder;
  std::ofstream(folder / "t.csv") << kHead << kRows;
  const std::string yaml =
      "name: card\nextends: published\nsource: a test\nconfidence: measured\n"
      "gpu: {model: table, table: t.csv}\n";
  Result<machine::Machine> m = machine::parseMachine(yaml, folder / "card.yaml", {test::kHosts});
  ASSERT_TRUE(m.ok()) << m.diagnostics().front().str();
  const Result<Host> host = makeHost(*m, *m);
  ASSERT_TRUE(host.ok()) << host.diagnostics().front().str();
  const Result<GpuTime> t = host->gpu.time({OperationKind::kLinear, 2, 512, 256});
  ASSERT_TRUE(t.ok());
  EXPECT_DOUBLE_EQ(t->time.value, 120e3);
  EXPECT_TRUE(t->isMeasured);
  EXPECT_GT(t->traffic.memory, 0) << "bytes, for energy, are the roofline's";
  EXPECT_FALSE(host->gpu.time({OperationKind::kGated, 2, 512}));
}

}  // namespace
}  // namespace pimento::llm
