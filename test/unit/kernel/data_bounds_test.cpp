// Dims that data bound: rows of sparse matrices and the like, beside kernels that visit every point and choose.
#include "pimento/kernel/data_bounds.h"

#include <gtest/gtest.h>

#include "pimento/base/rng.h"
#include "pimento/kernel/rounds.h"
#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr const char *kSpmv = "y[i] += v[e] * x[c[e]] for e in p[i]..p[i+1]";

Graph spmv(std::int64_t rows = 4, std::int64_t entries = 10) {
  return parsed(kSpmv, {{"i", rows}, {"e", entries}, {"x", 5}}, DType::kI32);
}

TensorData &tensor(const Graph &graph, DataSet &data, const std::string &name) {
  return data[static_cast<std::size_t>(graph.tensorNamed(name))];
}

void set(const Graph &graph, DataSet &data, const std::string &name, const Numbers &values) {
  TensorData &t = tensor(graph, data, name);
  ASSERT_EQ(t.elements(), static_cast<std::int64_t>(values.size()));
  for (std::size_t e = 0; e < values.size(); ++e) t.setInteger(static_cast<std::int64_t>(e), values[e]);
}

Numbers contents(const TensorData &data) {
  Numbers out;
  for (std::int64_t e = 0; e < data.elements(); ++e) out.push_back(data.asInteger(e));
  return out;
}

TEST(DataBounds, NotationSaysWhereAnIndexRuns) {
  const Graph graph = spmv();
  const Kernel &kernel = graph.kernels[0];
  ASSERT_EQ(kernel.bounds.size(), 1u);
  EXPECT_EQ(kernel.bounds[0].dim, kernel.dimNamed("e"));
  EXPECT_EQ(kernel.boundsOf(kernel.dimNamed("i")), nullptr);
  EXPECT_EQ(graph.tensors[static_cast<std::size_t>(graph.tensorNamed("p"))].shape, Numbers{5});
  EXPECT_EQ(graph.tensors[static_cast<std::size_t>(graph.tensorNamed("p"))].type, DType::kI32);
  EXPECT_NE(print(graph).find("    for e in %4..%5\n"), std::string::npos) << print(graph);
  EXPECT_EQ(dimsThatBound(kernel), (std::vector<bool>{true, false}));
}

TEST(DataBounds, WhatBoundsComesFirst) {
  const Graph graph = parsed("o[e] += v[e] * d[i] for e in p[i]..p[i+1]", {{"i", 4}, {"e", 10}}, DType::kI32);
  EXPECT_EQ(graph.kernels[0].dims[0].name, "i");
  EXPECT_EQ(graph.kernels[0].dims[0].kind, DimKind::kReduction);
  const Graph last = parsed("o[e] = v[e] * d[i] for e in p[i]..p[i+1]", {{"i", 4}, {"e", 10}}, DType::kI32);
  EXPECT_EQ(last.kernels[0].dims[0].kind, DimKind::kSequential);  // rows may overlap
}

TEST(DataBounds, BoundsWithoutDataAreConditions) {
  const Graph graph = parsed("y[i] += x[j] for j in i+1..5", {{"i", 4}, {"j", 6}}, DType::kI32);
  EXPECT_TRUE(graph.kernels[0].bounds.empty());
  EXPECT_EQ(graph.kernels[0].guards.size(), 2u);
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(contents(tensor(graph, data, "y")), (Numbers{4, 3, 2, 1}));
}

TEST(DataBounds, OneEndMayBeLeftToTheExtent) {
  const Graph lengths = parsed("y[i] += A[i,k] for k in 0..n[i]", {{"i", 3}, {"k", 4}}, DType::kI32);
  EXPECT_EQ(lengths.kernels[0].bounds[0].first, -1);
  DataSet data = makeData(lengths, {DataSpec::Kind::kOne});
  set(lengths, data, "n", {4, 0, -3});
  ASSERT_TRUE(interpret(lengths, data));
  EXPECT_EQ(contents(tensor(lengths, data, "y")), (Numbers{4, 0, 0}));
  const Graph rest = parsed("y[i] += A[i,k] for k in n[i]..4", {{"i", 3}, {"k", 4}}, DType::kI32);
  data = makeData(rest, {DataSpec::Kind::kOne});
  set(rest, data, "n", {4, 0, 1});
  ASSERT_TRUE(interpret(rest, data));
  EXPECT_EQ(contents(tensor(rest, data, "y")), (Numbers{0, 4, 3}));
}

