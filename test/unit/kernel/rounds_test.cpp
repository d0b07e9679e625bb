// Loops around kernels, indices from data, minima with their index and selections per row: what notation says of them,
// what the interpreter makes of it, and that an unrolled graph does the same.
#include "pimento/kernel/rounds.h"

#include <gtest/gtest.h>

#include <vector>

#include "pimento/base/rng.h"
#include "pimento/kernel/dependence.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"

namespace pimento::kernel {
namespace {

Graph parsed(std::string_view text, const Sizes &sizes, DType type = DType::kI32) {
  Result<Graph> graph = parseNotation(text, sizes, type);
  EXPECT_TRUE(graph) << text << "\n" << (graph ? "" : graph.diagnostics()[0].str());
  return graph ? *graph : Graph{};
}

using Numbers = std::vector<std::int64_t>;

TensorData filled(const Tensor &tensor, const Numbers &values) {
  TensorData data(tensor.type, tensor.shape);
  for (std::size_t e = 0; e < values.size(); ++e) data.setInteger(static_cast<std::int64_t>(e), values[e]);
  return data;
}

Numbers contents(const TensorData &data) {
  Numbers out;
  for (std::int64_t e = 0; e < data.elements(); ++e) out.push_back(data.asInteger(e));
  return out;
}

/// The graph, and its unrolled form, on the same data: they must agree. Returns what tensor `name` holds.
Numbers run(const Graph &graph, const std::map<std::string, Numbers> &given, const std::string &name) {
  DataSet data(graph.tensors.size());
  for (std::size_t t = 0; t < data.size(); ++t) {
    data[t] = TensorData(graph.tensors[t].type, graph.tensors[t].shape);
    if (const auto found = given.find(graph.tensors[t].name); found != given.end())
      data[t] = filled(graph.tensors[t], found->second);
  }
  DataSet flat = data;
  EXPECT_TRUE(interpret(graph, data));
  const Result<Unrolled> rounds = unrolled(graph);
  EXPECT_TRUE(rounds);
  for (std::size_t t = 0; t < flat.size(); ++t)
    if (graph.tensors[t].role == Role::kOutput || graph.tensors[t].role == Role::kTemporary)
      flat[t] = TensorData(graph.tensors[t].type, graph.tensors[t].shape);
  std::vector<bool> hasRun(rounds->graph.kernels.size(), false);
  for (const int k : rounds->runs) {
    // The first run of a kernel comes after those of the kernels before it.
    for (int before = 0; before < k; ++before) EXPECT_TRUE(hasRun[static_cast<std::size_t>(before)]);
    hasRun[static_cast<std::size_t>(k)] = true;
    EXPECT_TRUE(interpretKernel(rounds->graph, k, flat));
  }
  for (std::size_t t = 0; t < data.size(); ++t)
    EXPECT_EQ(contents(data[t]), contents(flat[t])) << graph.tensors[t].name;
  return contents(data[static_cast<std::size_t>(graph.tensorNamed(name))]);
}

TEST(Rounds, AStencilWithSwappedBuffersIsOneBody) {
  const Graph graph =
      parsed("for t in 0..5 { b[i] = a[i-1] + a[i] + a[i+1] where i >= 1, i < 7; swap a, b }", {{"i", 8}});
  ASSERT_EQ(graph.kernels.size(), 1u);
  EXPECT_EQ(graph.kernels[0].dims[1].kind, DimKind::kParallel);
  const Result<Unrolled> rounds = unrolled(graph);
  ASSERT_TRUE(rounds);
  EXPECT_EQ(rounds->graph.kernels.size(), 2u);  // odd and even rounds
  EXPECT_EQ(rounds->runs, (std::vector<int>{0, 1, 0, 1, 0}));
  Numbers a(8, 0), b(8, 0);
  a[4] = 1;
  const std::map<std::string, Numbers> given = {{"a", a}};
  for (int t = 0; t < 5; ++t) {
    for (std::size_t i = 1; i < 7; ++i) b[i] = a[i - 1] + a[i] + a[i + 1];
    std::swap(a, b);
  }
  EXPECT_EQ(run(graph, given, "b"), a) << "after five rounds what was called b";
}

TEST(Rounds, AnEliminationRunsRoundByRound) {
  const Graph graph = parsed(
      "for k in 0..5 { f[i] = A[i,k] - A[k,k] where i > k; A[i,j] = A[i,j] - f[i] * A[k,j] where i > k, j >= k }",
      {{"i", 5}, {"j", 5}});
  ASSERT_EQ(graph.kernels.size(), 2u);
  EXPECT_EQ(graph.kernels[1].dims[1].kind, DimKind::kParallel) << "row k is none of the rows below it";
  EXPECT_EQ(graph.kernels[1].dims[2].kind, DimKind::kParallel);
  Numbers a(25);
  Rng rng(3);
  for (auto &x : a) x = rng.integer(-2, 2);
  const std::map<std::string, Numbers> given = {{"A", a}};
  Numbers f(5);
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t i = k + 1; i < 5; ++i) f[i] = a[i * 5 + k] - a[k * 5 + k];
    for (std::size_t i = k + 1; i < 5; ++i)
      for (std::size_t j = k; j < 5; ++j) a[i * 5 + j] -= f[i] * a[k * 5 + j];
  }
  EXPECT_EQ(run(graph, given, "A"), a);
}

