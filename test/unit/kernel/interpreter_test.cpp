#include "pimento/kernel/interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "pimento/kernel/builder.h"
#include "test/support/triangle_graph.h"
#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

/// o[n] = expression(x[n]) for the given values of x.
std::vector<double> mapped(const std::string &expression, DType type, const std::vector<double> &x) {
  const Graph graph = parsed("o[n] = " + expression, {{"n", static_cast<std::int64_t>(x.size())}}, type);
  DataSet data = makeData(graph, {});
  named(graph, data, "x") = vectorOf(type, x);
  EXPECT_TRUE(interpret(graph, data));
  std::vector<double> results;
  for (std::int64_t e = 0; e < named(graph, data, "o").elements(); ++e) {
    results.push_back(named(graph, data, "o").asDouble(e));
  }
  return results;
}

using Values = std::vector<double>;

TEST(Interpreter, IntegerDivisionByZeroIsZero) {
  EXPECT_EQ(mapped("7 / x[n]", DType::kI32, {0, 2, -2}), (Values{0, 3, -3}));
  EXPECT_EQ(mapped("7 % x[n]", DType::kI32, {0, 4, -4}), (Values{0, 3, 3}));
  EXPECT_EQ(mapped("x[n] / -1", DType::kI8, {-128, 5}), (Values{-128, -5}));
  EXPECT_EQ(mapped("x[n] % -1", DType::kI64, {-9.2233720368547758e18}), (Values{0}));
}

TEST(Interpreter, UnsignedDivisionComparisonAndMaximumAreUnsigned) {
  const double big = 0x1.8p63;
  EXPECT_EQ(mapped("x[n] / 2", DType::kU64, {big}), (Values{big / 2}));
  EXPECT_EQ(mapped("max(x[n], 1)", DType::kU64, {big, 0}), (Values{big, 1}));
  EXPECT_EQ(mapped("x[n] > 1 ? x[n] : 1", DType::kU64, {big, 0}), (Values{big, 1}));
  EXPECT_EQ(mapped("x[n] >> 1", DType::kU64, {big}), (Values{big / 2}));
}

TEST(Interpreter, IntegersWrapInTheirType) {
  EXPECT_EQ(mapped("x[n] + 1", DType::kI8, {127}), (Values{-128}));
  EXPECT_EQ(mapped("x[n] * x[n]", DType::kU8, {20}), (Values{144}));
  EXPECT_EQ(mapped("x[n] - 1", DType::kU16, {0}), (Values{65535}));
  EXPECT_EQ(mapped("-x[n]", DType::kI16, {-32768}), (Values{-32768}));
  EXPECT_EQ(mapped("abs(x[n])", DType::kI16, {-32768, -3, 3}), (Values{-32768, 3, 3}));
}

TEST(Interpreter, ShiftsByTheWidthOrMoreGiveZeroOrTheSign) {
  EXPECT_EQ(mapped("1 << x[n]", DType::kI32, {4, 31, 32, 100, -1}), (Values{16, -2147483648.0, 0, 0, 0}));
  EXPECT_EQ(mapped("-8 >> x[n]", DType::kI32, {1, 32, 100}), (Values{-4, -1, -1}));
  EXPECT_EQ(mapped("200 >> x[n]", DType::kU8, {1, 7, 8}), (Values{100, 1, 0}));
}

TEST(Interpreter, BitOperationsWorkOnTheBits) {
  EXPECT_EQ(mapped("x[n] & 12 | 1 ^ 3", DType::kI32, {10}), (Values{10}));
  EXPECT_EQ(mapped("x[n] ^ -1", DType::kI8, {5}), (Values{-6}));
}

TEST(Interpreter, ReluClearsWhateverHasItsSignBitSet) {
  for (const DType type : {DType::kF16, DType::kF32, DType::kF64, DType::kBF16, DType::kF8E4M3}) {
    const Values y = mapped("relu(x[n])", type, {-2, -0.0, 0.0, 3});
    EXPECT_EQ(y, (Values{0, 0, 0, 3}));
    EXPECT_FALSE(std::signbit(y[0]));
    EXPECT_FALSE(std::signbit(y[1]));
  }
  EXPECT_EQ(mapped("relu(x[n])", DType::kI32, {-2, 3}), (Values{0, 3}));
}

