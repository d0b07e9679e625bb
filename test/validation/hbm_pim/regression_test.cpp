// Kernels that once gave a wrong answer, each with what was wrong.
#include <gtest/gtest.h>

#include "pimento/base/rng.h"
#include "pimento/kernel/notation.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

/// Runs notation on one channel; returns the outputs.
kernel::DataSet run(const std::string &text, const kernel::Sizes &sizes, const std::string &map = "reference",
                    const machine::Machine &machine = hbmPim(1)) {
  SCOPED_TRACE(text + ", " + map);
  const auto graph = kernel::parseNotation(text, sizes, DType::kF16);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  kernel::DataSet data = kernel::makeData(*graph, {});
  RunOptions options;
  options.maps = {mapSpec(map)};
  const Diagnostics refused = runBoth(*graph, machine, options, data);
  EXPECT_TRUE(refused.empty()) << refused.front().str();
  return data;
}

TEST(HbmPimRegression, OperationsOnTwoConstantsAreDone) {
  // A constant stood in the scalar register for factors only, and was read from the one for addends.
  EXPECT_EQ(run("a[i] = 2 * 2", {{"i", 100}})[0].asDouble(99), 4);
  run("a[i] = x[i] - -1.0 * -1.0", {{"i", 100}});
  run("a[i] = x[i] * (3 + 4) + relu(-2.0) + relu(2.0)", {{"i", 100}});
}

TEST(HbmPimRegression, PlusAndMinusZeroAreTwoConstants) {
  // x * -0.0 took the scalar register that held +0.
  run("a[i] = x[i] * 0.0 + y[i] * -0.0", {{"i", 100}});
  run("a[i] = x[i] * -0.0; b[i] = x[i] + -0.0", {{"i", 100}});
}

TEST(HbmPimRegression, NoBarrierIsLostInTheMiddleOfAStream) {
  // The controller drops the barrier of the transaction that exactly fills its queue, the 64th: with three bursts of
  // instructions and scalars in front that is the end of the fifth group, and groups ran out of order.
  const std::string text = "a[i] = x[i] * 0.5 + 2 * (x[i] + 3)";
  run(text, {{"i", 100}});
  run(text, {{"i", 5000}});
  for (const char *size : {"24", "32", "40", "48", "56", "72"}) {
    const auto machine = machine::loadMachine("hbm-pim", {PIMENTO_SOURCE_DIR "/machines"},
                                              {{"channels", "1"}, {"controller.transaction_queue", size}});
    ASSERT_TRUE(machine.ok()) << machine.diagnostics().front().str();
    run(text, {{"i", 5000}}, "reference", *machine);
    run("y[i] += A[i,j] * x[j]", {{"i", 100}, {"j", 300}}, "reference", *machine);
  }
}

TEST(HbmPimRegression, ElementsThatNothingMultipliesHoldOne) {
  // z *= e onto nothing left 0 where no point writes.
  const kernel::DataSet data = run("z[3*i + 1] *= x[i]", {{"i", 30}});
  EXPECT_EQ(data[1].asDouble(0), 1);
  EXPECT_EQ(data[1].asDouble(87), 1);
  EXPECT_EQ(data[1].asDouble(1), data[0].asDouble(0));
}

TEST(HbmPimRegression, OrderNestsTheReductionsOfAUnit) {
  // order(...) was followed by the interpreter only.
  for (const char *order : {"order(i,j,k)", "order(i,k,j)"}) {
    run("y[i] += A[i,j,k] * x[j,k]", {{"i", 100}, {"j", 9}, {"k", 31}},
        std::string("M1:{(1,1,1),(8,1,1),(1,1,16),(13,9,2)};") + order);
    run("y[i] += A[i,j,k] * x[j,k]", {{"i", 20}, {"j", 90}, {"k", 31}},
        std::string("M1:{(1,1,1),(8,1,1),(1,4,4),(3,23,8)};cyclic(lane,1);") + order);
  }
}

/// y[i] += A[i,j,k] * x[j,k] where every lane, or channel, holds one product: large ones that cancel, and small ones.
void runCancelling(const kernel::Sizes &sizes, const std::string &map) {
  const auto graph = kernel::parseNotation("y[i] += A[i,j,k] * x[j,k]", sizes, DType::kF16);
  ASSERT_TRUE(graph.ok());
  Rng rng(5);
  kernel::DataSet data = kernel::makeData(*graph, {});
  for (std::int64_t e = 0; e < data[0].elements(); ++e)
    data[0].setDouble(e, rng.below(3) == 0 ? rng.real(-1, 1) * 0x1p-8 : rng.below(2) == 0 ? 16384.0 : -16384.0);
  for (std::int64_t e = 0; e < data[1].elements(); ++e) data[1].setDouble(e, 1);
  RunOptions options;
  options.maps = {mapSpec(map)};
  EXPECT_TRUE(runBoth(*graph, hbmPim(4), options, data).empty()) << map;
}

TEST(HbmPimRegression, PartialSumsMergeInTheOrderTheMappingSays) {
  // Lanes and channels row-major in dim order, whatever order(...) says of the units; subspaces as executed.
  for (const char *order : {"", ";order(i,j,k)", ";order(i,k,j)"}) {
    runCancelling({{"i", 200}, {"j", 4}, {"k", 4}}, std::string("M1:{(1,1,1),(8,1,1),(1,4,4),(25,1,1)}") + order);
    runCancelling({{"i", 200}, {"j", 8}, {"k", 8}}, std::string("M1:{(1,2,2),(8,1,1),(1,4,4),(25,1,1)}") + order);
    runCancelling({{"i", 200}, {"j", 12}, {"k", 4}},
                  std::string("M2:{(1,1,1),(8,1,1),(1,4,4),(25,1,1)},M3:{(1,1,1),(8,1,1),(1,4,4),(25,1,1)},"
                              "M1:{(1,1,1),(8,1,1),(1,4,4),(25,1,1)}") +
                      order);
  }
}

TEST(HbmPimRegression, LaterSubspacesBeginInEvenRows) {
  // MAC takes an input register's number from row bit 0; 23 output tiles in front left an odd row.
  run("Y[a,d,c] += W[a,b,d,c] * v[b]", {{"a", 2}, {"b", 12}, {"c", 9}, {"d", 3}},
      "M2:{(1,1,1,1),(1,1,1,1),(1,1,1,16),(1,3,9,3)},M1:{(1,1,1,1),(1,1,1,1),(1,1,1,16),(5,3,12,3)}");
}

}  // namespace
}  // namespace pimento::test