TEST(Rounds, BoundsMoveWithOuterCounters) {
  const Graph graph = parsed("for k in 1..4 { for l in k..2*k+1 { y[i] = y[i] + 10*k + l where i <= k } }", {{"i", 6}});
  Numbers y(6, 0);
  for (int k = 1; k < 4; ++k)
    for (int l = k; l < 2 * k + 1; ++l)
      for (int i = 0; i <= k; ++i) y[static_cast<std::size_t>(i)] += 10 * k + l;
  EXPECT_EQ(run(graph, {}, "y"), y);
}

TEST(Rounds, AnAccumulationGoesOnWhereARoundBeforeLeftIt) {
  const Graph graph = parsed("for k in 0..3 { s[] += x[i] }", {{"i", 4}});
  const Result<Unrolled> rounds = unrolled(graph);
  ASSERT_TRUE(rounds);
  EXPECT_EQ(rounds->runs, (std::vector<int>{0, 1, 1})) << "the first round starts from nothing";
  EXPECT_EQ(run(graph, {{"x", {1, 2, 3, 4}}}, "s"), Numbers{30});
}

TEST(Rounds, ABoundKernelStartsAtItsFirstPoint) {
  const Graph graph = parsed("for k in 0..4 { y[i] = i + k where i > k }", {{"i", 6}});
  const std::optional<Kernel> bound = bind(graph.kernels[0], {2});
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->dims.size(), 1u);
  EXPECT_EQ(bound->dims[0].extent, 3);
  EXPECT_TRUE(bound->guards.empty());
  EXPECT_EQ(bound->stores[0].target.index[0].constant, 3);
  EXPECT_EQ(run(graph, {}, "y"), (Numbers{0, 1, 3, 5, 7, 8}));
  EXPECT_FALSE(bind(parsed("for k in 0..9 { y[i] = i where i > k }", {{"i", 6}}).kernels[0], {7}));
}

TEST(Rounds, TooManyAreRefused) {
  const Graph graph = parsed("for k in 0..3000 { for l in 0..3000 { s[] += x[i] } }", {{"i", 4}});
  const Result<Unrolled> rounds = unrolled(graph);
  ASSERT_FALSE(rounds);
  EXPECT_EQ(rounds.diagnostics()[0].code, "too-many-rounds");
}

TEST(Indirect, ReadsAndStoresTakeAnIndexFromData) {
  const Graph gather = parsed("y[i] = x[p[i]]", {{"i", 4}, {"x", 6}});
  EXPECT_EQ(run(gather, {{"x", {10, 11, 12, 13, 14, 15}}, {"p", {5, 0, 0, 3}}}, "y"), (Numbers{15, 10, 10, 13}));
  const Graph row = parsed("y[i,j] = x[p[i],j]", {{"i", 3}, {"j", 2}, {"x_1", 3}});
  EXPECT_EQ(run(row, {{"x", {1, 2, 3, 4, 5, 6}}, {"p", {2, 2, 0}}}, "y"), (Numbers{5, 6, 5, 6, 1, 2}));
  const Graph scatter = parsed("y[p[i]] = x[i]", {{"i", 4}, {"y", 3}});
  EXPECT_EQ(run(scatter, {{"x", {7, 8, 9, 4}}, {"p", {1, 0, 1, 0}}}, "y"), (Numbers{4, 9, 0})) << "the last one counts";
  const Graph sums = parsed("n[p[i],j] += x[i,j]", {{"i", 3}, {"j", 2}, {"n_1", 2}});
  EXPECT_EQ(run(sums, {{"x", {1, 2, 3, 4, 5, 6}}, {"p", {1, 0, 1}}}, "n"), (Numbers{3, 4, 6, 8}));
  const Graph chain = parsed("y[i] = x[q[p[i]] + 1]", {{"i", 2}, {"x", 4}, {"q", 3}});
  EXPECT_EQ(run(chain, {{"x", {1, 2, 3, 4}}, {"q", {2, 1, 0}}, {"p", {0, 2}}}, "y"), (Numbers{4, 2}));
}

TEST(Indirect, AnIndexOutsideIsNamedWithItsElement) {
  const Graph graph = parsed("y[i] = x[p[i]]", {{"i", 3}, {"x", 4}});
  DataSet data(graph.tensors.size());
  for (std::size_t t = 0; t < data.size(); ++t) data[t] = TensorData(graph.tensors[t].type, graph.tensors[t].shape);
  data[static_cast<std::size_t>(graph.tensorNamed("p"))] = filled(graph.tensors[0], {0, -3, 1});
  const Status status = interpret(graph, data);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.diagnostics()[0].code, "index-out-of-range");
  EXPECT_NE(status.diagnostics()[0].message.find("index 1 of 'x' is -3, from p[1]; its extent is 4"), std::string::npos)
      << status.diagnostics()[0].str();
}