TEST(Interpreter, ReluOfANegativeNaNIsZeroAndOfAPositiveOneNaN) {
  const Graph graph = parsed("y[n] = relu(x[n])", {{"n", 2}}, DType::kF32);
  DataSet data = makeData(graph, {});
  const std::uint32_t bits[] = {0xffc00000u, 0x7fc00000u};
  std::memcpy(data[0].bytes.data(), bits, 8);
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(data[1].asDouble(0), 0);
  EXPECT_TRUE(std::isnan(data[1].asDouble(1)));
}

TEST(Interpreter, MinimumAndMaximumPreferNumbersToNaNAndOrderZeros) {
  const double nan = std::nan("");
  const Graph graph = parsed("a[n] = min(x[n], y[n]); b[n] = max(x[n], y[n])", {{"n", 4}}, DType::kF32);
  DataSet data = makeData(graph, {});
  named(graph, data, "x") = vectorOf(DType::kF32, {nan, 1, 0.0, nan});
  named(graph, data, "y") = vectorOf(DType::kF32, {1, nan, -0.0, nan});
  ASSERT_TRUE(interpret(graph, data));
  const TensorData &least = named(graph, data, "a"), &most = named(graph, data, "b");
  EXPECT_EQ(least.asDouble(0), 1);
  EXPECT_EQ(most.asDouble(1), 1);
  EXPECT_TRUE(std::signbit(least.asDouble(2)));
  EXPECT_FALSE(std::signbit(most.asDouble(2)));
  EXPECT_TRUE(std::isnan(least.asDouble(3)));
}

TEST(Interpreter, NaNMadeByArithmeticIsThePositiveQuietOne) {
  for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const Graph graph = parsed("y[n] = x[n] - x[n]; s[0] += x[n] - x[n]", {{"n", 1}}, type);
    DataSet data = makeData(graph, {});
    named(graph, data, "x").setDouble(0, std::numeric_limits<double>::infinity());
    ASSERT_TRUE(interpret(graph, data));
    TensorData quiet(type, {1});
    quiet.setDouble(0, std::nan(""));
    EXPECT_EQ(named(graph, data, "y").bytes, quiet.bytes) << name(type);
    EXPECT_EQ(named(graph, data, "s").bytes, quiet.bytes) << name(type);
  }
}

TEST(Interpreter, CastsRoundTruncateAndWrapOnce) {
  EXPECT_EQ(mapped("f32(i8(x[n]))", DType::kF32, {1.9, -1.9, 200, std::nan("")}), (Values{1, -1, -56, 0}));
  EXPECT_EQ(mapped("f16(f32(x[n]) + f32(x[n]))", DType::kF16, {1.5}), (Values{3}));
  // Bits that a detour through a rounded double would lose decide this tie.
  const std::int64_t justAboveTie = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  const Graph graph = parsed("y[n] = f32(bf16(x[n])) > 1152921504606846976.0", {{"n", 1}}, DType::kI64);
  DataSet data = makeData(graph, {});
  named(graph, data, "x").setInteger(0, justAboveTie);
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "y").asInteger(0), 1);
}

TEST(Interpreter, TranscendentalFunctionsOfSmallFormatsRoundOnce) {
  Values x;
  for (int i = -40; i <= 40; ++i) x.push_back(0.05 * i);
  for (const DType type : {DType::kF16, DType::kBF16, DType::kF32}) {
    const Values e = mapped("exp(x[n])", type, x), t = mapped("tanh(x[n])", type, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(e[i], rounded(type, std::exp(rounded(type, x[i]))));
      EXPECT_EQ(t[i], rounded(type, std::tanh(rounded(type, x[i]))));
    }
  }
  EXPECT_EQ(mapped("sqrt(log(exp(x[n]) * exp(x[n])))", DType::kF64, {0.5})[0],
            std::sqrt(std::log(std::exp(0.5) * std::exp(0.5))));
}

