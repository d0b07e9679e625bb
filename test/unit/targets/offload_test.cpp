// Graphs that the host and the device run together.
#include <gtest/gtest.h>

#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "test/support/target_of.h"

namespace pimento::evaluate {
namespace {

machine::Machine hbmPim(const std::string &channels = "64") {
  auto m = machine::loadMachine("hbm-pim", {PIMENTO_SOURCE_DIR "/machines"}, {{"organization.channels", channels}});
  EXPECT_TRUE(m);
  return *m;
}

Request request(const kernel::Graph &graph, const machine::Machine &machine, Offload offload) {
  Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &test::targetOf(machine);
  r.tools.cache = test::sharedCache();
  r.maps.emplace_back();
  r.offload = offload;
  return r;
}

kernel::Graph parsed(const std::string &text, const kernel::Sizes &sizes) {
  auto graph = kernel::parseNotation(text, sizes, DType::kF16);
  EXPECT_TRUE(graph);
  return *graph;
}

const char *const kLayers = "y[m] += A[m,n] * x[n]; t[m] = tanh(y[m]); z[k] += B[k,m] * t[m]";

TEST(Offload, AllMeansThatAKernelTheDeviceCannotRunIsAnError) {
  const kernel::Graph graph = parsed(kLayers, {{"m", 512}, {"n", 512}, {"k", 512}});
  const machine::Machine machine = hbmPim();
  const auto report = evaluate(request(graph, machine, Offload::kAll));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.diagnostics().front().code, "unsupported-op");
}

TEST(Offload, PossibleLeavesToTheHostOnlyWhatTheDeviceCannotRun) {
  const kernel::Graph graph = parsed(kLayers, {{"m", 512}, {"n", 512}, {"k", 512}});
  const machine::Machine machine = hbmPim();
  const auto report = evaluate(request(graph, machine, Offload::kPossible));
  ASSERT_TRUE(report);
  ASSERT_EQ(report->stages.size(), 3u);
  EXPECT_FALSE(report->stages[0].isOnHost);
  EXPECT_TRUE(report->stages[1].isOnHost);
  EXPECT_EQ(report->stages[1].why, "the unit has no 'tanh' operation");
  EXPECT_FALSE(report->stages[2].isOnHost);
  EXPECT_FALSE(report->stages[1].offloadedCycles);
}

TEST(Offload, BestTakesTheFasterSideOfEachKernel) {
  const machine::Machine machine = hbmPim();
  for (const char *name : {"rnnt", "alexnet", "wav2"}) {
    const auto graph = kernel::makeZooKernel(name, {}, DType::kF16);
    ASSERT_TRUE(graph);
    const auto best = evaluate(request(*graph, machine, Offload::kBest));
    const auto possible = evaluate(request(*graph, machine, Offload::kPossible));
    ASSERT_TRUE(best && possible);
    EXPECT_LE(best->breakdown().total(), possible->breakdown().total());
    for (std::size_t k = 0; k < best->stages.size(); ++k) {
      const Stage &stage = best->stages[k];
      SCOPED_TRACE(stage.kernel);
      if (stage.offloadedCycles)
        EXPECT_EQ(stage.breakdown().total(), std::min(stage.hostCycles, *stage.offloadedCycles));
      else
        EXPECT_EQ(stage.breakdown().total(), stage.hostCycles);
      EXPECT_EQ(stage.isOnHost, !stage.why.empty());
      EXPECT_EQ(stage.offloadedCycles, possible->stages[k].offloadedCycles);
    }
  }
}

TEST(Offload, KernelsSumToTheWhole) {
  const machine::Machine machine = hbmPim();
  const auto graph = kernel::makeZooKernel("rnnt", {}, DType::kF16);
  const auto report = evaluate(request(*graph, machine, Offload::kBest));
  ASSERT_TRUE(report);
  Breakdown sum;
  Cycles device;
  double energy = 0;
  for (const Stage &stage : report->stages) {
    sum += stage.breakdown();
    device += stage.cycles;
    energy += stage.energy.value;
  }
  EXPECT_EQ(sum.total(), report->breakdown().total());
  EXPECT_EQ(sum[Part::kHost], report->breakdown()[Part::kHost]);
  EXPECT_GT(sum[Part::kHost].value, 0);
  EXPECT_EQ(device, report->cycles);
  EXPECT_NEAR(energy, report->energy.total.value, 1e-9 * energy);
}

TEST(Offload, ASimulationChecksTheWholeGraphAndEqualsTheEstimate) {
  const machine::Machine machine = hbmPim();
  const auto graph = kernel::makeZooKernel("wav2", {{"frames", 2}, {"layers", 1}}, DType::kF16);
  Request r = request(*graph, machine, Offload::kPossible);
  const auto estimate = evaluate(r);
  kernel::DataSet data = kernel::makeData(*graph, {});
  r.data = &data;
  r.isSimulation = true;
  const auto simulation = evaluate(r);
  ASSERT_TRUE(estimate && simulation);
  EXPECT_TRUE(simulation->isChecked);
  EXPECT_EQ(simulation->breakdown().total(), estimate->breakdown().total());
  EXPECT_EQ(simulation->energy.total, estimate->energy.total);
}

TEST(Offload, ConstantsArePlacedOnceAndStandInNoTotal) {
  kernel::Graph graph = parsed("y[m] += A[m,n] * x[n]", {{"m", 4096}, {"n", 1024}});
  const machine::Machine machine = hbmPim();
  const auto given = evaluate(request(graph, machine, Offload::kAll));
  graph.tensors[static_cast<std::size_t>(graph.tensorNamed("A"))].isConstant = true;
  const auto kept = evaluate(request(graph, machine, Offload::kAll));
  ASSERT_TRUE(given && kept);
  EXPECT_EQ(given->setup, Cycles(0));
  EXPECT_EQ(kept->breakdown()[Part::kTransferIn], Cycles(0));
  EXPECT_EQ(kept->breakdown()[Part::kRearrangeIn], Cycles(0));
  EXPECT_EQ(kept->setup, given->breakdown()[Part::kTransferIn] + given->breakdown()[Part::kRearrangeIn]);
  EXPECT_EQ(kept->cycles, given->cycles);
  EXPECT_LT(kept->energy.total, given->energy.total);
}

TEST(Offload, ConstantsThatTwoKernelsShareArePlacedOnce) {
  const machine::Machine machine = hbmPim();
  kernel::Graph once = parsed("y[m] += A[m,n] * x[n]", {{"m", 512}, {"n", 512}});
  kernel::Graph twice = parsed("y[m] += A[m,n] * x[n]; z[m] += A[m,n] * w[n]", {{"m", 512}, {"n", 512}});
  for (kernel::Graph *g : {&once, &twice}) g->tensors[static_cast<std::size_t>(g->tensorNamed("A"))].isConstant = true;
  const auto one = evaluate(request(once, machine, Offload::kAll)),
             two = evaluate(request(twice, machine, Offload::kAll));
  ASSERT_TRUE(one && two);
  EXPECT_GT(one->setup.value, 0);
  EXPECT_EQ(one->setup, two->setup);
}

TEST(Offload, WhatDoesNotFitBesideEarlierConstantsStaysOnTheHost) {
  // One channel holds 64 MiB; two matrices of 48 MiB do not fit.
  const machine::Machine machine = hbmPim("1");
  kernel::Graph graph = parsed("y[m] += A[m,n] * x[n]; z[m] += B[m,n] * x[n]", {{"m", 4096}, {"n", 6144}});
  for (const char *name : {"A", "B"})
    graph.tensors[static_cast<std::size_t>(graph.tensorNamed(name))].isConstant = true;
  const auto report = evaluate(request(graph, machine, Offload::kPossible));
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->stages[0].isOnHost);
  EXPECT_TRUE(report->stages[1].isOnHost);
  EXPECT_EQ(report->stages[1].why, "its constants do not fit together with those of earlier kernels");
}