TEST(Minimum, TheFirstOfEqualsGivesTheIndex) {
  const Graph graph = parsed("m[i] min= x[i,j] with b[i] = j", {{"i", 2}, {"j", 4}});
  const std::map<std::string, Numbers> given = {{"x", {4, 1, 1, 3, 2, 2, 9, 2}}};
  EXPECT_EQ(run(graph, given, "m"), (Numbers{1, 2}));
  EXPECT_EQ(run(graph, given, "b"), (Numbers{1, 0}));
  const Graph most = parsed("m[i] max= x[i,j] with b[i] = j", {{"i", 2}, {"j", 4}});
  EXPECT_EQ(run(most, given, "b"), (Numbers{0, 2}));
}

TEST(Selection, RowsKeepUpToALimit) {
  const Graph graph = parsed("o[i] append= j if x[i,j] > 2 count n[i] limit 2", {{"i", 3}, {"j", 4}});
  const std::map<std::string, Numbers> given = {{"x", {3, 0, 4, 5, 0, 0, 0, 9, 1, 1, 1, 1}}};
  EXPECT_EQ(run(graph, given, "o"), (Numbers{0, 2, 3, 0, 0, 0}));
  EXPECT_EQ(run(graph, given, "n"), (Numbers{2, 1, 0}));
}

TEST(Dependence, OddAgainstEvenAndRowsAgainstRows) {
  const auto kinds = [](std::string_view text, const Sizes &sizes) {
    const Graph graph = parsed(text, sizes);
    std::vector<DimKind> out;
    for (const Dim &dim : graph.kernels.back().dims) out.push_back(dim.kind);
    return out;
  };
  using Kinds = std::vector<DimKind>;
  EXPECT_EQ(kinds("x[2*i+1] = x[2*i+1] - x[2*i]", {{"i", 4}}), Kinds{DimKind::kParallel});
  EXPECT_EQ(kinds("x[i+1] = x[i] + 1", {{"i", 4}}), Kinds{DimKind::kSequential});
  EXPECT_EQ(kinds("A[i+1,j] = A[i,j] + 1", {{"i", 4}, {"j", 3}}), (Kinds{DimKind::kSequential, DimKind::kParallel}));
  EXPECT_EQ(kinds("x[i] = x[i] + x[3] where i > 3", {{"i", 9}}), Kinds{DimKind::kParallel});
  EXPECT_EQ(kinds("x[i] = x[i] + x[3] where i >= 3", {{"i", 9}}), Kinds{DimKind::kSequential});
}

/// Against every pair of points.
TEST(Dependence, NeverSaysNoWhereAccessesMeet) {
  Rng rng(11);
  for (int trial = 0; trial < 400; ++trial) {
    Kernel k;
    for (int d = 0; d < 2; ++d) k.dims.push_back({d == 0 ? "i" : "j", rng.integer(1, 4), DimKind::kParallel});
    const auto form = [&] { return Affine{{rng.integer(-2, 2), rng.integer(-2, 2)}, rng.integer(-3, 3)}; };
    if (trial % 3 != 0) k.guards.push_back(form());
    const std::vector<Affine> a{form()}, b{form()};
    const std::vector<std::int64_t> extents{k.dims[0].extent, k.dims[1].extent};
    const Meeting meeting({extents, k.guards, &a, -1}, {extents, k.guards, &b, -1}, 2);
    const auto at = [](const Affine &f, const Numbers &p) {
      return f.constant + f.coefficients[0] * p[0] + f.coefficients[1] * p[1];
    };
    std::vector<Numbers> points;
    for (std::int64_t i = 0; i < extents[0]; ++i)
      for (std::int64_t j = 0; j < extents[1]; ++j)
        if (k.guards.empty() || at(k.guards[0], {i, j}) >= 0) points.push_back({i, j});
    bool isPossible = false, isLater = false, isSame = false;
    for (const Numbers &p : points) {
      for (const Numbers &q : points) {
        if (at(a[0], p) != at(b[0], q)) continue;
        isPossible = true;
        isLater = isLater || p > q;
        isSame = isSame || p == q;
        for (std::size_t d = 0; d < 2; ++d)
          EXPECT_TRUE(meeting.isPossible(d, q[d] > p[d] ? 1 : q[d] < p[d] ? -1 : 0)) << trial;
      }
    }
    EXPECT_TRUE(meeting.isPossible() || !isPossible) << trial;
    EXPECT_TRUE(meeting.mayBeLater() || !isLater) << trial;
    EXPECT_TRUE(meeting.mayCoincide() || !isSame) << trial;
  }
}

}  // namespace
}  // namespace pimento::kernel