TEST(Interpreter, AnIndexIsAValueToo) {
  const Graph graph = parsed("y[i,j] = x[i,j] + 10 * i + j", {{"i", 3}, {"j", 300}}, DType::kI32);
  DataSet data = makeData(graph, {DataSpec::Kind::kZero});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "y").asInteger(2 * 300 + 299), 20 + 299);
  const Graph floating = parsed("y[i] = i * 0.5", {{"i", 5}}, DType::kF16);
  DataSet halves = makeData(floating, {});
  ASSERT_TRUE(interpret(floating, halves));
  EXPECT_EQ(named(floating, halves, "y").asDouble(3), 1.5);
}

TEST(Interpreter, GuardsLeaveOutPointsAndTheirLoads) {
  // A padded convolution: y[o] += x[o + k - 1] * w[k] where the element exists.
  const std::int64_t n = 600;
  Graph graph;
  graph.tensors = {{"x", DType::kF32, {n}, Role::kInput},
                   {"w", DType::kF32, {3}, Role::kInput},
                   {"y", DType::kF32, {n}, Role::kOutput}};
  KernelBuilder b("conv", {{"k", 3, DimKind::kReduction}, {"o", n, DimKind::kParallel}});
  const Affine position{{1, 1}, -1};
  const int product =
      b.op(Op::kMul, DType::kF32, b.load(0, DType::kF32, {position}), b.load(1, DType::kF32, {b.index(0)}));
  b.store(2, {b.index(1)}, product, Combine::kAdd);
  b.guard(position);
  b.guard({{-1, -1}, n});
  graph.kernels.push_back(b.take());
  const Status status = verify(graph);
  ASSERT_TRUE(status) << status.diagnostics()[0].str();
  DataSet data = makeData(graph, {});
  ASSERT_TRUE(interpret(graph, data));
  const Array x(data[0]), w(data[1]);
  Array want(DType::kF32, n);
  for (std::int64_t k = 0; k < 3; ++k) {
    for (std::int64_t o = 0; o < n; ++o) {
      const std::int64_t p = o + k - 1;
      if (p >= 0 && p < n) want[o] = plus(DType::kF32, want[o], times(DType::kF32, x[p], w[k]));
    }
  }
  expectSame(data[2], want, "padded convolution");
}

TEST(Interpreter, ResultsWithoutPointsAreNotTouchedInAnyOrder) {
  constexpr std::int64_t kSize = 40;
  const Order order{
      {{{0}, {kSize + 1}, {DType::kF32, {}, {{DType::kF32, {{0, 1, 17}}, {}}, {DType::kF32, {{17, 1, 23}}, {}}}}}}};
  // Guards leave out all of i = 0, whose element lies before the first, or in another row.
  for (const bool isInRow : {false, true}) {
    const Graph graph = test::triangleGraph(kSize, DType::kF32, Combine::kAdd, Role::kInOut, isInRow);
    ASSERT_TRUE(verify(graph));
    for (const bool isOrdered : {false, true}) {
      DataSet data = makeData(graph, {DataSpec::Kind::kOne});
      const std::int64_t rest = isInRow ? kSize : 0;
      for (std::int64_t e = 0; e < rest; ++e) data[1].setDouble(e, -0.0);
      ASSERT_TRUE(interpret(graph, data, isOrdered ? std::vector{order} : std::vector<Order>{}));
      for (std::int64_t e = 0; e < rest; ++e) EXPECT_TRUE(std::signbit(data[1].asDouble(e))) << e;
      for (std::int64_t e = 0; e < kSize; ++e) EXPECT_EQ(data[1].asDouble(rest + e), static_cast<double>(e + 2));
    }
  }
}

TEST(Interpreter, ASequentialStatementSeesItsOwnResults) {
  const Graph graph = parsed("y[i+1] = y[i] * 2 + x[i]", {{"i", 20}}, DType::kI64);
  EXPECT_EQ(graph.kernels[0].dims[0].kind, DimKind::kSequential);
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "y").asInteger(20), (std::int64_t{1} << 21) - 1);
}

