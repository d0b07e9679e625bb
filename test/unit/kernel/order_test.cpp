// The interpreter in random orders against a direct evaluation of the order's definition.
#include "pimento/kernel/order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "pimento/base/rng.h"
#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

/// Any tree: terms may repeat, miss, run past the end and start before the beginning.
Accumulation randomTree(Rng &rng, std::int64_t points, int depth, const std::vector<DType> &types) {
  Accumulation node;
  node.type = types[rng.below(types.size())];
  if (depth == 0 || rng.below(4) == 0) {
    const auto pieces = rng.below(4);
    for (std::uint64_t p = 0; p < pieces; ++p) {
      node.terms.push_back({rng.integer(-3, points), rng.integer(1, points + 2), rng.integer(0, points)});
    }
  } else {
    const auto children = 1 + rng.below(4);
    for (std::uint64_t c = 0; c < children; ++c) node.children.push_back(randomTree(rng, points, depth - 1, types));
  }
  return node;
}

/// A tree over points [first, end), some of which are missing, each alone in its leaf.
Accumulation treeOfSingleTerms(Rng &rng, std::int64_t first, std::int64_t end, DType type) {
  Accumulation node;
  node.type = type;
  if (end - first <= 1) {
    if (first < end && rng.below(10) != 0) node.terms.push_back({first, 1, 1});
    return node;
  }
  const std::int64_t middle = rng.integer(first + 1, end - 1);
  node.children.push_back(treeOfSingleTerms(rng, first, middle, type));
  node.children.push_back(treeOfSingleTerms(rng, middle, end, type));
  if (rng.below(2) == 0) std::swap(node.children[0], node.children[1]);
  return node;
}

double identityOf(Combine c) {
  if (c == Combine::kMul) return 1;
  if (c == Combine::kMin) return INFINITY;
  return c == Combine::kMax ? -INFINITY : 0;
}

Number combined(Combine c, DType t, Number a, Number b) {
  if (c == Combine::kAdd) return plus(t, a, b);
  if (c == Combine::kMul) return times(t, a, b);
  if (isFloat(t)) return {c == Combine::kMin ? std::min(a.f, b.f) : std::max(a.f, b.f), 0};
  return {0, c == Combine::kMin ? std::min(a.i, b.i) : std::max(a.i, b.i)};
}

Number retyped(DType from, DType to, Number x) {
  if (isFloat(from) && isFloat(to)) return {rounded(to, x.f), 0};
  return {0, wrapInteger(to, x.i)};
}

/// The definition in order.h, word for word.
Number byDefinition(const Accumulation &node, Combine c, DType termType, const std::vector<Number> &terms) {
  const auto points = static_cast<std::int64_t>(terms.size());
  if (node.children.empty()) {
    Number sum = isFloat(node.type) ? Number{identityOf(c), 0} : Number{0, c == Combine::kMul ? 1 : 0};
    for (const Terms &t : node.terms) {
      for (std::int64_t k = 0; k < t.count; ++k) {
        const std::int64_t index = t.first + k * t.step;
        if (index < 0 || index >= points) continue;
        sum = combined(c, node.type, sum, retyped(termType, node.type, terms[static_cast<std::size_t>(index)]));
      }
    }
    return sum;
  }
  Number sum{};
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Number child = retyped(node.children[i].type, node.type, byDefinition(node.children[i], c, termType, terms));
    sum = i == 0 ? child : combined(c, node.type, sum, child);
  }
  return sum;
}

/// y[m] C= A[m,n] * x[n] in one random region order per call.
void checkMatrixVector(std::uint64_t seed, DType type, const std::string &assign, Combine combine,
                       const std::vector<DType> &nodeTypes, bool hasSingleTerms = false) {
  Rng rng(seed);
  const std::int64_t m = rng.integer(1, 9), n = rng.integer(1, 700);
  const Graph graph = parsed("y[m] " + assign + " A[m,n] * x[n]", {{"m", m}, {"n", n}}, type);
  const std::int64_t cut = rng.integer(0, m);
  const auto tree = [&] {
    return hasSingleTerms ? treeOfSingleTerms(rng, 0, n, nodeTypes.front()) : randomTree(rng, n, 3, nodeTypes);
  };
  const Order order{{{{0}, {cut}, tree()}, {{cut}, {m}, tree()}}};
  DataSet data = makeData(graph, {DataSpec::Kind::kRandom, 0, 0, seed});
  ASSERT_TRUE(interpret(graph, data, {order}));
  const Array a(named(graph, data, "A")), x(named(graph, data, "x"));
  Array want(type, m);
  for (std::int64_t i = 0; i < m; ++i) {
    std::vector<Number> terms;
    for (std::int64_t j = 0; j < n; ++j) terms.push_back(times(type, a[i * n + j], x[j]));
    const Accumulation &sum = order.regions[i < cut ? 0 : 1].sum;
    want[i] = retyped(sum.type, type, byDefinition(sum, combine, type, terms));
  }
  expectSame(named(graph, data, "y"), want, "seed " + std::to_string(seed));
}

