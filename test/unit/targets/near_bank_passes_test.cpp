// Passes that are left out: results stay right, and time is what the program without them takes.
#include <gtest/gtest.h>

#include <map>

#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/near_bank/passes.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using mapping::Pass;

/// Run on random data under the reference mapping and what is said besides; results and both engines agree.
evaluate::Report simulated(const kernel::Graph &graph, const machine::Machine &machine, const std::string &extensions) {
  evaluate::Report report;
  kernel::DataSet data = kernel::makeData(graph, {});
  const Diagnostics refused = runBoth(graph, machine, {.maps = {mapSpec("reference" + extensions)}}, data, &report);
  EXPECT_TRUE(refused.empty()) << extensions << ": " << refused.front().str();
  return report;
}

std::string without(Pass pass) {
  return ";" + std::string(name(pass)) + "=0";
}

std::int64_t total(const evaluate::Report &r) {
  return r.breakdown().total().value;
}

TEST(NearBankPasses, ResultsAreRightWithoutAnyOfThem) {
  struct Kernel {
    const char *machine, *text;
    kernel::Sizes sizes;
    DType type = DType::kF16;
  };
  const std::vector<Kernel> kernels = {
      {"attacc", "y[i] += A[i,j] * x[j]", {{"i", 100}, {"j", 200}}},
      {"attacc", "y[i,b] += A[i,j] * x[j,b]", {{"i", 70}, {"j", 40}, {"b", 3}}},
      {"attacc", "y[r,l] += K[r,l,d] * q[r,d]", {{"r", 6}, {"l", 40}, {"d", 32}}},
      {"aim", "y[i,b] += A[i,j] * x[j,b]", {{"i", 70}, {"j", 40}, {"b", 2}}, DType::kBF16},
      {"aim", "y[i] = a[i] * b[i]", {{"i", 3000}}, DType::kBF16},
  };
  for (const Kernel &k : kernels) {
    const machine::Machine m = load(k.machine, {{"channels", "2"}});
    const auto graph = kernel::parseNotation(k.text, k.sizes, k.type);
    ASSERT_TRUE(graph.ok());
    EXPECT_TRUE(simulated(*graph, m, "").isChecked);
    std::string all;
    for (const auto &row : targets::near_bank::passes()) {
      EXPECT_TRUE(simulated(*graph, m, without(row.pass)).isChecked) << k.text << " on " << k.machine;
      all += without(row.pass);
    }
    EXPECT_TRUE(simulated(*graph, m, all).isChecked) << k.text << " on " << k.machine;
  }
}

TEST(NearBankPasses, EachDoesWhatItsLineSays) {
  const machine::Machine m = load("attacc");
  const auto product =
      *kernel::parseNotation("y[i,b] += A[i,j] * x[j,b]", {{"i", 512}, {"j", 256}, {"b", 4}}, DType::kF16);
  const auto heads =
      *kernel::parseNotation("y[r,l] += K[r,l,d] * q[r,d]", {{"r", 8}, {"l", 256}, {"d", 128}}, DType::kF16);
  const evaluate::Report with = simulated(product, m, "");
  const auto part = [](const evaluate::Report &r, evaluate::Part p) { return r.breakdown()[p].value; };
  using enum evaluate::Part;
  // A write waits for its read: several times what a block takes.
  EXPECT_GT(part(simulated(product, m, without(Pass::kOnChipBlocks)), kTransferIn), 4 * part(with, kTransferIn));
  EXPECT_GT(part(simulated(product, m, without(Pass::kBankGroupOrder)), kTransferIn), part(with, kTransferIn));
  // Weights of four vectors instead of one; operands and results as before.
  const std::int64_t four = part(simulated(product, m, without(Pass::kBatchReuse)), kTransferIn);
  EXPECT_GT(2 * four, 3 * part(with, kTransferIn));
  EXPECT_LT(four, 4 * part(with, kTransferIn));
  // Every bank's buffer for itself.
  EXPECT_GT(part(simulated(product, m, without(Pass::kGroupLoads)), kCompute), part(with, kCompute));
  // A row of K, or all of them.
  const std::int64_t row = part(simulated(heads, m, ";append=1"), kTransferIn);
  const std::int64_t whole = part(simulated(heads, m, ""), kTransferIn);
  EXPECT_EQ(part(simulated(heads, m, ";append=1" + without(Pass::kKvAppend)), kTransferIn), whole);
  EXPECT_LT(row, whole);
  EXPECT_GE(total(simulated(product, m, without(Pass::kRowAlignment))), total(with) * 9 / 10);
}

TEST(NearBankPasses, TheListSaysWhichAreInAProgram) {
  const machine::Machine attacc = load("attacc"), aim = load("aim");
  mapping::Mapping m;
  m.parameters["group_loads"] = 0;
  const std::string text = targets::near_bank::print(m, attacc);
  EXPECT_NE(text.find("group_loads       left out"), std::string::npos) << text;
  EXPECT_NE(text.find("bank_group_order  on"), std::string::npos) << text;
  // AiM's host has its data elsewhere.
  EXPECT_NE(targets::near_bank::print({}, aim).find("on_chip_blocks    no use"), std::string::npos);
  EXPECT_EQ(targets::near_bank::passes().size(), mapping::passNames().size());
}

}  // namespace
}  // namespace pimento::test
