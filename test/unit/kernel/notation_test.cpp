#include "pimento/kernel/notation.h"

#include <gtest/gtest.h>

#include "pimento/base/rng.h"
#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

const Tensor &tensor(const Graph &graph, const std::string &name) {
  return graph.tensors[static_cast<std::size_t>(graph.tensorNamed(name))];
}

using Shape = std::vector<std::int64_t>;

TEST(Notation, AnIndexMissingOnTheLeftIsAReduction) {
  const Graph graph = parsed("y[i] += A[i,j] * x[j]", {{"i", 3}, {"j", 4}});
  ASSERT_EQ(graph.kernels.size(), 1u);
  const Kernel &kernel = graph.kernels[0];
  EXPECT_EQ(kernel.dims[0].name, "i");
  EXPECT_EQ(kernel.dims[0].kind, DimKind::kParallel);
  EXPECT_EQ(kernel.dims[1].kind, DimKind::kReduction);
  EXPECT_EQ(kernel.stores[0].combine, Combine::kAdd);
  EXPECT_EQ(tensor(graph, "A").shape, (Shape{3, 4}));
}

TEST(Notation, ParsedOnceItIsBoundToManySizes) {
  const std::string text = "for k in 0..n { y[i] += A[i,j] * x[j] where i >= k }; z[i] = y[i]";
  const Result<Notation> parsedOnce = Notation::parse(text);
  ASSERT_TRUE(parsedOnce.ok());
  for (std::int64_t n = 1; n < 40; ++n) {
    const Sizes sizes{{"n", n}, {"i", n + 1}, {"j", 2 * n}};
    const Result<Graph> bound = parsedOnce->bind(sizes, DType::kF16), fresh = parseNotation(text, sizes, DType::kF16);
    ASSERT_EQ(bound.ok(), fresh.ok());
    if (!bound) continue;
    EXPECT_EQ(print(*bound), print(*fresh));
  }
  EXPECT_FALSE(parsedOnce->bind({}, DType::kF32).ok());
}

TEST(Notation, RolesFollowFromReadsAndWrites) {
  const Graph graph = parsed("y[i] += A[i,j] * x[j]; z[i] = relu(y[i] + b[i]); u[i] = 2 * u[i]", {{"i", 3}, {"j", 4}});
  EXPECT_EQ(tensor(graph, "A").role, Role::kInput);
  EXPECT_EQ(tensor(graph, "y").role, Role::kTemporary);
  EXPECT_EQ(tensor(graph, "z").role, Role::kOutput);
  EXPECT_EQ(tensor(graph, "u").role, Role::kInOut);
}

TEST(Notation, ShapesReachAsFarAsTheIndicesDo) {
  const Graph graph = parsed("o[i] = 2.5 * x[2*i + 1] - y[9 - i]", {{"i", 5}});
  EXPECT_EQ(tensor(graph, "x").shape, (Shape{10}));
  EXPECT_EQ(tensor(graph, "y").shape, (Shape{10}));
}

TEST(Notation, AnExtentMayComeFromAnEarlierStatement) {
  const Graph graph = parsed("y[i] = x[i]\nz[j] = y[j]\n", {{"i", 6}});
  EXPECT_EQ(tensor(graph, "z").shape, (Shape{6}));
}

TEST(Notation, LineEndsSeparateStatementsExceptInBracketsAndAfterOperators) {
  const Graph graph = parsed("# two statements\ny[i] = x[i] +\n  max(x[i],\n 1)\n\nz[i] = y[i] ;\n", {{"i", 2}});
  EXPECT_EQ(graph.kernels.size(), 2u);
}

TEST(Notation, OperatorsBindAsInPython) {
  const Graph graph = parsed(
      "a[i] = 1 + 2 * 3 - 4 / 2; b[i] = 7 - 3 - 2; c[i] = -2 * 3; d[i] = 1 << 2 + 1; e[i] = 6 & 3 | 8 ^ 1; "
      "f[i] = 3 > 2 == 1 ? 5 : 6; g[i] = 17 % 5 * 2; h[i] = (1 + 2) * 3; k[i] = 0 ? 1 : 0 ? 2 : 3",
      {{"i", 1}}, DType::kI32);
  DataSet data = makeData(graph, {});
  ASSERT_TRUE(interpret(graph, data));
  const std::map<std::string, std::int64_t> want{{"a", 5}, {"b", 2}, {"c", -6}, {"d", 8}, {"e", 11},
                                                 {"f", 5}, {"g", 4}, {"h", 9},  {"k", 3}};
  for (const auto &[name, value] : want) EXPECT_EQ(named(graph, data, name).asInteger(0), value) << name;
}