TEST(Order, RandomTreesOfHalvesAndFloatsMatchTheirDefinition) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    checkMatrixVector(seed, DType::kF16, "+=", Combine::kAdd, {DType::kF16, DType::kF32, DType::kF64});
  }
}

TEST(Order, RandomTreesInOtherFloatingTypesMatchTheirDefinition) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    checkMatrixVector(seed, DType::kBF16, "+=", Combine::kAdd, {DType::kBF16, DType::kF32});
    checkMatrixVector(seed, DType::kF8E5M2, "+=", Combine::kAdd, {DType::kF16});
    checkMatrixVector(seed, DType::kF32, "+=", Combine::kAdd, {DType::kF32});
    checkMatrixVector(seed, DType::kF64, "+=", Combine::kAdd, {DType::kF64, DType::kF32});
  }
}

TEST(Order, RandomTreesOfOtherCombinationsMatchTheirDefinition) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    checkMatrixVector(seed, DType::kF32, "min=", Combine::kMin, {DType::kF32});
    checkMatrixVector(seed, DType::kF16, "max=", Combine::kMax, {DType::kF16, DType::kF32});
    checkMatrixVector(seed, DType::kF32, "*=", Combine::kMul, {DType::kF32});
  }
}

TEST(Order, TreesWhoseLeavesHaveOneTermMatchTheirDefinition) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    checkMatrixVector(seed, DType::kF32, "+=", Combine::kAdd, {DType::kF32}, true);
    checkMatrixVector(seed, DType::kF16, "+=", Combine::kAdd, {DType::kF16}, true);
    checkMatrixVector(seed, DType::kF64, "max=", Combine::kMax, {DType::kF64}, true);
    checkMatrixVector(seed, DType::kI16, "+=", Combine::kAdd, {DType::kI32}, true);
  }
}

TEST(Order, RandomTreesOfIntegersMatchTheirDefinition) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    checkMatrixVector(seed, DType::kI32, "+=", Combine::kAdd, {DType::kI32, DType::kI64});
    checkMatrixVector(seed, DType::kU8, "+=", Combine::kAdd, {DType::kU8, DType::kU16});
    checkMatrixVector(seed, DType::kI16, "*=", Combine::kMul, {DType::kI16});
  }
}

TEST(Order, SeveralReductionDimsAreOneRowMajorIndex) {
  const DType type = DType::kF16;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    const std::int64_t m = rng.integer(1, 4), p = rng.integer(1, 6), q = rng.integer(1, 6), r = rng.integer(1, 6);
    const Graph graph = parsed("y[m] += A[m,p,q,r] * x[p,q,r]", {{"m", m}, {"p", p}, {"q", q}, {"r", r}}, type);
    const std::int64_t n = p * q * r;
    const Order order{{{{0}, {m}, randomTree(rng, n, 3, {DType::kF16, DType::kF32})}}};
    DataSet data = makeData(graph, {DataSpec::Kind::kRandom, 0, 0, seed});
    ASSERT_TRUE(interpret(graph, data, {order}));
    const Array a(named(graph, data, "A")), x(named(graph, data, "x"));
    Array want(type, m);
    for (std::int64_t i = 0; i < m; ++i) {
      std::vector<Number> terms;
      for (std::int64_t j = 0; j < n; ++j) terms.push_back(times(type, a[i * n + j], x[j]));
      const Accumulation &sum = order.regions[0].sum;
      want[i] = retyped(sum.type, type, byDefinition(sum, Combine::kAdd, type, terms));
    }
    expectSame(named(graph, data, "y"), want, "seed " + std::to_string(seed));
  }
}

