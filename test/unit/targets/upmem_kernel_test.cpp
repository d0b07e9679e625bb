// Runs of UPMEM kernels without data: fast-forward against simulation, what is known of the data, samples.
#include <gtest/gtest.h>

#include <cmath>

#include "pimento/base/statistics.h"
#include "pimento/evaluate/explain.h"
#include "pimento/kernel/notation.h"
#include "pimento/targets/upmem/sample.h"
#include "test/support/recompute.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

void expectEqual(const UpmemRun &run, bool knowsData = true) {
  SCOPED_TRACE(run.kernel + " " + run.map);
  const auto estimated = run.estimate(knowsData), simulated = run.simulate();
  ASSERT_TRUE(estimated.ok()) << estimated.diagnostics().front().str();
  ASSERT_TRUE(simulated.ok()) << simulated.diagnostics().front().str();
  EXPECT_NE(estimated->exact, evaluate::Exactness::kSampled);
  EXPECT_EQ(estimated->cycles, simulated->cycles);
  EXPECT_EQ(estimated->counts, simulated->counts);
  EXPECT_EQ(estimated->breakdown().total(), simulated->breakdown().total());
}

TEST(UpmemKernel, AnEstimateIsTheSimulationWhereDataDecideNothing) {
  for (const std::string map :
       {"reference", "reference;tasklets=3;buffer=8", "reference;dpus=4;tasklets=24;buffer=16"}) {
    for (const std::string kernel : {"va", "red", "scan"})
      expectEqual({kernel, {{"n", 10000}}, DType::kI32, map}, false);
    expectEqual({"red", {{"n", 10000}}, DType::kU16, map, "measured"}, false);
  }
}

TEST(UpmemKernel, AnEstimateIsTheSimulationOnConstants) {
  for (const std::string map : {"reference;tasklets=3;buffer=8", "reference;dpus=4;tasklets=12;buffer=16"})
    for (const double value : {0.0, 1.0, 3.0, 200.0}) {
      expectEqual({"sel", {{"n", 3000}}, DType::kI32, map, "plain", constantData(value)});
      expectEqual({"hst", {{"n", 3000}}, DType::kI32, map, "plain", constantData(value)});
      expectEqual({"gemv", {{"m", 50}, {"n", 70}}, DType::kI32, map, "plain", constantData(value)});
      expectEqual({"gemm", {{"m", 9}, {"n", 10}, {"k", 20}}, DType::kI16, map, "plain", constantData(value)});
    }
}

TEST(UpmemKernel, AShortRunOnRandomDataIsTheSimulation) {
  expectEqual({"sel", {{"n", 20000}}, DType::kU32, "reference;dpus=2"});
  expectEqual({"hst", {{"n", 20000}}, DType::kU32, "reference;dpus=2", "plain", uniformData(0, 4095)});
  expectEqual({"gemv", {{"m", 50}, {"n", 70}}, DType::kI32, "reference"});
}

TEST(UpmemKernel, ALongRunOnRandomDataIsSampled) {
  const UpmemRun run{"sel", {{"n", 4000000}}, DType::kU32, "reference;buffer=64"};
  const auto estimated = run.estimate();
  ASSERT_TRUE(estimated.ok());
  EXPECT_EQ(estimated->exact, evaluate::Exactness::kSampled);
  ASSERT_TRUE(estimated->interval.has_value());
  EXPECT_LT(estimated->interval->low, estimated->cycles);
  EXPECT_GT(estimated->interval->high, estimated->cycles);
  const auto simulated = run.simulate();
  ASSERT_TRUE(simulated.ok());
  EXPECT_LE(estimated->interval->low, simulated->cycles);
  EXPECT_GE(estimated->interval->high, simulated->cycles);
  const auto counts = static_cast<double>(simulated->counts.at("instructions"));
  EXPECT_NEAR(static_cast<double>(estimated->counts.at("instructions")), counts, 0.01 * counts);
}

TEST(UpmemKernel, SamplesAreTheSameAtAnyNumberOfThreads) {
  const UpmemRun run{"sel", {{"n", 4000000}}, DType::kU32, "reference;buffer=64"};
  const kernel::Graph graph = run.graph();
  evaluate::Request request = run.request(graph);
  request.values = run.data;
  const auto one = evaluate::evaluate(request);
  request.jobs = 4;
  const auto four = evaluate::evaluate(request);
  ASSERT_TRUE(one.ok() && four.ok());
  ASSERT_TRUE(one->interval && four->interval);
  EXPECT_EQ(one->cycles, four->cycles);
  EXPECT_EQ(one->interval->low, four->interval->low);
  EXPECT_EQ(one->interval->high, four->interval->high);
  EXPECT_EQ(one->counts, four->counts);
}

