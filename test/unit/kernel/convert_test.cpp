// Graphs in other element types.
#include "pimento/kernel/convert.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/kernel/builder.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"

namespace pimento::kernel {
namespace {

Graph parsed(const std::string &text, const Sizes &sizes, DType type) {
  Result<Graph> graph = parseNotation(text, sizes, type);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return std::move(*graph);
}

Graph withRoundedConstants(Graph graph) {
  for (Kernel &kernel : graph.kernels)
    for (Value &v : kernel.body)
      if (v.op == Op::kConstant && isFloat(v.type)) v.constant = decodeFloat(v.type, encodeFloat(v.type, v.constant));
  return graph;
}

TEST(Convert, EveryKernelOfTheZooBecomesTheOneOfTheOtherType) {
  int tried = 0;
  for (const ZooEntry &entry : zoo()) {
    if (!entry.isDefinedFor(DType::kF32) || !entry.isDefinedFor(DType::kF16)) continue;
    const Result<Graph> f32 = makeZooKernel(entry.name, {}, DType::kF32, "plain");
    const Result<Graph> f16 = makeZooKernel(entry.name, {}, DType::kF16, "plain");
    ASSERT_TRUE(f32.ok() && f16.ok()) << entry.name;
    const Converted to = converted(*f32, {{DType::kF32, DType::kF16}});
    EXPECT_EQ(print(to.graph), print(withRoundedConstants(*f16))) << entry.name;
    EXPECT_TRUE(verify(to.graph).ok()) << entry.name;
    ++tried;
  }
  EXPECT_GE(tried, 8);
}

TEST(Convert, IndicesAndOtherTypesStay) {
  const Graph graph = parsed("y[i] = f64(x[p[i]])", {{"i", 4}, {"x", 9}}, DType::kF32);
  const Converted to = converted(graph, {{DType::kF32, DType::kBF16}});
  EXPECT_TRUE(verify(to.graph).ok());
  EXPECT_EQ(to.graph.tensors[static_cast<std::size_t>(to.graph.tensorNamed("p"))].type, DType::kI32);
  EXPECT_EQ(to.graph.tensors[static_cast<std::size_t>(to.graph.tensorNamed("x"))].type, DType::kBF16);
  EXPECT_TRUE(uses(to.graph, DType::kF64));
  EXPECT_FALSE(uses(to.graph, DType::kF32));
}

TEST(Convert, RulesApplyAtOnce) {
  const Graph graph = parsed("y[i] = f32(f64(x[i]) * 3)", {{"i", 4}}, DType::kF32);
  const Converted swapped = converted(graph, {{DType::kF32, DType::kF64}, {DType::kF64, DType::kF32}});
  EXPECT_EQ(swapped.graph.tensors.front().type, DType::kF64);
  EXPECT_TRUE(uses(swapped.graph, DType::kF32));
  EXPECT_TRUE(verify(swapped.graph).ok());
}

TEST(Convert, CastsThatHaveBecomeIdentitiesAreGone) {
  const Graph graph = parsed("y[i] = f32(f64(x[i]) * 3)", {{"i", 4}}, DType::kF32);
  const Converted to = converted(graph, {{DType::kF32, DType::kF16}, {DType::kF64, DType::kF16}});
  EXPECT_TRUE(verify(to.graph).ok());
  for (const Value &v : to.graph.kernels.front().body) EXPECT_NE(v.op, Op::kCast);
}

TEST(Convert, ConstantsAreRoundedAndOnesThatOverflowWarn) {
  const Graph graph = parsed("y[i] = x[i] * 0.1 + 100000", {{"i", 4}}, DType::kF32);
  const Converted to = converted(graph, {{DType::kF32, DType::kF16}});
  ASSERT_EQ(to.warnings.size(), 1u);
  EXPECT_EQ(to.warnings.front().code, "convert-overflow");
  EXPECT_EQ(to.warnings.front().severity, Severity::kWarning);
  int seen = 0;
  for (const Value &v : to.graph.kernels.front().body) {
    if (v.op != Op::kConstant) continue;
    EXPECT_TRUE(v.constant == 0.0999755859375 || std::isinf(v.constant)) << v.constant;
    ++seen;
  }
  EXPECT_EQ(seen, 2);
  // The largest number of its type stands for infinity.
  EXPECT_TRUE(
      converted(parsed("y[i] = max(x[i], 0 - 340282346638528859811704183484516925440)", {{"i", 4}}, DType::kF32),
                {{DType::kF32, DType::kF16}})
          .warnings.empty());
}

TEST(Convert, DataAreRoundedToNearestEvenAndIntegersSaturate) {
  const Graph graph = parsed("y[i] = x[i]", {{"i", 4}}, DType::kF32);
  Converted to = converted(graph, {{DType::kF32, DType::kF16}});
  DataSet data(2);
  data[0] = TensorData(DType::kF32, {4});
  const double given[] = {2049, 2051, 1e6, -0.5};
  for (int i = 0; i < 4; ++i) data[0].setDouble(i, given[i]);
  const DataSet half = convertedData(to, data);
  EXPECT_EQ(half[0].asDouble(0), 2048);
  EXPECT_EQ(half[0].asDouble(1), 2052);
  EXPECT_TRUE(std::isinf(half[0].asDouble(2)));
  EXPECT_TRUE(half[1].bytes.empty());
  to.graph.tensors[0].type = DType::kI8;
  to.scales[0] = 20;
  const DataSet integers = convertedData(to, data);
  EXPECT_EQ(integers[0].asInteger(0), 102);
  EXPECT_EQ(integers[0].asInteger(2), 127);
  EXPECT_EQ(integers[0].asInteger(3), 0);
}

}  // namespace
}  // namespace pimento::kernel