/// y = b + A x in f16, its even and its odd terms summed apart: `sum` must give `merged` of both and of b.
void expectOntoInitial(const Accumulation &sum, const std::function<Number(Number, Number, Number)> &merged) {
  const Graph graph = parsed("y[m] = b[m]; y[m] += A[m,n] * x[n]", {{"m", 3}, {"n", 40}}, DType::kF16);
  DataSet data = makeData(graph, {});
  ASSERT_TRUE(interpret(graph, data, {Order{}, Order{{{{0}, {3}, sum}}}}));
  const Array a(named(graph, data, "A")), x(named(graph, data, "x")), b(named(graph, data, "b"));
  Array want(DType::kF16, 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    Number even{}, odd{};
    for (std::int64_t j = 0; j < 40; ++j) {
      Number &half = j % 2 == 0 ? even : odd;
      half = plus(DType::kF16, half, times(DType::kF16, a[i * 40 + j], x[j]));
    }
    want[i] = merged(even, odd, b[i]);
  }
  expectSame(named(graph, data, "y"), want, "initial value");
}

TEST(Order, AnInitialValueIsMergedLastInTheRootsType) {
  Accumulation sum;
  sum.type = DType::kF32;
  sum.children = {{DType::kF16, {{0, 2, 20}}, {}}, {DType::kF16, {{1, 2, 20}}, {}}};
  expectOntoInitial(sum, [](Number even, Number odd, Number b) {
    return retyped(DType::kF32, DType::kF16, plus(DType::kF32, plus(DType::kF32, even, odd), b));
  });
}

TEST(Order, AnInitialValueMayBeTheFirstLeaf) {
  Accumulation sum;
  sum.type = DType::kF16;
  sum.children = {{DType::kF16, {}, {}, true}, {DType::kF16, {{0, 2, 20}}, {}}, {DType::kF16, {{1, 2, 20}}, {}}};
  expectOntoInitial(
      sum, [](Number even, Number odd, Number b) { return plus(DType::kF16, plus(DType::kF16, b, even), odd); });
}

TEST(Order, ADifferentOrderGivesADifferentHalfSum) {
  const Graph graph = parsed("s[0] += x[n]", {{"n", 3}}, DType::kF16);
  const auto sumOf = [&](Accumulation tree) {
    DataSet data = makeData(graph, {});
    named(graph, data, "x") = vectorOf(DType::kF16, {2048, 1, 1});
    EXPECT_TRUE(interpret(graph, data, {Order{{{{}, {}, std::move(tree)}}}}));
    return named(graph, data, "s").asDouble(0);
  };
  EXPECT_EQ(sumOf({DType::kF16, {{0, 1, 3}}, {}}), 2048);
  EXPECT_EQ(sumOf({DType::kF16, {}, {{DType::kF16, {{1, 1, 2}}, {}}, {DType::kF16, {{0, 1, 1}}, {}}}}), 2050);
  EXPECT_EQ(sumOf({DType::kF32, {{0, 1, 3}}, {}}), 2050);
}

TEST(Order, AGuardLeavesTermsOutOfAnOrder) {
  Graph graph = parsed("y[i] += A[i,j]", {{"i", 5}, {"j", 5}}, DType::kF32);
  graph.kernels[0].guards = {{{1, -1}, 0}};  // j <= i
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  const Order order{{{{0}, {5}, {DType::kF32, {{4, 1, 1}, {0, 2, 2}, {1, 2, 2}}, {}}}}};
  ASSERT_TRUE(interpret(graph, data, {order}));
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(named(graph, data, "y").asDouble(i), static_cast<double>(i + 1));
}

TEST(Order, WithoutRegionsItIsRowMajorWithTheInitialValueFirst) {
  const Graph graph = parsed("y[0] = b[0]; y[0] += x[n]", {{"n", 2}}, DType::kF16);
  DataSet data = makeData(graph, {});
  named(graph, data, "b") = vectorOf(DType::kF16, {2048});
  named(graph, data, "x") = vectorOf(DType::kF16, {1, 1});
  ASSERT_TRUE(interpret(graph, data, {Order{}, Order{}}));
  EXPECT_EQ(named(graph, data, "y").asDouble(0), 2048);
}

}  // namespace
}  // namespace pimento::kernel