TEST(UpmemKernel, SamplesCostLessThanTheRun) {
  for (const UpmemRun &run : {UpmemRun{"sel", {{"n", 4000000}}, DType::kU32, "reference;buffer=64"},
                              UpmemRun{"gemv", {{"m", 1300}, {"n", 512}}, DType::kI32, "reference;buffer=64"}}) {
    const auto estimated = run.estimate();
    ASSERT_TRUE(estimated.ok());
    EXPECT_EQ(estimated->exact, evaluate::Exactness::kSampled);
    EXPECT_LT(estimated->cyclesSimulated.value, estimated->cycles.value);
  }
}

TEST(UpmemKernel, WhatEarlierKernelsComputeDecidesTheTimeOfLaterOnes) {
  const auto graph = kernel::parseNotation("s[h] += A[h,n] * x[n]; t[m] += B[m,h] * s[h]",
                                           {{"n", 40}, {"h", 30}, {"m", 20}}, DType::kI32);
  ASSERT_TRUE(graph.ok());
  UpmemRun run;
  run.data = uniformData(0, 9);
  evaluate::Request request = run.request(*graph);
  request.values = run.data;
  const auto estimated = evaluate::evaluate(request);
  ASSERT_TRUE(estimated.ok()) << estimated.diagnostics().front().str();
  kernel::DataSet data = kernel::makeData(*graph, run.data);
  request.isSimulation = true;
  request.data = &data;
  const auto simulated = evaluate::evaluate(request);
  ASSERT_TRUE(simulated.ok());
  EXPECT_EQ(estimated->cycles, simulated->cycles);
  EXPECT_EQ(estimated->counts, simulated->counts);
}

TEST(UpmemKernel, NoRunIsBelowItsBound) {
  for (const std::string map : {"reference", "reference;tasklets=1;buffer=8", "reference;dpus=4;tasklets=24;buffer=16"})
    for (const std::string kernel : {"va", "red", "scan", "sel", "hst", "gemv", "gemm"}) {
      const kernel::Sizes sizes = kernel == "gemv"   ? kernel::Sizes{{"m", 40}, {"n", 64}}
                                  : kernel == "gemm" ? kernel::Sizes{{"m", 20}, {"n", 32}, {"k", 32}}
                                                     : kernel::Sizes{{"n", 5000}};
      for (const int value : {0, 1, 2}) {
        UpmemRun run{kernel, sizes, DType::kI32, map, "plain", constantData(value % 2)};
        if (value == 2) run.machine.dpu->multiplier = Cycles(44);
        const kernel::Graph graph = run.graph();
        evaluate::Request request = run.request(graph);
        request.values = run.data;
        const auto evaluation = evaluate::evaluateRecorded(request);
        ASSERT_TRUE(evaluation.ok());
        const evaluate::DeviceRun bound = evaluation->compiled[0].compiled->bound();
        EXPECT_LE(bound.cycles, evaluation->report.cycles) << kernel << " " << map;
        EXPECT_GT(4 * bound.cycles.value, evaluation->report.cycles.value) << kernel << " " << map;
        EXPECT_LE(bound.counts.at("instructions"), evaluation->report.counts.at("instructions"));
      }
    }
}

/// Every formula gives the number that stands beside it.
void expectExplained(const UpmemRun &run) {
  SCOPED_TRACE(run.kernel + " " + run.map);
  const kernel::Graph graph = run.graph();
  evaluate::Request request = run.request(graph);
  request.values = run.data;
  const auto evaluation = evaluate::evaluateRecorded(request);
  ASSERT_TRUE(evaluation.ok());
  const evaluate::Explanation explanation = evaluate::explain(evaluate::explainInput(request, *evaluation));
  for (const auto &[name, number] : explanation.numbers()) {
    const auto again = recompute(*number);
    ASSERT_TRUE(again.has_value()) << name;
    if (number->isInteger() && again->index() == 0)
      EXPECT_EQ(std::get<0>(*again), number->integer()) << name;
    else
      EXPECT_NEAR(again->index() == 0 ? static_cast<double>(std::get<0>(*again)) : std::get<1>(*again), number->real(),
                  1e-9 * std::abs(number->real()) + 1)
          << name;
  }
  EXPECT_TRUE(explanation.find("breakdown.launch").ok());
  EXPECT_TRUE(explanation.find("dpus_identical").ok());
}