TEST(DataBounds, RowsThatRunNowhereMayBeSaidByAnyNumbers) {
  const Graph graph = spmv();
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  set(graph, data, "p", {70, 3, 2, 10, -9});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(contents(tensor(graph, data, "y")), (Numbers{0, 0, 8, 0}));
}

void expectOutOfRange(const Numbers &rows, const std::string &part) {
  const Graph graph = spmv();
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  set(graph, data, "p", rows);
  const Status status = interpret(graph, data);
  ASSERT_FALSE(status);
  const Diagnostic &d = status.diagnostics()[0];
  EXPECT_EQ(d.code, "bound-out-of-range");
  EXPECT_EQ(d.where.str(), "<notation>:1:1");
  EXPECT_NE(d.message.find(part), std::string::npos) << d.message;
  EXPECT_NE(d.hint.find("0..10"), std::string::npos) << d.hint;
}

TEST(DataBounds, RowsOutsideTheExtentAreDiagnosticsThatNameTheElement) {
  expectOutOfRange({0, 2, 4, 11, 3}, "runs dim 'e' up to 11, which is p[3]; its extent is 10");
  expectOutOfRange({0, -1, 4, 5, 9}, "runs dim 'e' from -1, which is p[1]");
}

TEST(DataBounds, AnIndexThatABoundHangsOnIsChecked) {
  const Graph graph = parsed("y[i] += w[e] for e in p[f[i]]..p[f[i]+1]", {{"i", 3}, {"e", 10}, {"p", 5}}, DType::kI32);
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  set(graph, data, "p", {0, 1, 3, 6, 10});
  set(graph, data, "f", {3, 0, 2});
  DataSet wrong = data;
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(contents(tensor(graph, data, "y")), (Numbers{4, 1, 3}));
  set(graph, wrong, "f", {1, 5, 0});
  const Status status = interpret(graph, wrong);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.diagnostics()[0].code, "index-out-of-range");
}

TEST(DataBounds, RandomRowsAscendAndFillTheExtent) {
  const Graph graph = spmv(40, 300);
  const DataSet data = makeData(graph, {});
  const Numbers rows = contents(data[static_cast<std::size_t>(graph.tensorNamed("p"))]);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 300);
  const Graph lengths = parsed("y[i] += A[i,k] for k in 0..n[i]", {{"i", 300}, {"k", 4}}, DType::kI32);
  for (const std::int64_t n : contents(makeData(lengths, {})[static_cast<std::size_t>(lengths.tensorNamed("n"))])) {
    EXPECT_GE(n, 0);
    EXPECT_LE(n, 4);
  }
}

TEST(DataBounds, ArithmeticIsCountedAsOfRowsThatDoNotOverlap) {
  EXPECT_EQ(scalarOperations(spmv(40, 300)), 2 * 300);
  EXPECT_EQ(scalarOperations(parsed("y[i] += A[i,k] for k in 0..n[i]", {{"i", 40}, {"k", 3}}, DType::kI32)), 40 * 3);
}

TEST(DataBounds, RoundsBindWhatHangsOnTheirCounter) {
  const Graph graph =
      parsed("for t in 1..4 { s[t] += v[e] for e in p[t]..p[t+1] where e >= 2 }", {{"e", 9}}, DType::kI32);
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  set(graph, data, "p", {0, 1, 3, 3, 9});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(contents(tensor(graph, data, "s")), (Numbers{0, 1, 0, 6}));
  const auto rounds = unrolled(graph);
  ASSERT_TRUE(rounds);
  EXPECT_EQ(rounds->graph.kernels.size(), 3u);  // no two have equal bounds
}

/// A kernel whose rows data bound, and one that visits all points and chooses.
struct Pair {
  std::string bounded, dense;
  Sizes sizes;
};

std::string chosen(const std::string &bounded, const std::string &first, const std::string &end,
                   const std::string &value, const std::string &nothing) {
  return bounded + " (" + first + ") <= e ? (e < (" + end + ") ? " + value + " : " + nothing + ") : " + nothing;
}

