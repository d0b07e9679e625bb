#include "pimento/evaluate/numeric_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pimento/kernel/notation.h"

namespace pimento::evaluate {
namespace {

TEST(NumericError, IsThatOfItsDefinitions) {
  const auto graph = kernel::parseNotation("y[i,j] = x[i,j]", {{"i", 2}, {"j", 3}}, DType::kF32);
  ASSERT_TRUE(graph.ok());
  const kernel::Converted to = kernel::converted(*graph, {{DType::kF32, DType::kF16}});
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double was[] = {1, -8, 0, 100000, nan, inf}, is[] = {1.25, -8.5, 0.125, inf, nan, inf};
  kernel::DataSet original(2), results(2);
  const auto y = static_cast<std::size_t>(graph->tensorNamed("y"));
  original[y] = kernel::TensorData(DType::kF32, {2, 3});
  results[y] = kernel::TensorData(DType::kF16, {2, 3});
  for (int e = 0; e < 6; ++e) {
    original[y].setDouble(e, was[e]);
    results[y].setDouble(e, is[e]);
  }
  const std::vector<NumericError> errors = numericErrors(*graph, original, to, results);
  ASSERT_EQ(errors.size(), 1u) << "inputs have no error";
  const NumericError &e = errors.front();
  EXPECT_EQ(e.tensor, "y");
  EXPECT_EQ(e.elements, 6);
  EXPECT_EQ(e.largest, 0.5);
  EXPECT_EQ(e.where, "y[0, 1]");
  EXPECT_EQ(e.largestRelative, 0.25);
  EXPECT_EQ(e.relativeWhere, "y[0, 0]");
  EXPECT_EQ(e.magnitude, 8);
  EXPECT_EQ(e.lost, 1) << "100000 is infinite in f16";
  EXPECT_EQ(e.lostWhere, "y[1, 0]");
  EXPECT_DOUBLE_EQ(e.mean, (0.25 + 0.5 + 0.125) / 5);
}

TEST(NumericError, OfSeveralTensorsTheLargestCountsAndMeansAreWeighted) {
  Conversion c;
  c.errors = {{"a", 10, 1, "a[0]", 0.5, "a[1]", 0.1, 7, 0, ""}, {"b", 30, 2, "b[0]", 0.25, "b[1]", 0.5, 3, 0, ""}};
  const NumericError all = c.overall();
  EXPECT_EQ(all.elements, 40);
  EXPECT_EQ(all.where, "b[0]");
  EXPECT_EQ(all.relativeWhere, "a[1]");
  EXPECT_DOUBLE_EQ(all.mean, 0.4);
  EXPECT_EQ(all.magnitude, 7);
}

}  // namespace
}  // namespace pimento::evaluate
