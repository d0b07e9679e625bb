// Kernels that HBM-PIM runs in part: cut where the unit lacks an operation, with the same results.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pimento/base/rng.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "pimento/targets/hbm_pim/pattern.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

using kernel::Op;

/// `sizes` may name dims that the text has not.
kernel::Graph parsed(const std::string &text, kernel::Sizes sizes, DType type = DType::kF16) {
  std::erase_if(sizes, [&](const auto &size) {
    return text.find("[" + size.first) == std::string::npos && text.find("," + size.first) == std::string::npos;
  });
  auto graph = kernel::parseNotation(text, sizes, type);
  EXPECT_TRUE(graph) << graph.diagnostics().front().str();
  return *graph;
}

std::optional<kernel::Unrolled> divided(const kernel::Graph &graph, const machine::Machine &machine) {
  return targetOf(machine).divided(graph, machine, std::vector<bool>(graph.kernels.size(), false));
}

evaluate::Request requestOf(const kernel::Graph &graph, const machine::Machine &machine, evaluate::Offload offload) {
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.maps.emplace_back();
  r.offload = offload;
  return r;
}

/// "device" or "host" by kernel, in the order they run.
std::vector<std::string> sidesOf(const kernel::Graph &graph, const machine::Machine &machine) {
  std::vector<std::string> sides;
  const auto compiled = evaluate::compile(requestOf(graph, machine, evaluate::Offload::kPossible));
  EXPECT_TRUE(compiled);
  for (const evaluate::PlannedPart &p : *compiled) sides.push_back(p.compiled ? "device" : "host");
  return sides;
}

TEST(Division, AnOperationThatTheUnitLacksIsAPartOfItsOwn) {
  const machine::Machine machine = hbmPim(1);
  const auto parts = divided(parsed("y[i] = exp(x[i] * 2 + 1) * z[i] + 3", {{"i", 40}}), machine);
  ASSERT_TRUE(parts);
  EXPECT_EQ(sidesOf(parts->graph, machine), (std::vector<std::string>{"device", "host", "device"}));
  EXPECT_EQ(parts->origins, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(parts->graph.kernels[1].name, "y.2");
}

TEST(Division, AValueIsKeptOverTheDimsItDependsOn) {
  // The share of a weight is computed once per row and position, not once per feature.
  const machine::Machine machine = hbmPim(1);
  const auto parts = divided(parsed("y[t,j] += w[t,u] / s[t] * v[u,j]", {{"t", 6}, {"u", 7}, {"j", 8}}), machine);
  ASSERT_TRUE(parts);
  EXPECT_EQ(sidesOf(parts->graph, machine), (std::vector<std::string>{"host", "device"}));
  EXPECT_EQ(parts->graph.tensors.back().shape, (std::vector<std::int64_t>{6, 7}));
  const auto pattern = targets::hbm_pim::recognise(parts->graph, 1, machine);
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->isMatVec());
}

TEST(Division, ASumOfWhatTheHostComputesIsTheUnits) {
  const machine::Machine machine = hbmPim(1);
  const auto parts = divided(parsed("s[i] += exp(x[i,j])", {{"i", 6}, {"j", 7}}), machine);
  ASSERT_TRUE(parts);
  EXPECT_EQ(sidesOf(parts->graph, machine), (std::vector<std::string>{"host", "device"}));
}

TEST(Division, AMaximumWithZeroIsARelu) {
  const machine::Machine machine = hbmPim(1);
  for (const char *text : {"y[i] = max(x[i], 0)", "y[i] = max(0, x[i])", "y[i] = x[i] > 0 ? x[i] : 0",
                           "y[i] = 0 < x[i] ? x[i] : 0", "y[i] = x[i] <= 0 ? 0 : x[i]"}) {
    const auto parts = divided(parsed(text, {{"i", 40}}), machine);
    ASSERT_TRUE(parts) << text;
    ASSERT_EQ(parts->graph.kernels.size(), 1U) << text;
    EXPECT_TRUE(std::ranges::any_of(parts->graph.kernels[0].body, [](auto &v) { return v.op == Op::kRelu; })) << text;
  }
  // -0 stays where the text keeps it.
  EXPECT_FALSE(divided(parsed("y[i] = x[i] >= 0 ? x[i] : 0", {{"i", 40}}), machine));
}