std::vector<Pair> pairs() {
  const std::string rows = " for e in p[i]..p[i+1]";
  const auto row = [&](const std::string &target, const std::string &value, const std::string &nothing, Sizes sizes) {
    return Pair{target + " " + value + rows, chosen(target, "p[i]", "p[i+1]", value, nothing), std::move(sizes)};
  };
  return {
      row("y[i] +=", "v[e] * x[c[e]]", "0", {{"i", 9}, {"e", 31}, {"x", 6}}),
      row("C[i,j] +=", "v[e] * B[c[e],j]", "0", {{"i", 7}, {"e", 20}, {"j", 5}, {"B_1", 6}}),
      row("m[i] max=", "v[e]", "(-2147483647 - 1)", {{"i", 9}, {"e", 31}}),
      row("h[c[e]] +=", "v[e] * x[i]", "0", {{"i", 9}, {"e", 31}, {"h", 6}}),
      row("o[e] +=", "v[e] * x[i]", "0", {{"i", 9}, {"e", 31}}),
      row("s[] +=", "A[i,k] * D[e,k]", "0", {{"i", 5}, {"e", 12}, {"k", 3}}),
      row("y[i] +=", "v[e] * e + i", "0", {{"i", 9}, {"e", 1}}),
      {"y[i] += w[e] for e in p[f[i]]..p[f[i]+1]",
       chosen("y[i] +=", "p[f[i]]", "p[f[i]+1]", "w[e]", "0"),
       {{"i", 9}, {"e", 31}, {"p", 12}}},
  };
}

/// Ends of rows anywhere in the extent: empty and overlapping ones.
void scatterRows(const Graph &graph, DataSet &data, Rng &rng) {
  const Kernel &kernel = graph.kernels[0];
  TensorData &p = tensor(graph, data, "p");
  for (std::int64_t e = 0; e < p.elements(); ++e)
    p.setInteger(e, rng.integer(0, kernel.dims[static_cast<std::size_t>(kernel.bounds[0].dim)].extent));
}

TEST(DataBounds, ComputesWhatAKernelDoesThatVisitsAllPointsAndChooses) {
  Rng rng(7);
  for (const Pair &pair : pairs()) {
    SCOPED_TRACE(pair.bounded);
    const Graph graph = parsed(pair.bounded, pair.sizes, DType::kI32),
                dense = parsed(pair.dense, pair.sizes, DType::kI32);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      DataSet data = makeData(graph, {DataSpec::Kind::kRandom, 0, 0, seed});
      if (seed > 10) scatterRows(graph, data, rng);
      DataSet same(dense.tensors.size());
      for (std::size_t t = 0; t < same.size(); ++t)
        same[t] = data[static_cast<std::size_t>(graph.tensorNamed(dense.tensors[t].name))];
      const DataSet given = data;
      ASSERT_TRUE(interpret(graph, data));
      ASSERT_TRUE(interpret(dense, same));
      for (std::size_t t = 0; t < same.size(); ++t)
        EXPECT_EQ(contents(same[t]), contents(tensor(graph, data, dense.tensors[t].name))) << dense.tensors[t].name;
      // The bounds of the answer are exact, too: they visit the same points.
      for (const BoundedData &result : evaluateWithBound(graph, given)) {
        const TensorData &answer = data[static_cast<std::size_t>(result.tensor)];
        for (std::size_t e = 0; e < result.value.size(); ++e) {
          EXPECT_EQ(result.bound[e], 0);
          EXPECT_EQ(result.value[e], answer.asDouble(static_cast<std::int64_t>(e)));
        }
      }
    }
  }
}

TEST(DataBounds, AnyOrderOfASumVisitsTheSamePoints) {
  Rng rng(3);
  for (const Pair &pair : pairs()) {
    const Graph graph = parsed(pair.bounded, pair.sizes, DType::kI32);
    const Kernel &kernel = graph.kernels[0];
    OrderRegion region;
    std::int64_t terms = 1;
    for (const Dim &dim : kernel.dims) {
      if (dim.kind == DimKind::kReduction) terms *= dim.extent;
      if (dim.kind != DimKind::kParallel) continue;
      region.lower.push_back(0);
      region.upper.push_back(dim.extent);
    }
    if (kernel.form != Form::kAffine || terms == 1) continue;
    SCOPED_TRACE(pair.bounded);
    // Leaves of every third term each, of the second half, and so on.
    region.sum.type = DType::kI32;
    for (std::int64_t k = 0; k < 3; ++k) {
      Accumulation leaf;
      leaf.type = DType::kI32;
      leaf.terms = {{k, 3, terms / 6}, {terms / 6 * 3 + k, 3, terms}};
      region.sum.children.push_back(leaf);
    }
    DataSet data = makeData(graph, {});
    scatterRows(graph, data, rng);
    makeMissing(graph, data);
    DataSet other = data;
    ASSERT_TRUE(interpretKernel(graph, 0, data));
    ASSERT_TRUE(interpretKernel(graph, 0, other, {{region}}));
    for (std::size_t t = 0; t < data.size(); ++t) EXPECT_EQ(contents(data[t]), contents(other[t]));
  }
}

}  // namespace
}  // namespace pimento::kernel
