// Graphs in 8-bit integers with scales.
#include "pimento/kernel/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"

namespace pimento::kernel {
namespace {

Graph parsed(const std::string &text, const Sizes &sizes) {
  Result<Graph> graph = parseNotation(text, sizes, DType::kF32);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return std::move(*graph);
}

/// A graph, its quantised form, and the results of both on random data, in the original's numbers.
struct Trial {
  Graph graph;
  DataSet operands, results, integers;
  Converted to;

  Trial(const std::string &text, const Sizes &sizes, const GivenScales &given = {}) : graph(parsed(text, sizes)) {
    operands = makeData(graph, {});
    results = operands;
    EXPECT_TRUE(interpret(graph, results).ok());
    Result<Converted> quantised = quantized(graph, DType::kF32, given, {&operands, &results});
    EXPECT_TRUE(quantised.ok()) << quantised.diagnostics().front().str();
    to = std::move(*quantised);
    const Status legal = verify(to.graph);
    EXPECT_TRUE(legal.ok()) << legal.diagnostics().front().str() << print(to.graph);
    integers = convertedData(to, operands);
    EXPECT_TRUE(interpret(to.graph, integers).ok());
  }

  std::size_t at(const std::string &tensor) const { return static_cast<std::size_t>(graph.tensorNamed(tensor)); }
  DType type(const std::string &tensor) const { return to.graph.tensors[at(tensor)].type; }
  double scale(const std::string &tensor) const { return to.scales[at(tensor)]; }

  /// Largest error of a tensor as a part of its largest magnitude.
  double error(const std::string &tensor) const {
    double most = 0, worst = 0;
    for (std::int64_t e = 0; e < results[at(tensor)].elements(); ++e) {
      const double was = results[at(tensor)].asDouble(e);
      most = std::max(most, std::abs(was));
      worst = std::max(worst, std::abs(integers[at(tensor)].asDouble(e) * scale(tensor) - was));
    }
    return worst / most;
  }
};

TEST(Quantize, ASumOfProductsIsExactInIntegersAndItsScaleFollows) {
  const Trial t("y[i] += A[i,j] * x[j]", {{"i", 5}, {"j", 300}});
  EXPECT_EQ(t.type("A"), DType::kI8);
  EXPECT_EQ(t.type("y"), DType::kI32);
  EXPECT_DOUBLE_EQ(t.scale("y"), t.scale("A") * t.scale("x"));
  for (std::int64_t i = 0; i < 5; ++i) {
    std::int64_t sum = 0;
    for (std::int64_t j = 0; j < 300; ++j)
      sum += t.integers[t.at("A")].asInteger(300 * i + j) * t.integers[t.at("x")].asInteger(j);
    EXPECT_EQ(t.integers[t.at("y")].asInteger(i), sum);
  }
  EXPECT_LT(t.error("y"), 0.02);
}

TEST(Quantize, ErrorsOfHomogeneousKernelsAreSmall) {
  const Sizes i = {{"i", 20}}, ij = {{"i", 20}, {"j", 60}}, ijk = {{"i", 20}, {"j", 60}, {"k", 30}};
  const std::vector<std::pair<const char *, Sizes>> kernels = {
      {"y[i] += A[i,j] * x[j]; z[i] = relu(y[i] + b[i])", ij},
      {"h[j] += A[j,k] * x[k]; r[j] = relu(h[j] + b[j]); z[i] += B[i,j] * r[j]", ijk},
      {"z[i] = max(x[i], y[i]) - 3 * w[i] / 7 + 0.25", i},
      {"z[i] = x[i] > y[i] ? x[i] * 2 : 0 - abs(y[i])", i},
      {"s[i] += x[i,j] * x[i,j]; z[i] = s[i] / 60", ij},
      {"m[i] max= x[i,j]; z[i,j] = x[i,j] - m[i]", ij},
      {"t[i] = x[i] * y[i]; z[i] = t[i] * w[i]", i},
      {"z[i] = x[p[i]] + y[i]", {{"i", 20}, {"x", 9}}},
  };
  for (const auto &[text, sizes] : kernels) {
    SCOPED_TRACE(text);
    EXPECT_LT(Trial(text, sizes).error("z"), 0.04);
  }
}

TEST(Quantize, OperandsOfASumAreBroughtToTheFinerScaleAndRounded) {
  const Trial t("z[i] = x[i] + y[i]", {{"i", 200}}, {{}, {{"x", 0.01}, {"y", 0.03}}});
  EXPECT_DOUBLE_EQ(t.scale("z"), 0.01);
  for (std::int64_t i = 0; i < 200; ++i)
    EXPECT_EQ(t.integers[t.at("z")].asInteger(i),
              t.integers[t.at("x")].asInteger(i) + 3 * t.integers[t.at("y")].asInteger(i));
}

TEST(Quantize, WhatIsCopiedKeepsItsTypeAndScale) {
  const Trial t("t[i] = relu(x[i]); z[i] max= t[2*i+a]", {{"i", 9}, {"a", 2}});
  for (const char *tensor : {"x", "t", "z"}) {
    EXPECT_EQ(t.type(tensor), DType::kI8) << tensor;
    EXPECT_EQ(t.scale(tensor), t.scale("x")) << tensor;
  }
}

TEST(Quantize, AConstantBesideCopiesIsNotCutOff) {
  // The border of a padded tensor is larger than what it holds.
  const Trial t("t[i] = q[i] > 0 ? x[i] : 50; z[i] += A[i,j] * t[j]", {{"i", 12}, {"j", 12}});
  EXPECT_LT(t.error("z"), 0.05);
}

TEST(Quantize, ScalesThatAreGivenAreTakenAndLargerElementsSaturate) {
  const Trial t("y[i] += A[i,j] * x[j]", {{"i", 4}, {"j", 30}}, {0.001, {{"x", 0.5}}});
  EXPECT_EQ(t.scale("A"), 0.001);
  EXPECT_EQ(t.scale("x"), 0.5);
  for (std::int64_t e = 0; e < 120; ++e) {
    EXPECT_LE(std::abs(t.integers[t.at("A")].asInteger(e)), 128);
  }
}

TEST(Quantize, WhatMayExceed32BitsOrIsNotHomogeneousIsRefused) {
  const auto code = [](const std::string &text, const Sizes &sizes) {
    const Graph graph = parsed(text, sizes);
    const Result<Converted> q = quantized(graph, DType::kF32, {0.01, {}}, {});
    return q ? "" : q.diagnostics().front().code;
  };
  EXPECT_EQ(code("y[] += x[i] * z[i]", {{"i", 133'000}}), "");
  EXPECT_EQ(code("y[] += x[i] * z[i]", {{"i", 134'000}}), "convert-range");
  EXPECT_EQ(code("y[i] = x[i] * x[i] * x[i] * x[i] * x[i]", {{"i", 4}}), "convert-range");
  for (const char *text : {"y[i] = exp(x[i])", "y[i] = x[i] / z[i]", "y[i] = sqrt(x[i])", "y[i] = f64(x[i])",
                           "y[] *= x[i]", "for t in 0..4 { y[i] = x[i] + x[i]; swap x, y }"})
    EXPECT_EQ(code(text, {{"i", 4}}), "convert-quantize") << text;
}

}  // namespace
}  // namespace pimento::kernel