TEST(Division, WhatTheUnitRunsStaysWhole) {
  const machine::Machine machine = hbmPim(1);
  for (const char *text : {"y[i] = relu(x[i] * z[i] + 3)", "y[i] += A[i,j] * x[j]", "y[i] += A[i,j]"})
    EXPECT_FALSE(divided(parsed(text, {{"i", 8}, {"j", 9}}), machine)) << text;
  // So does what it has no part in.
  EXPECT_FALSE(divided(parsed("y[i] = exp(x[i])", {{"i", 8}}), machine));
  EXPECT_FALSE(divided(parsed("y[i] max= A[i,j]", {{"i", 8}, {"j", 9}}), machine));
  EXPECT_FALSE(divided(parsed("y[i] = x[i] * 2", {{"i", 8}}, DType::kF32), machine));
}

TEST(Division, ExpressionsThatAreTooDeepOrTooLongKeepPartsInMemory) {
  const machine::Machine machine = hbmPim(1);
  std::string nested = "x[i]";
  for (int k = 0; k < 20; ++k) nested = "(" + nested + " + a[i])";
  for (const std::string &text :
       {"y[i] = " + nested, std::string("y[i] = ((a[i] + b[i]) * (c[i] + d[i])) + ((e[i] + f[i]) * (g[i] + h[i]))"),
        std::string("y[i] += (A[i,j] + x[j]) * (A[i,j] - x[j])")}) {
    const auto parts = divided(parsed(text, {{"i", 9}, {"j", 8}}), machine);
    ASSERT_TRUE(parts) << text;
    const std::vector<std::string> sides = sidesOf(parts->graph, machine);
    EXPECT_GT(sides.size(), 1U) << text;
    EXPECT_EQ(std::ranges::count(sides, "host"), 0) << text;
  }
}

TEST(Division, AKernelWithAMappingOfItsOwnStaysWhole) {
  const machine::Machine machine = hbmPim(1);
  const kernel::Graph graph = parsed("y[i] = exp(x[i]) * 2", {{"i", 8}});
  EXPECT_TRUE(targetOf(machine).divided(graph, machine, {false}));
  EXPECT_FALSE(targetOf(machine).divided(graph, machine, {true}));
}

TEST(Division, WhereNothingRunsOnTheDeviceTheReasonIsAnError) {
  const machine::Machine machine = hbmPim(1);
  const kernel::Graph graph = parsed("y[i] = exp(x[i])", {{"i", 8}});
  const auto refused = evaluate::evaluate(requestOf(graph, machine, evaluate::Offload::kSome));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().code, "unsupported-op");
  EXPECT_NE(refused.diagnostics().front().hint.find("--offload possible"), std::string::npos);
  EXPECT_TRUE(evaluate::evaluate(requestOf(graph, machine, evaluate::Offload::kPossible)));
}

TEST(Division, WhatDoesNotFitIsAnErrorAndNoPartOfTheHosts) {
  const machine::Machine machine = hbmPim(1);
  const kernel::Graph graph = parsed("t[i] = exp(x[i]); y[i] = t[i] + x[i]", {{"i", 1 << 26}});
  const auto refused = evaluate::evaluate(requestOf(graph, machine, evaluate::Offload::kSome));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().code, "capacity");
}

/// A kernel of operations that the unit has and others, over two dims, the second perhaps a reduction.
class RandomKernel {
 public:
  explicit RandomKernel(std::uint64_t seed) : rng_(seed) {}