TEST(UpmemKernel, ItsNumbersAreExplained) {
  expectExplained({"va", {{"n", 5000}}, DType::kI32, "reference;dpus=4;tasklets=8;buffer=32"});
  expectExplained({"sel", {{"n", 5000}}, DType::kI32, "reference;dpus=2"});
  expectExplained({"sel", {{"n", 3000000}}, DType::kI32, "reference;buffer=64"});
  expectExplained(
      {"gemm", {{"m", 10}, {"n", 12}, {"k", 14}}, DType::kI16, "reference;dpus=2", "plain", constantData(3)});
}

TEST(UpmemSample, QuantilesAreThoseOfTables) {
  EXPECT_NEAR(normalQuantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normalQuantile(0.005), -2.575829, 1e-6);
  EXPECT_NEAR(studentQuantile(0.995, 15), 2.9467, 2e-3);
  EXPECT_NEAR(studentQuantile(0.975, 10), 2.2281, 2e-3);
}

targets::upmem::SampledRun sampleOf(double rounds, double instructions, double waiting) {
  return {rounds, instructions, 40 + 1.5 * instructions + waiting};
}

/// On which tasklets do the same.
std::vector<targets::upmem::SampledRun> alikeSamples() {
  std::vector<targets::upmem::SampledRun> out;
  for (const double rounds : {100, 400})
    for (int i = 0; i < 3; ++i) out.push_back(sampleOf(rounds, 7.0 * rounds + i, 0));
  for (const double rounds : {400, 800}) out.push_back(sampleOf(rounds, 7.0 * rounds, 0));
  return out;
}

targets::upmem::Prediction predictionOf(const std::vector<targets::upmem::SampledRun> &samples,
                                        targets::upmem::Units units = {}, double leastCycles = 1.5) {
  return targets::upmem::predict(samples, alikeSamples(), {10000, 0, leastCycles, units}, 0.99);
}

TEST(UpmemSample, LinesAreContinuedExactly) {
  std::vector<targets::upmem::SampledRun> samples;
  for (const double rounds : {100, 200, 400})
    for (int i = 0; i < 6; ++i) samples.push_back(sampleOf(rounds, 10 + 7.0 * rounds, 0));
  const targets::upmem::Prediction p = predictionOf(samples);
  EXPECT_NEAR(p.cycles, 40 + 1.5 * 70010, 1e-3);
  EXPECT_NEAR(p.low, 1.5 * 70010, 1);
  EXPECT_NEAR(p.high, p.cycles, 1);
}

TEST(UpmemSample, CyclesGoOnBetweenTheirLeastAndTheirLastGrowth) {
  std::vector<targets::upmem::SampledRun> samples;
  for (const double rounds : {100, 200, 400})
    for (int i = 0; i < 6; ++i) samples.push_back(sampleOf(rounds, 7.0 * rounds, 0));
  const targets::upmem::Prediction p = predictionOf(samples, {}, 1.0);
  const double last = 40 + 1.5 * 5600, left = 70000 - 5600;
  EXPECT_NEAR(p.low, 70000, 2);
  EXPECT_NEAR(p.high, last + 1.5 * left, 2);
}

TEST(UpmemSample, WaitingGrowsWithTheRootOfTheRounds) {
  std::vector<targets::upmem::SampledRun> samples;
  for (const double rounds : {100, 400})
    for (int i = 0; i < 6; ++i) samples.push_back(sampleOf(rounds, 7.0 * rounds, 5 * std::sqrt(rounds)));
  EXPECT_NEAR(predictionOf(samples).cycles, 40 + 1.5 * 70000 + 500, 1e-3);
}

TEST(UpmemSample, TheSlowestOfManyTakesLonger) {
  std::vector<targets::upmem::SampledRun> samples;
  for (const double rounds : {100, 200, 400})
    for (const int off : {-2, 1, 1, -1, 2, -1})
      samples.push_back(sampleOf(rounds, 10.0 * rounds + off * std::sqrt(rounds), 0));
  const auto one = predictionOf(samples), many = predictionOf(samples, {64, 64}), some = predictionOf(samples, {1, 64});
  EXPECT_GT(many.cycles, one.cycles);
  EXPECT_LT(one.low, one.cycles);
  EXPECT_GT(one.high, one.cycles);
  EXPECT_EQ(some.low, one.low);
  EXPECT_EQ(some.high, many.high);
}

TEST(UpmemSample, TheSlowestTakesNoLessThanTheSlowestThatRan) {
  const std::vector<double> cycles = {100, 101, 99, 140, 100, 100};
  const auto all = targets::upmem::slowestOf(cycles, {6, 6}, 0.99),
             many = targets::upmem::slowestOf(cycles, {600, 600}, 0.99);
  EXPECT_GE(all.low, 140);
  EXPECT_GE(all.cycles, 140);
  EXPECT_GT(many.cycles, 140);
  EXPECT_GT(many.high, many.cycles);
}

}  // namespace
}  // namespace pimento::test
