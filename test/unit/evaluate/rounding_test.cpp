// Any order of sums and products lies within the bound, a wrong term does not.
#include "pimento/evaluate/rounding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "test/support/cases.h"

namespace pimento::evaluate {
namespace {

kernel::Graph parsed(const std::string &text, DType type) {
  auto graph = kernel::parseNotation(text, {{"i", 8}, {"j", 40}}, type);
  EXPECT_TRUE(graph) << text;
  return *graph;
}

TEST(RoundingBound, HoldsForSumsInAnyOrderAndNotForOneThatLacksATerm) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    const kernel::Graph graph = parsed("y[i] += a[i,j] * b[j] - c[j]", type);
    ASSERT_TRUE(hasRoundingBound(graph.kernels[0]));
    for (std::int64_t seed = test::caseCount(20); seed > 0; --seed) {
      kernel::DataSet before = kernel::makeData(graph, {.seed = static_cast<std::uint64_t>(seed)});
      before[static_cast<std::size_t>(graph.tensorNamed("y"))] = kernel::TensorData(type, {8});
      const auto bound = RoundingBound::of(graph, 0, before);
      ASSERT_TRUE(bound);
      const auto a = static_cast<std::size_t>(graph.tensorNamed("a")),
                 b = static_cast<std::size_t>(graph.tensorNamed("b")),
                 c = static_cast<std::size_t>(graph.tensorNamed("c")),
                 y = static_cast<std::size_t>(graph.tensorNamed("y"));
      // Backwards, products and differences apart.
      kernel::DataSet device = before;
      kernel::TensorData rounded(type, {1});
      const auto round = [&](double x) {
        rounded.setDouble(0, x);
        return rounded.asDouble(0);
      };
      for (std::int64_t i = 0; i < 8; ++i) {
        double products = 0, others = 0;
        for (std::int64_t j = 40; j-- > 0;) {
          products = round(products + round(before[a].asDouble(i * 40 + j) * before[b].asDouble(j)));
          others = round(others + before[c].asDouble(j));
        }
        device[y].setDouble(i, round(products - others));
      }
      EXPECT_EQ(bound->firstBeyond(y, device[y]), std::nullopt) << bound->valueText(y, 0);
      if (type == DType::kBF16) continue;  // a term is within 40 roundings
      double most = 0;
      std::int64_t at = 0;
      for (std::int64_t j = 0; j < 40; ++j)
        if (std::abs(before[c].asDouble(j)) > most) most = std::abs(before[c].asDouble(at = j));
      device[y].setDouble(3, device[y].asDouble(3) + before[c].asDouble(at));
      EXPECT_EQ(bound->firstBeyond(y, device[y]), std::optional<std::int64_t>(3));
    }
  }
}

TEST(RoundingBound, IsOfSumsAndProductsOfOneTypeAlone) {
  EXPECT_FALSE(hasRoundingBound(parsed("y[i,j] = a[i,j] / b[j]", DType::kF32).kernels[0]));
  EXPECT_FALSE(hasRoundingBound(parsed("y[i,j] = max(a[i,j], b[j])", DType::kF32).kernels[0]));
  EXPECT_FALSE(hasRoundingBound(parsed("y[i,j] = a[i,j] + b[j]", DType::kI32).kernels[0])) << "nothing rounds";
  EXPECT_TRUE(hasRoundingBound(parsed("y[i,j] = 2 * a[i,j] + b[j]", DType::kF32).kernels[0]));
}

}  // namespace
}  // namespace pimento::evaluate
