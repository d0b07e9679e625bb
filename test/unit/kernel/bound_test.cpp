// The rounding-error bound: the interpreter stays within it in any order, and it is no larger than it needs to be.
#include <gtest/gtest.h>

#include <cmath>

#include "pimento/base/rng.h"
#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

/// Random expressions over x[..], y[..] and z[..].
class RandomExpression {
 public:
  RandomExpression(Rng &rng, std::string index) : rng_(rng), index_(std::move(index)) {}

  std::string make(int depth) {
    if (depth == 0 || rng_.below(6) == 0) return leaf();
    const std::string a = make(depth - 1), b = make(depth - 1);
    switch (rng_.below(14)) {
      case 0:
        return "(" + a + " + " + b + ")";
      case 1:
        return "(" + a + " - " + b + ")";
      case 2:
      case 3:
        return "(" + a + " * " + b + ")";
      case 4:
        return "(" + a + " / (abs(" + b + ") + 1.5))";
      case 5:
        return "min(" + a + ", " + b + ")";
      case 6:
        return "max(" + a + ", " + b + ")";
      case 7:
        return "relu(" + a + ")";
      case 8:
        return "exp(min(" + a + ", 1))";
      case 9:
        return "log(abs(" + a + ") + 0.5)";
      case 10:
        return "sqrt(abs(" + a + "))";
      case 11:
        return "tanh(" + a + ")";
      case 12:
        return "(" + a + " > " + b + " ? " + a + " : " + b + ")";
      default:
        return "-abs(" + a + ")";
    }
  }

 private:
  std::string leaf() {
    static const char *const kLeaves[] = {"x", "y", "z"};
    if (rng_.below(5) == 0) return "0.75";
    return kLeaves[rng_.below(3)] + index_;
  }

  Rng &rng_;
  std::string index_;
};

Accumulation randomOrder(Rng &rng, std::int64_t n, DType type) {
  // Every term exactly once: strided leaves under nodes of random arity.
  const std::int64_t leaves = rng.integer(1, 20);
  std::vector<Accumulation> level;
  for (std::int64_t l = 0; l < leaves; ++l) level.push_back({type, {{l, leaves, (n + leaves - 1) / leaves}}, {}});
  while (level.size() > 1) {
    std::vector<Accumulation> next;
    for (std::size_t i = 0; i < level.size();) {
      const std::size_t take = std::min<std::size_t>(level.size() - i, 2 + rng.below(3));
      next.push_back({rng.below(2) == 0 ? type : DType::kF64, {}, {}});
      for (std::size_t k = 0; k < take; ++k) next.back().children.push_back(level[i++]);
    }
    level = std::move(next);
  }
  return level[0];
}

struct Tally {
  int elements = 0, claims = 0;
};

void expectWithinBound(const Graph &graph, const DataSet &data, const std::vector<BoundedData> &results,
                       const std::string &what, Tally &tally) {
  for (const BoundedData &result : results) {
    const TensorData &got = data[static_cast<std::size_t>(result.tensor)];
    ASSERT_EQ(got.elements(), static_cast<std::int64_t>(result.value.size()));
    for (std::int64_t e = 0; e < got.elements(); ++e) {
      const auto i = static_cast<std::size_t>(e);
      ++tally.elements;
      if (std::isinf(result.bound[i])) continue;
      ++tally.claims;
      ASSERT_LE(std::fabs(got.asDouble(e) - result.value[i]), result.bound[i])
          << what << "\n"
          << print(graph) << "element " << e << ": " << got.asDouble(e) << " for " << result.value[i];
    }
  }
}

TEST(Bound, TwoHundredRandomKernelsStayWithinIt) {
  const DType types[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64, DType::kF8E5M2};
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const DType type = types[rng.below(5)];
    const std::int64_t n = rng.integer(1, 300);
    const bool isReduction = rng.below(2) == 0;
    const char *const assigns[] = {"+=", "+=", "max=", "min="};
    RandomExpression expression(rng, "[i,j]");
    const std::string text = isReduction ? std::string("o[i] ") + assigns[rng.below(4)] + " " + expression.make(3)
                                         : "t[i,j] = " + expression.make(2) + "; o[i,j] = relu(t[i,j]) * x[i,j]";
    const std::string whole = "x[i,j] = 1 * x[i,j]; y[i,j] = 1 * y[i,j]; z[i,j] = 1 * z[i,j]; " + text;
    const Graph graph = parsed(whole, {{"i", 4}, {"j", n}}, type);
    const DataSet inputs = makeData(graph, {DataSpec::Kind::kRandom, 0, 0, seed});
    const auto results = evaluateWithBound(graph, inputs);
    DataSet rowMajor = inputs;
    ASSERT_TRUE(interpret(graph, rowMajor));
    expectWithinBound(graph, rowMajor, results, "row-major, seed " + std::to_string(seed), tally);
    if (!isReduction) continue;
    DataSet ordered = inputs;
    std::vector<Order> orders(graph.kernels.size());
    orders.back().regions = {{{0}, {4}, randomOrder(rng, n, type)}};
    ASSERT_TRUE(interpret(graph, ordered, orders));
    expectWithinBound(graph, ordered, results, "ordered, seed " + std::to_string(seed), tally);
  }
  EXPECT_GT(tally.claims, tally.elements * 9 / 10);
}