TEST(Notation, EveryFunctionHasItsOperation) {
  const Graph graph = parsed(
      "o[i] = relu(x[i]) + exp(x[i]) + log(x[i]) + sqrt(x[i]) + tanh(x[i]) + abs(x[i]) + neg(x[i]) + min(x[i], 1) + "
      "max(x[i], 1) + select(x[i] > 0, x[i], 1)",
      {{"i", 1}});
  for (const Op op :
       {Op::kRelu, Op::kExp, Op::kLog, Op::kSqrt, Op::kTanh, Op::kAbs, Op::kNeg, Op::kMin, Op::kMax, Op::kSelect}) {
    const auto &body = graph.kernels[0].body;
    EXPECT_TRUE(std::any_of(body.begin(), body.end(), [op](const Value &v) { return v.op == op; })) << name(op);
  }
}

TEST(Notation, CastsWidenAnAccumulationsTerms) {
  const Graph graph = parsed("y[i] += f32(A[i,j]) * f32(x[j])", {{"i", 2}, {"j", 2}}, DType::kF16);
  EXPECT_EQ(graph.kernels[0].body.back().type, DType::kF32);
  EXPECT_EQ(tensor(graph, "y").type, DType::kF16);
}

TEST(Notation, ANameWithoutBracketsIsAnIndexOrAScalarTensor) {
  const Graph graph = parsed("y[i] = alpha * x[i] + i", {{"i", 4}});
  EXPECT_EQ(tensor(graph, "alpha").shape, Shape{});
  EXPECT_EQ(graph.tensorNamed("i"), -1);
}

TEST(Notation, EqualLoadsAreShared) {
  const Graph graph = parsed("y[i] = x[i] * x[i] + x[i+1]", {{"i", 4}});
  EXPECT_EQ(graph.kernels[0].loads.size(), 2u);
}

TEST(Notation, ReadingTheTargetElsewhereMakesTheLoopSequential) {
  const Graph graph = parsed("y[i+1] = y[i] + x[i]", {{"i", 4}});
  EXPECT_EQ(graph.kernels[0].dims[0].kind, DimKind::kSequential);
  EXPECT_EQ(tensor(graph, "y").role, Role::kInOut);
  EXPECT_EQ(tensor(graph, "y").shape, (Shape{5}));
}

TEST(Notation, DigitsOnTheLeftMayShareAPosition) {
  const Graph graph = parsed("y[4*i + j] = x[j,i]", {{"i", 3}, {"j", 4}});
  EXPECT_EQ(tensor(graph, "y").shape, (Shape{12}));
  EXPECT_EQ(graph.kernels[0].dims[1].kind, DimKind::kParallel);
}

TEST(Notation, StatementsThatWriteTheSameTensorGetTheirOwnNames) {
  const Graph graph = parsed("y[i] = b[i]; y[i] += A[i,j]", {{"i", 3}, {"j", 4}});
  EXPECT_EQ(graph.kernels[0].name, "y");
  EXPECT_EQ(graph.kernels[1].name, "y_2");
  EXPECT_EQ(graph.kernels[1].where.column, 14);
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "y").asDouble(0), 5);
}

TEST(Notation, NestingUpToTheLimitIsFine) {
  std::string deep = "x[i]";
  for (int n = 0; n < 150; ++n) deep = "(" + deep + ")";
  parsed("y[i] = " + deep, {{"i", 1}});
}

/// Mutations of good texts: whatever comes out is a verified graph or a located diagnostic with a hint.
TEST(Notation, DamagedTextGivesAGraphOrALocatedDiagnostic) {
  const std::string good[] = {"y[i] += A[i,j] * x[j]; z[i] = relu(y[i] + b[i])", "s[i] = x[i] > 0 ? x[i] : -1.5e3",
                              "D[i] max= X[i, j]\no[i] = 2.5 * x[2*i + 1] - f16(y[i])"};
  const std::string alphabet = "ijxyzA01259.+-*/%&|^<>=!?:;,()[]# \n_em";
  Rng rng(3);
  int graphs = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string text = good[rng.below(3)];
    for (auto edits = 1 + rng.below(4); edits > 0; --edits) {
      const auto at = rng.below(text.size());
      const char c = alphabet[rng.below(alphabet.size())];
      if (rng.below(3) == 0)
        text.erase(at, 1);
      else if (rng.below(2) == 0)
        text.insert(at, 1, c);
      else
        text[at] = c;
      if (text.empty()) text = "y";
    }
    const auto graph = parseNotation(text, {{"i", 3}, {"j", 4}}, DType::kF32);
    if (graph) {
      ++graphs;
      continue;
    }
    const Diagnostic &d = graph.diagnostics()[0];
    EXPECT_FALSE(d.code.empty() || d.message.empty() || d.hint.empty()) << text << "\n" << d.str();
    EXPECT_TRUE(d.where.line > 0 || d.code == "unknown-size") << text << "\n" << d.str();
  }
  EXPECT_GT(graphs, 200);
}

}  // namespace
}  // namespace pimento::kernel