  kernel::Graph make() {
    const bool reduces = rng_.below(2) == 0;
    const std::int64_t rows = rng_.integer(1, 9), columns = rng_.integer(1, 12);
    kernel::Graph graph;
    graph.name = "random";
    graph.tensors = {{"x", DType::kF16, {rows, columns}, kernel::Role::kInput},
                     {"r", DType::kF16, {rows}, kernel::Role::kInput},
                     {"c", DType::kF16, {columns}, kernel::Role::kInput},
                     {"s", DType::kF16, {}, kernel::Role::kInput}};
    kernel::KernelBuilder b("k", {{"i", rows, kernel::DimKind::kParallel},
                                  {"j", columns, reduces ? kernel::DimKind::kReduction : kernel::DimKind::kParallel}});
    leaves_ = {b.load(0, DType::kF16, {b.index(0), b.index(1)}), b.load(1, DType::kF16, {b.index(0)}),
               b.load(2, DType::kF16, {b.index(1)}), b.load(3, DType::kF16, std::vector<kernel::Affine>{}),
               b.constant(DType::kF16, 0.5)};
    const std::int64_t stores = rng_.integer(1, 3);
    for (std::int64_t s = 0; s < stores; ++s) {
      constexpr kernel::Combine kSums[] = {kernel::Combine::kAdd, kernel::Combine::kAdd, kernel::Combine::kMax,
                                           kernel::Combine::kMul};
      const auto shape = reduces ? std::vector<std::int64_t>{rows} : std::vector<std::int64_t>{rows, columns};
      const auto at =
          reduces ? std::vector<kernel::Affine>{b.index(0)} : std::vector<kernel::Affine>{b.index(0), b.index(1)};
      graph.tensors.push_back({"y" + std::to_string(s), DType::kF16, shape, kernel::Role::kOutput});
      b.store(static_cast<int>(graph.tensors.size()) - 1, at, expression(b, static_cast<int>(rng_.integer(1, 6))),
              reduces ? kSums[rng_.below(4)] : kernel::Combine::kAssign);
    }
    graph.kernels.push_back(b.take());
    return graph;
  }

 private:
  int expression(kernel::KernelBuilder &b, int depth) {
    if (depth == 0) return leaves_[rng_.below(leaves_.size())];
    constexpr Op kBinary[] = {Op::kAdd, Op::kMul, Op::kSub, Op::kAdd, Op::kMul, Op::kDiv, Op::kMax};
    constexpr Op kUnary[] = {Op::kNeg, Op::kRelu, Op::kTanh, Op::kAbs};
    if (rng_.below(4) == 0) return b.op(kUnary[rng_.below(4)], DType::kF16, expression(b, depth - 1));
    const int left = expression(b, depth - 1), right = expression(b, rng_.below(3) == 0 ? depth - 1 : 0);
    return b.op(kBinary[rng_.below(7)], DType::kF16, left, right);
  }

  Rng rng_;
  std::vector<int> leaves_;
};

/// Interpreted parts give the bits of the whole; run on the device, each its own in its mapping's order.
TEST(Division, PartsGiveTheResultsOfTheWhole) {
  const machine::Machine machine = hbmPim(2);
  const std::int64_t cases = isLongRun() ? 2000 : caseCount(40);
  std::int64_t cut = 0;
  for (std::int64_t n = 0; n < cases; ++n) {
    SCOPED_TRACE("case " + std::to_string(n));
    const kernel::Graph graph = RandomKernel(static_cast<std::uint64_t>(n) * 977 + 3).make();
    ASSERT_TRUE(kernel::verify(graph));
    const auto parts = divided(graph, machine);
    if (!parts) continue;
    ++cut;
    const Status valid = kernel::verify(parts->graph);
    ASSERT_TRUE(valid) << valid.diagnostics().front().str() << kernel::print(parts->graph);
    kernel::DataSet whole = kernel::makeData(graph, {}), apart = kernel::makeData(parts->graph, {});
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) apart[t] = whole[t];
    kernel::DataSet onDevice = apart;
    ASSERT_TRUE(kernel::interpret(graph, whole));
    ASSERT_TRUE(kernel::interpret(parts->graph, apart));
    for (std::size_t t = 0; t < graph.tensors.size(); ++t)
      ASSERT_EQ(whole[t].bytes, apart[t].bytes) << kernel::print(graph) << kernel::print(parts->graph);
    evaluate::Request r = requestOf(parts->graph, machine, evaluate::Offload::kPossible);
    r.isSimulation = true;
    r.data = &onDevice;
    const auto report = evaluate::evaluate(r);
    ASSERT_TRUE(report) << report.diagnostics().front().str() << kernel::print(parts->graph);
    EXPECT_TRUE(report->isChecked);
  }
  EXPECT_GE(cut, cases / 2);
}

}  // namespace
}  // namespace pimento::test