TEST(Offload, AMappingThatIsWrongIsAnErrorAndNoReasonToStay) {
  const kernel::Graph graph = parsed("y[m] += A[m,n] * x[n]", {{"m", 512}, {"n", 512}});
  const machine::Machine machine = hbmPim();
  Request r = request(graph, machine, Offload::kPossible);
  r.maps = {*mapping::parseMapSpec("M1:{(65,1),(8,1),(1,16),(1,32)}")};
  EXPECT_FALSE(evaluate(r));
}

TEST(HostLayer, TakesTheLongerOfArithmeticAndTraffic) {
  const machine::Machine machine = hbmPim();
  const kernel::Graph streaming = parsed("z[i] = x[i] + y[i]", {{"i", 1 << 24}});
  const HostLayer va = hostLayer({&streaming, 0}, machine);
  EXPECT_EQ(va.read, Bytes(2LL * 2 << 24));
  EXPECT_EQ(va.written, Bytes(2LL << 24));
  const double seconds = static_cast<double>(va.read.value) / (machine.host.linkGBps * machine.host.readEfficiency) +
                         static_cast<double>(va.written.value) / (machine.host.linkGBps * machine.host.writeEfficiency);
  EXPECT_NEAR(static_cast<double>(va.cycles.value), seconds * machine.clockGHz + 100, 1);
  const kernel::Graph product = parsed("C[i,j] += A[i,k] * B[k,j]", {{"i", 1024}, {"j", 1024}, {"k", 1024}});
  const HostLayer gemm = hostLayer({&product, 0}, machine);
  EXPECT_EQ(gemm.operations, 2LL << 30);
  EXPECT_NEAR(static_cast<double>(gemm.cycles.value), static_cast<double>(2LL << 30) / machine.host.peakGflops + 100,
              1);
}

TEST(HostLayer, CountsAnElementOnceHoweverOftenItIsRead) {
  const machine::Machine machine = hbmPim();
  const kernel::Graph stencil = parsed("z[i] = x[i] + x[i+1]", {{"i", 1000}});
  EXPECT_EQ(hostLayer({&stencil, 0}, machine).read, Bytes(2 * 1001));
  const kernel::Graph update = parsed("y[m] += A[m,n] * x[n]; y[m] += B[m,n] * x[n]", {{"m", 10}, {"n", 10}});
  EXPECT_EQ(hostLayer({&update, 0}, machine).read, Bytes(2 * (100 + 10)));
  EXPECT_EQ(hostLayer({&update, 1}, machine).read, Bytes(2 * (100 + 10 + 10)));  // and what the first one left
}

}  // namespace
}  // namespace pimento::evaluate
