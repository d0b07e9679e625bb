#include "pimento/evaluate/evaluator.h"

#include <gtest/gtest.h>

#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "test/support/target_of.h"

namespace pimento::evaluate {
namespace {

class Evaluator : public testing::Test {
 protected:
  void SetUp() override {
    auto m = machine::loadMachine("hbm-pim", {PIMENTO_SOURCE_DIR "/machines"});
    ASSERT_TRUE(m);
    machine_ = *m;
  }

  Request request(const kernel::Graph &graph) const {
    Request r;
    r.graph = &graph;
    r.machine = &machine_;
    r.target = &test::targetOf(machine_);
    r.tools.cache = test::sharedCache();
    r.maps.emplace_back();
    return r;
  }

  static kernel::Graph gemv(std::int64_t m, std::int64_t n) {
    return *kernel::makeZooKernel("gemv", {{"m", m}, {"n", n}}, DType::kF16);
  }

  machine::Machine machine_;
};

TEST_F(Evaluator, PartsSumToTheTotals) {
  const kernel::Graph g = gemv(4096, 1024);
  const auto r = evaluate(request(g));
  ASSERT_TRUE(r);
  EXPECT_EQ(r->breakdown()[Part::kCompute], r->cycles);
  EXPECT_DOUBLE_EQ(r->timeNs, static_cast<double>(r->breakdown().total().value));
  double sum = 0;
  for (const auto &row : r->energy.rows) sum += row.energy.value;
  EXPECT_NEAR(sum, r->energy.total.value, 1e-9 * sum);
  EXPECT_LT(r->kernelEnergy.total, r->energy.total);
}

TEST_F(Evaluator, AKernelsEnergyPerMacIsPlausible) {
  // Near-bank cell reads alone are 16 bits x 0.44 pJ = 7 pJ per MAC; all overheads together stay below three times
  // that.
  const kernel::Graph g = gemv(4096, 4096);
  const auto r = evaluate(request(g));
  ASSERT_TRUE(r);
  const double perMac = r->kernelEnergy.total.value / (4096.0 * 4096.0);
  EXPECT_GT(perMac, 7);
  EXPECT_LT(perMac, 21);
}

TEST_F(Evaluator, AWrongAnswerIsFound) {
  // The checker compares with the interpreter in the mapping's order; another order must not pass by accident.
  const kernel::Graph g = gemv(64, 4000);
  kernel::DataSet data = kernel::makeData(g, {});
  Request r = request(g);
  r.isSimulation = true;
  r.data = &data;
  const auto checked = evaluate(r);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->isChecked);
  kernel::DataSet rowMajor = kernel::makeData(g, {});
  ASSERT_TRUE(kernel::interpret(g, rowMajor));
  const int y = g.kernels[0].stores[0].target.tensor;
  EXPECT_NE(data[static_cast<std::size_t>(y)].bytes, rowMajor[static_cast<std::size_t>(y)].bytes);
}

TEST_F(Evaluator, InOutTensorsKeepTheirInitialValueInTheSum) {
  auto g = kernel::parseNotation("y[i] += A[i,j] * x[j]", {{"i", 100}, {"j", 200}}, DType::kF16);
  ASSERT_TRUE(g);
  const int y = g->kernels[0].stores[0].target.tensor;
  g->tensors[static_cast<std::size_t>(y)].role = kernel::Role::kInOut;
  kernel::DataSet data = kernel::makeData(*g, {});
  for (std::int64_t i = 0; i < 100; ++i) data[static_cast<std::size_t>(y)].setDouble(i, 500);
  Request r = request(*g);
  r.isSimulation = true;
  r.data = &data;
  const auto report = evaluate(r);
  ASSERT_TRUE(report) << report.diagnostics()[0].str();
  EXPECT_TRUE(report->isChecked);
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_GT(data[static_cast<std::size_t>(y)].asDouble(i), 400);
}

TEST_F(Evaluator, ElementwiseUpdatesInPlaceAreChecked) {
  for (const kernel::Role role : {kernel::Role::kInOut, kernel::Role::kOutput})
    for (const kernel::Combine combine : {kernel::Combine::kAdd, kernel::Combine::kMul}) {
      auto g = kernel::parseNotation("z[i] = 2 * x[i]", {{"i", 3001}}, DType::kF16);
      ASSERT_TRUE(g);
      kernel::Store &store = g->kernels[0].stores[0];
      store.combine = combine;
      g->tensors[static_cast<std::size_t>(store.target.tensor)].role = role;
      kernel::DataSet data = kernel::makeData(*g, {});
      Request r = request(*g);
      r.isSimulation = true;
      r.data = &data;
      const auto report = evaluate(r);
      ASSERT_TRUE(report) << report.diagnostics()[0].str();
      EXPECT_TRUE(report->isChecked);
    }
}

TEST_F(Evaluator, AutoIsNeverWorseThanReference) {
  for (const auto &[m, n] : {std::pair{10, 5000}, {100, 100}, {5000, 64}, {1, 4096}}) {
    const kernel::Graph g = gemv(m, n);
    Request r = request(g);
    const auto reference = evaluate(r);
    r.maps[0].kind = mapping::MapSpec::Kind::kAuto;
    const auto chosen = evaluate(r);
    ASSERT_TRUE(reference);
    ASSERT_TRUE(chosen);
    EXPECT_LE(chosen->breakdown().total(), reference->breakdown().total()) << m << "x" << n;
  }
}

TEST_F(Evaluator, AutoDoesNotDependOnTheNumberOfThreads) {
  const kernel::Graph g = gemv(10, 5000);
  Request r = request(g);
  r.maps[0].kind = mapping::MapSpec::Kind::kAuto;
  const auto one = evaluate(r);
  r.jobs = 8;
  const auto eight = evaluate(r);
  ASSERT_TRUE(one);
  ASSERT_TRUE(eight);
  EXPECT_EQ(one->mapping, eight->mapping);
  EXPECT_EQ(one->breakdown().total(), eight->breakdown().total());
}

TEST_F(Evaluator, TruncationIsNotCheckedAndSaysSo) {
  const kernel::Graph g = *kernel::makeZooKernel("va", {{"n", 1000}}, DType::kF16);
  kernel::DataSet data = kernel::makeData(g, {});
  Request r = request(g);
  r.maps[0].mapping.tail = mapping::Tail::kTruncate;
  r.isSimulation = true;
  r.data = &data;
  const auto report = evaluate(r);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->isChecked);
  EXPECT_EQ(report->cycles, Cycles(367));  // no tile at all: prologue and epilogue
  ASSERT_FALSE(report->warnings.empty());
  EXPECT_NE(report->warnings.front().find("truncate"), std::string::npos);
}

}  // namespace
}  // namespace pimento::evaluate