TEST(Bound, TheValueIsTheDoubleResult) {
  const Graph graph = fromZoo("gemv", {{"m", 3}, {"n", 100}}, DType::kF32);
  const DataSet data = makeData(graph, {});
  const auto result = evaluateWithBound(graph, data)[0];
  for (std::int64_t i = 0; i < 3; ++i) {
    double sum = 0, magnitude = 0;
    for (std::int64_t j = 0; j < 100; ++j) {
      const double term = data[0].asDouble(i * 100 + j) * data[1].asDouble(j);
      sum += term;
      magnitude += std::fabs(term);
    }
    const auto e = static_cast<std::size_t>(i);
    EXPECT_NEAR(result.value[e], sum, 1e-12);
    // About (n + 1) u sum |terms| for a dot product, and not much more.
    EXPECT_GT(result.bound[e], 100 * 0x1p-24 * magnitude);
    EXPECT_LT(result.bound[e], 108 * 0x1p-24 * magnitude);
  }
}

TEST(Bound, AWrongSumFallsOutsideIt) {
  const Graph graph = fromZoo("gemv", {{"m", 1}, {"n", 200}}, DType::kF32);
  DataSet data = makeData(graph, {});
  const auto result = evaluateWithBound(graph, data)[0];
  // One term left out.
  const Order order{{{{0}, {1}, {DType::kF32, {{0, 1, 150}, {151, 1, 49}}, {}}}}};
  ASSERT_TRUE(interpret(graph, data, {order}));
  EXPECT_GT(std::fabs(data[2].asDouble(0) - result.value[0]), result.bound[0]);
}

TEST(Bound, IntegersAreExact) {
  const Graph graph = fromZoo("gemv", {{"m", 3}, {"n", 100}}, DType::kI16);
  DataSet data = makeData(graph, {});
  const auto result = evaluateWithBound(graph, data)[0];
  ASSERT_TRUE(interpret(graph, data));
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(result.bound[e], 0);
    EXPECT_EQ(result.value[e], data[2].asDouble(static_cast<std::int64_t>(e)));
  }
}

TEST(Bound, TheStructuredFormsAreExactOnIntegers) {
  for (const char *name : {"sel", "hst", "scan"}) {
    const Graph graph = fromZoo(name, {{"n", 300}}, DType::kI32);
    DataSet data = makeData(graph, {DataSpec::Kind::kUniform, 0, 4095});
    const auto results = evaluateWithBound(graph, data);
    ASSERT_TRUE(interpret(graph, data));
    for (const BoundedData &result : results) {
      for (std::size_t e = 0; e < result.value.size(); ++e) {
        ASSERT_EQ(result.bound[e], 0) << name;
        ASSERT_EQ(result.value[e],
                  data[static_cast<std::size_t>(result.tensor)].asDouble(static_cast<std::int64_t>(e)));
      }
    }
  }
}

TEST(Bound, WherePartialSumsMayOverflowNothingIsClaimed) {
  const Graph graph = parsed("s[0] += x[n]", {{"n", 100}}, DType::kF16);
  const auto result = evaluateWithBound(graph, makeData(graph, {DataSpec::Kind::kConst, 1000}))[0];
  EXPECT_TRUE(std::isinf(result.bound[0]));
}

TEST(Bound, AProductOfSomethingUnclaimedClaimsNothing) {
  const Graph graph = parsed("y[n] *= 65504 * x[n]", {{"n", 1}}, DType::kF16);
  const auto result = evaluateWithBound(graph, makeData(graph, {DataSpec::Kind::kConst, 2}))[0];
  EXPECT_TRUE(std::isinf(result.bound[0]));
}

TEST(Bound, ADecisionThatHangsOnRoundingCoversBothOutcomes) {
  const Graph graph = parsed("t[n] = x[n] * x[n]; y[n] = t[n] > 0.0625 ? 1 : -1", {{"n", 1}}, DType::kF32);
  const auto result = evaluateWithBound(graph, makeData(graph, {DataSpec::Kind::kConst, 0.25}))[0];
  EXPECT_GE(result.bound[0], 2);
}

}  // namespace
}  // namespace pimento::kernel
