#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

TEST(TensorData, ElementsKeepWhatTheirTypeCanHold) {
  TensorData half(DType::kF16, {2, 3});
  EXPECT_EQ(half.elements(), 6);
  EXPECT_EQ(half.bytes.size(), 12u);
  half.setDouble(5, 0.1);
  EXPECT_EQ(half.asDouble(5), rounded(DType::kF16, 0.1));
  half.setInteger(0, 2049);
  EXPECT_EQ(half.asDouble(0), 2048);
  EXPECT_EQ(half.asInteger(0), 2048);
}

TEST(TensorData, IntegersTruncateAndWrap) {
  TensorData byte(DType::kI8, {1});
  byte.setDouble(0, -2.9);
  EXPECT_EQ(byte.asInteger(0), -2);
  byte.setDouble(0, 130.0);
  EXPECT_EQ(byte.asInteger(0), -126);
  byte.setDouble(0, std::nan(""));
  EXPECT_EQ(byte.asInteger(0), 0);
  TensorData wide(DType::kU64, {1});
  wide.setInteger(0, -1);
  EXPECT_EQ(wide.asDouble(0), 0x1p64);
  wide.setDouble(0, 0x1p63);
  EXPECT_EQ(wide.asDouble(0), 0x1p63);
}

TEST(MakeData, DependsOnSeedAndTensorNameOnly) {
  const Graph one = parsed("z[n] = x[n] + y[n]", {{"n", 100}}), two = parsed("w[n] = x[n]", {{"n", 10}});
  const DataSet a = makeData(one, {}), b = makeData(two, {}), c = makeData(one, {DataSpec::Kind::kRandom, 0, 0, 2});
  const std::vector<std::byte> prefix(a[0].bytes.begin(), a[0].bytes.begin() + 40);
  EXPECT_EQ(prefix, b[0].bytes);
  EXPECT_NE(a[0].bytes, a[1].bytes);
  EXPECT_NE(a[0].bytes, c[0].bytes);
}

TEST(MakeData, RandomNumbersKeepToTheirRanges) {
  for (const DType type : allDTypes()) {
    const Graph graph = parsed("y[n] = x[n]", {{"n", 4000}}, type);
    const DataSet data = makeData(graph, {});
    const bool isByte = sizeOf(type).value == 1;
    const double low = isFloat(type) ? -1 : !isSigned(type) ? 0 : isByte ? -128 : -32768;
    const double high = isFloat(type) ? 1 : (isSigned(type) ? -low - 1 : isByte ? 255 : 65535);
    double least = 1e9, most = -1e9;
    for (std::int64_t e = 0; e < 4000; ++e) {
      least = std::min(least, data[0].asDouble(e));
      most = std::max(most, data[0].asDouble(e));
    }
    EXPECT_GE(least, low) << name(type);
    EXPECT_LE(most, high) << name(type);
    EXPECT_LT(least, low + (high - low) / 50) << name(type);
    EXPECT_GT(most, high - (high - low) / 50) << name(type);
  }
}

TEST(MakeData, ConstantsAndUniformRangesAreAsAsked) {
  const Graph graph = parsed("y[n] = x[n]", {{"n", 1000}}, DType::kI32);
  EXPECT_EQ(makeData(graph, {DataSpec::Kind::kZero})[0].asInteger(7), 0);
  EXPECT_EQ(makeData(graph, {DataSpec::Kind::kOne})[0].asInteger(7), 1);
  EXPECT_EQ(makeData(graph, {DataSpec::Kind::kConst, 42})[0].asInteger(7), 42);
  const DataSet data = makeData(graph, {DataSpec::Kind::kUniform, 3, 6});
  std::set<std::int64_t> seen;
  for (std::int64_t e = 0; e < 1000; ++e) seen.insert(data[0].asInteger(e));
  EXPECT_EQ(seen, (std::set<std::int64_t>{3, 4, 5, 6}));
}

TEST(MakeData, OutputsAreLeftToTheInterpreter) {
  const Graph graph = parsed("y[n] = x[n]", {{"n", 10}});
  DataSet data = makeData(graph, {});
  EXPECT_TRUE(data[1].bytes.empty());
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(data[1].bytes, data[0].bytes);
}

}  // namespace
}  // namespace pimento::kernel
