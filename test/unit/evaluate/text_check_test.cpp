// Answers against those of a text: equal, within the bound, or the reading is wrong. Wrong readings are graphs that
// compute something else than the text does, as a front end with a mistake would make them.
#include "pimento/evaluate/text_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"

namespace pimento::evaluate {
namespace {

kernel::Graph graphOf(const std::string &notation, const kernel::Sizes &sizes, DType type = DType::kF32) {
  Result<kernel::Graph> graph = kernel::parseNotation(notation, sizes, type);
  EXPECT_TRUE(graph.ok());
  return std::move(*graph);
}

kernel::DataSet evaluated(const kernel::Graph &graph, const kernel::DataSet &inputs,
                          const std::vector<kernel::Order> &orders = {}) {
  kernel::DataSet data = inputs;
  EXPECT_TRUE(kernel::interpret(graph, data, orders).ok());
  return data;
}

/// Sums terms of even and of odd numbers apart.
kernel::Order inHalves(std::int64_t rows, std::int64_t terms) {
  const kernel::Accumulation even{DType::kF32, {{0, 2, (terms + 1) / 2}}, {}},
      odd{DType::kF32, {{1, 2, terms / 2}}, {}};
  return {{{{0}, {rows}, {DType::kF32, {}, {even, odd}}}}};
}

TEST(TextCheck, EqualBitsSettleIt) {
  const kernel::Graph graph = graphOf("y[i] += A[i,j] * x[j]", {{"i", 9}, {"j", 33}});
  const kernel::DataSet inputs = kernel::makeData(graph, {}), answer = evaluated(graph, inputs);
  const auto found = compareWithText(graph, inputs, answer, {"C", &answer});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->isBitForBit);
  EXPECT_EQ(found->open, 0);
}

TEST(TextCheck, AnotherOrderIsWithinTheBound) {
  const kernel::Graph graph = graphOf("y[i] += A[i,j] * x[j]", {{"i", 9}, {"j", 33}});
  const kernel::DataSet inputs = kernel::makeData(graph, {}), text = evaluated(graph, inputs),
                        answer = evaluated(graph, inputs, {inHalves(9, 33)});
  const auto found = compareWithText(graph, inputs, answer, {"C", &text});
  ASSERT_TRUE(found.ok()) << found.diagnostics().front().str();
  EXPECT_FALSE(found->isBitForBit);
}

TEST(TextCheck, AWrongReadingNamesTheFirstElementAndBothValues) {
  // The text: y[i] = x[i] - 1, where its reading says + 1.
  const kernel::Graph wrong = graphOf("y[i,j] = x[i,j] + 1", {{"i", 3}, {"j", 4}}, DType::kI32),
                      right = graphOf("y[i,j] = x[i,j] - 1", {{"i", 3}, {"j", 4}}, DType::kI32);
  kernel::DataSpec five{kernel::DataSpec::Kind::kConst, 5};
  const kernel::DataSet inputs = kernel::makeData(wrong, five), answer = evaluated(wrong, inputs);
  kernel::DataSet text = answer;
  const auto y = static_cast<std::size_t>(wrong.tensorNamed("y"));
  text[y].setInteger(6, evaluated(right, inputs)[y].asInteger(6));
  const auto found = compareWithText(wrong, inputs, answer, {"C", &text});
  ASSERT_FALSE(found.ok());
  const Diagnostic &d = found.diagnostics().front();
  EXPECT_EQ(d.code, "wrong-reading");
  EXPECT_EQ(d.kind, DiagnosticKind::kOurs);
  EXPECT_EQ(d.message, "y[1, 2] is 4 in the source run as C, but 6 in the imported kernel");
}

TEST(TextCheck, ATermThatIsMissingShowsThoughItIsWithinTheBound) {
  // 2^20 terms of which one is small: a bound on any order covers it, bits in the text's order do not.
  const kernel::Graph graph = graphOf("y[i] += x[i,j]", {{"i", 1}, {"j", 4096}});
  const kernel::DataSet inputs = kernel::makeData(graph, {}), answer = evaluated(graph, inputs, {inHalves(1, 4096)});
  const auto y = static_cast<std::size_t>(graph.tensorNamed("y")), x = static_cast<std::size_t>(graph.tensorNamed("x"));
  kernel::DataSet shorter = inputs;
  shorter[x].setDouble(17, inputs[x].asDouble(17) + 1e-5);
  const kernel::DataSet text = evaluated(graph, shorter);
  const auto bounds = kernel::evaluateWithBound(graph, inputs);
  ASSERT_LT(std::abs(text[y].asDouble(0) - bounds[0].value[0]), bounds[0].bound[0]);
  ASSERT_NE(text[y].bytes, evaluated(graph, inputs)[y].bytes);
  EXPECT_FALSE(compareWithText(graph, inputs, answer, {"C", &text, true}).ok());
  EXPECT_TRUE(compareWithText(graph, inputs, answer, {"MLIR", &text, false}).ok());
}

TEST(TextCheck, WithoutBitsTheBoundDecides) {
  const kernel::Graph graph = graphOf("y[i] += A[i,j] * x[j]", {{"i", 2}, {"j", 33}});
  const kernel::DataSet inputs = kernel::makeData(graph, {}), answer = evaluated(graph, inputs);
  kernel::DataSet text = answer;
  const auto y = static_cast<std::size_t>(graph.tensorNamed("y"));
  text[y].setDouble(1, answer[y].asDouble(1) + 1e-3);
  const auto found = compareWithText(graph, inputs, answer, {"MLIR", &text, false});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.diagnostics().front().code, "wrong-reading");
}

