// What the measured programs compute on DPUs and what the host makes of it: bit for bit the interpreter's, for every
// kernel, type, number of tasklets and DPUs, and for sizes that do not divide.
#include <gtest/gtest.h>

#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

constexpr DType kTypes[] = {DType::kI32, DType::kU32, DType::kI16, DType::kU16};

/// Maps with few and many tasklets and DPUs; buffers in elements that every type can take.
const std::string kMaps[] = {"reference", "reference;tasklets=1;buffer=4", "reference;dpus=3;tasklets=11;buffer=16",
                             "reference;dpus=16;tasklets=24;buffer=8", "reference;dpus=2;tasklets=5;buffer=64"};

void expectChecked(const UpmemRun &run) {
  const auto report = run.simulate();
  std::string sizes;
  for (const auto &[name, n] : run.sizes) sizes += name + "=" + std::to_string(n) + " ";
  SCOPED_TRACE(run.kernel + " " + sizes + std::string(name(run.type)) + " " + run.map + " " + run.variant);
  ASSERT_TRUE(report.ok()) << report.diagnostics().front().str();
  EXPECT_TRUE(report->isChecked);
  EXPECT_GT(report->cycles.value, 0);
  EXPECT_EQ(report->exact, evaluate::Exactness::kSimulated);
  EXPECT_EQ(report->unit.singular, "DPU");
  EXPECT_EQ(report->unitsSimulated, report->unitsIdentical);
  EXPECT_GT(report->breakdown()[evaluate::Part::kLaunch].value, 0);
  EXPECT_GT(report->counts.at("instructions"), 0);
}

class Streaming : public testing::TestWithParam<std::string> {};

TEST_P(Streaming, AgreesWithTheInterpreterEverywhere) {
  for (const DType type : kTypes)
    for (const std::string &map : kMaps)
      for (const std::int64_t n : {1, 37, 1000, 4096}) {
        UpmemRun run{GetParam(), {{"n", n}}, type, map};
        if (run.kernel == "hst") run.data = uniformData(0, 4095);
        expectChecked(run);
      }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Streaming, testing::Values("va", "red", "sel", "scan", "hst"));

TEST(Measured, TheSumOfTwoArraysIsTheSumOfBoth) {
  for (const DType type : kTypes)
    for (const std::string &map : kMaps) expectChecked({"red", {{"n", 777}}, type, map, "measured"});
}

TEST(Measured, SelectionAndHistogramHaveAMeasuredVariant) {
  expectChecked({"sel", {{"n", 777}}, DType::kU32, "reference;dpus=2", "measured"});
  expectChecked({"hst", {{"n", 777}}, DType::kU16, "reference;dpus=2", "measured", uniformData(0, 4095)});
}

TEST(Histogram, AnyEvenNumberOfBinsCounts) {
  for (const std::int64_t bins : {2, 64, 100, 512})
    expectChecked(
        {"hst", {{"n", 500}, {"bins", bins}}, DType::kI32, "reference;tasklets=4", "plain", uniformData(0, 4095)});
}

TEST(Selection, NothingAndEverythingCanBeKept) {
  expectChecked({"sel", {{"n", 300}}, DType::kI32, "reference", "plain", constantData(7)});
  expectChecked({"sel", {{"n", 300}}, DType::kI32, "reference", "plain", constantData(8)});
}

TEST(Products, AMatrixTimesAVectorAgrees) {
  for (const DType type : kTypes)
    for (const std::string &map : kMaps) {
      expectChecked({"gemv", {{"m", 1}, {"n", 1}}, type, map});
      expectChecked({"gemv", {{"m", 67}, {"n", 50}}, type, map});
    }
  expectChecked({"gemv", {{"m", 64}, {"n", 128}}, DType::kI32, "reference;dpus=16;tasklets=2;buffer=32"});
}

TEST(Products, ABatchOfVectorsIsAMatrix) {
  expectChecked({"gemv", {{"m", 33}, {"n", 20}, {"batch", 3}}, DType::kI32, "reference;tasklets=4;buffer=4"});
}

TEST(Products, AMatrixTimesAMatrixAgrees) {
  for (const DType type : kTypes)
    for (const std::string &map : {kMaps[1], kMaps[2], kMaps[3]}) {
      expectChecked({"gemm", {{"m", 1}, {"n", 1}, {"k", 1}}, type, map});
      expectChecked({"gemm", {{"m", 19}, {"n", 10}, {"k", 33}}, type, map});
    }
}

TEST(Mapping, WrittenOutItIsTheReferenceMapping) {
  const UpmemRun reference{"va", {{"n", 5000}}, DType::kI32, "reference;dpus=4;tasklets=8;buffer=32"};
  const UpmemRun written{"va", {{"n", 5000}}, DType::kI32, "M1:{(1),(4),(8),(160)};buffer=32"};
  const auto a = reference.simulate(), b = written.simulate();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->cycles, b->cycles);
  EXPECT_EQ(a->breakdown().total(), b->breakdown().total());
}

}  // namespace
}  // namespace pimento::test