TEST(Interpreter, AnUpdateInPlaceReadsEachElementBeforeItIsWritten) {
  const Graph graph = parsed("y[i] = 2 * y[i] + x[i]", {{"i", 1000}}, DType::kI32);
  DataSet data = makeData(graph, {});
  const Array x(named(graph, data, "x")), y(named(graph, data, "y"));
  ASSERT_TRUE(interpret(graph, data));
  Array want(DType::kI32, 1000);
  for (std::int64_t e = 0; e < 1000; ++e) want[e].i = 2 * y[e].i + x[e].i;
  expectSame(named(graph, data, "y"), want, "in place");
}

TEST(Interpreter, AccumulationsStartFromTheirIdentity) {
  const Graph graph = parsed("a[i] min= x[i,j]; b[i] max= x[i,j]; c[i] *= x[i,j]", {{"i", 3}, {"j", 300}}, DType::kI8);
  DataSet data = makeData(graph, {DataSpec::Kind::kUniform, 1, 100});
  ASSERT_TRUE(interpret(graph, data));
  const Array x(named(graph, data, "x"));
  for (std::int64_t i = 0; i < 3; ++i) {
    std::int64_t least = 127, most = -128, product = 1;
    for (std::int64_t j = 0; j < 300; ++j) {
      least = std::min(least, x[i * 300 + j].i);
      most = std::max(most, x[i * 300 + j].i);
      product = wrapInteger(DType::kI8, product * x[i * 300 + j].i);
    }
    EXPECT_EQ(named(graph, data, "a").asInteger(i), least);
    EXPECT_EQ(named(graph, data, "b").asInteger(i), most);
    EXPECT_EQ(named(graph, data, "c").asInteger(i), product);
  }
}

TEST(Interpreter, AStoredValueIsRoundedToTheTensorsTypeBeforeItIsAccumulated) {
  // 1 + 2^-11 is a tie in f16: rounded away term by term, kept if terms stayed wide.
  const Graph graph = parsed("s[0] += f32(x[n]) * 1.00048828125", {{"n", 4}}, DType::kF16);
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "s").asDouble(0), 4);
}

TEST(Interpreter, AnIndirectIndexOutsideItsTensorIsADiagnostic) {
  const Graph graph = fromZoo("hst", {{"n", 10}}, DType::kI32);
  DataSet data = makeData(graph, {DataSpec::Kind::kConst, 4096});
  const Status status = interpret(graph, data);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.diagnostics()[0].code, "index-out-of-range");
  EXPECT_NE(status.diagnostics()[0].message.find("index 1 of 'h' is 256"), std::string::npos);
  EXPECT_NE(status.diagnostics()[0].hint.find("0..255"), std::string::npos);
  DataSet negative = makeData(graph, {DataSpec::Kind::kConst, -1});
  EXPECT_FALSE(interpret(graph, negative));
}

TEST(Interpreter, ASelectionOfNothingLeavesZeros) {
  const Graph graph = fromZoo("sel", {{"n", 300}}, DType::kI32);
  DataSet data = makeData(graph, {DataSpec::Kind::kOne});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "count").asInteger(0), 0);
  EXPECT_EQ(named(graph, data, "y").asInteger(0), 0);
}

TEST(Interpreter, AScalarKernelIsASinglePoint) {
  const Graph graph = parsed("z = x * y + 1", {}, DType::kF32);
  DataSet data = makeData(graph, {DataSpec::Kind::kConst, 3});
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "z").asDouble(0), 10);
}

TEST(Interpreter, RunningTwiceGivesTheSameBytes) {
  const Graph graph = fromZoo("gemvrelu", {{"m", 50}, {"n", 70}}, DType::kF16);
  DataSet data = makeData(graph, {});
  ASSERT_TRUE(interpret(graph, data));
  const auto first = named(graph, data, "z").bytes;
  ASSERT_TRUE(interpret(graph, data));
  EXPECT_EQ(named(graph, data, "z").bytes, first);
}

}  // namespace
}  // namespace pimento::kernel