TEST(TextCheck, AnAnswerOutsideTheBoundIsWrongThoughTheReadingIsRight) {
  const kernel::Graph graph = graphOf("y[i] += A[i,j] * x[j]", {{"i", 2}, {"j", 33}});
  const kernel::DataSet inputs = kernel::makeData(graph, {}), text = evaluated(graph, inputs);
  kernel::DataSet answer = text;
  const auto y = static_cast<std::size_t>(graph.tensorNamed("y"));
  answer[y].setDouble(0, text[y].asDouble(0) + 1);
  const auto found = compareWithText(graph, inputs, answer, {"C", &text});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.diagnostics().front().code, "wrong-answer");
  EXPECT_NE(found.diagnostics().front().message.find("y[0] is"), std::string::npos);
}

TEST(TextCheck, SignsOfZerosAreNoMistake) {
  const kernel::Graph graph = graphOf("y[i] = x[i] * 0", {{"i", 4}});
  const kernel::DataSet inputs = kernel::makeData(graph, {}), answer = evaluated(graph, inputs);
  kernel::DataSet text = answer;
  const auto y = static_cast<std::size_t>(graph.tensorNamed("y"));
  for (std::int64_t e = 0; e < 4; ++e) text[y].setDouble(e, -answer[y].asDouble(e));
  const auto found = compareWithText(graph, inputs, answer, {"C", &text});
  ASSERT_TRUE(found.ok()) << found.diagnostics().front().str();
  EXPECT_FALSE(found->isBitForBit);
}

TEST(TextCheck, ElementsWithoutABoundAreCountedWhereBitsAreNotPromised) {
  const kernel::Graph graph = graphOf("y[i] = x[i] * 60000 * 60000", {{"i", 3}}, DType::kF16);
  kernel::DataSpec one{kernel::DataSpec::Kind::kOne};
  const kernel::DataSet inputs = kernel::makeData(graph, one), answer = evaluated(graph, inputs);
  kernel::DataSet text = answer;
  const auto y = static_cast<std::size_t>(graph.tensorNamed("y"));
  text[y].setDouble(1, 7);
  const auto found = compareWithText(graph, inputs, answer, {"MLIR", &text, false});
  ASSERT_TRUE(found.ok()) << found.diagnostics().front().str();
  EXPECT_EQ(found->open, 1);
  EXPECT_EQ(found->openTensor, "y");
  EXPECT_FALSE(compareWithText(graph, inputs, answer, {"C", &text, true}).ok());
}

}  // namespace
}  // namespace pimento::evaluate
