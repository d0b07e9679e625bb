// Each named structured op against plain loops on the same data, bit for bit.
#include <algorithm>
#include <cmath>
#include <functional>

#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

/// `op` between a zeroed output %c and inputs %a, %b of the given memref types.
std::string onZero(const std::string &op, const std::string &a, const std::string &b, const std::string &c) {
  return "func.func @f(%a: memref<" + a + ">, %b: memref<" + b + ">, %c: memref<" + c +
         ">) {\n %z = arith.constant 0.0 : f32\n linalg.fill ins(%z : f32) outs(%c : memref<" + c + ">)\n linalg." +
         op + " ins(%a, %b : memref<" + a + ">, memref<" + b + ">) outs(%c : memref<" + c + ">)\n return\n}\n";
}

std::string onePass(const std::string &op, int inputs) {
  const std::string type = "memref<3x5xf32>";
  const std::string ins = inputs == 2 ? "%a, %b : " + type + ", " + type : "%a : " + type;
  return "func.func @f(%a: " + type + ", %b: " + type + ", %c: " + type + ") {\n linalg." + op + " ins(" + ins +
         ") outs(%c : " + type + ")\n return\n}\n";
}

struct Contraction {
  const char *op, *a, *b, *c;
  int batch, m, n, k;
  /// Element numbers of the operands at (batch, row, column, k).
  std::function<int(int, int, int, int)> atA, atB;
};

class Contractions : public testing::TestWithParam<Contraction> {};

TEST_P(Contractions, SumInTheOrderOfTheLoops) {
  const Contraction &p = GetParam();
  const Executed run(onZero(p.op, p.a, p.b, p.c));
  ASSERT_EQ(run.graph.kernels.size(), 1u);
  EXPECT_EQ(run.roleOf("c"), kernel::Role::kOutput) << "the fill folds into the accumulation";
  const auto a = run.in("a"), b = run.in("b"), c = run.out("c");
  ASSERT_EQ(c.size(), static_cast<std::size_t>(p.batch * p.m * p.n));
  for (int g = 0; g < p.batch; ++g) {
    for (int i = 0; i < p.m; ++i) {
      for (int j = 0; j < p.n; ++j) {
        float sum = 0;
        for (int k = 0; k < p.k; ++k) {
          sum += static_cast<float>(a[static_cast<std::size_t>(p.atA(g, i, j, k))]) *
                 static_cast<float>(b[static_cast<std::size_t>(p.atB(g, i, j, k))]);
        }
        EXPECT_EQ(c[static_cast<std::size_t>((g * p.m + i) * p.n + j)], sum) << p.op << " at " << i << ", " << j;
      }
    }
  }
}

const Contraction kContractions[] = {
    {"matvec", "4x6xf32", "6xf32", "4xf32", 1, 4, 1, 6, [](int, int i, int, int k) { return i * 6 + k; },
     [](int, int, int, int k) { return k; }},
    {"vecmat", "6xf32", "6x4xf32", "4xf32", 1, 1, 4, 6, [](int, int, int, int k) { return k; },
     [](int, int, int j, int k) { return k * 4 + j; }},
    {"dot", "7xf32", "7xf32", "f32", 1, 1, 1, 7, [](int, int, int, int k) { return k; },
     [](int, int, int, int k) { return k; }},
    {"matmul", "3x5xf32", "5x4xf32", "3x4xf32", 1, 3, 4, 5, [](int, int i, int, int k) { return i * 5 + k; },
     [](int, int, int j, int k) { return k * 4 + j; }},
    {"matmul_transpose_a", "5x3xf32", "5x4xf32", "3x4xf32", 1, 3, 4, 5,
     [](int, int i, int, int k) { return k * 3 + i; }, [](int, int, int j, int k) { return k * 4 + j; }},
    {"matmul_transpose_b", "3x5xf32", "4x5xf32", "3x4xf32", 1, 3, 4, 5,
     [](int, int i, int, int k) { return i * 5 + k; }, [](int, int, int j, int k) { return j * 5 + k; }},
    {"batch_matvec", "2x4x6xf32", "2x6xf32", "2x4xf32", 2, 4, 1, 6,
     [](int g, int i, int, int k) { return (g * 4 + i) * 6 + k; }, [](int g, int, int, int k) { return g * 6 + k; }},
    {"batch_vecmat", "2x6xf32", "2x6x4xf32", "2x4xf32", 2, 1, 4, 6, [](int g, int, int, int k) { return g * 6 + k; },
     [](int g, int, int j, int k) { return (g * 6 + k) * 4 + j; }},
    {"batch_matmul", "2x3x5xf32", "2x5x4xf32", "2x3x4xf32", 2, 3, 4, 5,
     [](int g, int i, int, int k) { return (g * 3 + i) * 5 + k; },
     [](int g, int, int j, int k) { return (g * 5 + k) * 4 + j; }},
};
INSTANTIATE_TEST_SUITE_P(Linalg, Contractions, testing::ValuesIn(kContractions),
                         [](const auto &info) { return std::string(info.param.op); });

struct Elementwise {
  const char *op;
  int inputs;
  float (*value)(float, float);
};

class Elementwises : public testing::TestWithParam<Elementwise> {};

TEST_P(Elementwises, MapEachElement) {
  const Elementwise &p = GetParam();
  const Executed run(onePass(p.op, p.inputs));
  ASSERT_EQ(run.graph.kernels.size(), 1u);
  EXPECT_EQ(run.roleOf("c"), kernel::Role::kOutput);
  const auto a = run.in("a"), b = p.inputs == 2 ? run.in("b") : a, c = run.out("c");
  ASSERT_EQ(c.size(), 15u);
  for (std::size_t e = 0; e < c.size(); ++e) {
    const float wanted = p.value(static_cast<float>(a[e]), static_cast<float>(b[e]));
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(c[e]));
    } else {
      EXPECT_EQ(c[e], wanted) << p.op << " of " << a[e] << ", " << b[e];
    }
  }
}

float rounded(double x) {
  return static_cast<float>(x);
}

const Elementwise kElementwises[] = {
    {"add", 2, [](float a, float b) { return a + b; }},
    {"sub", 2, [](float a, float b) { return a - b; }},
    {"mul", 2, [](float a, float b) { return a * b; }},
    {"div", 2, [](float a, float b) { return a / b; }},
    {"max", 2, [](float a, float b) { return std::max(a, b); }},
    {"min", 2, [](float a, float b) { return std::min(a, b); }},
    {"exp", 1, [](float a, float) { return rounded(std::exp(double{a})); }},
    {"log", 1, [](float a, float) { return rounded(std::log(double{a})); }},
    {"abs", 1, [](float a, float) { return std::fabs(a); }},
    {"negf", 1, [](float a, float) { return -a; }},
    {"sqrt", 1, [](float a, float) { return std::sqrt(a); }},
    {"tanh", 1, [](float a, float) { return rounded(std::tanh(double{a})); }},
    {"copy", 1, [](float a, float) { return a; }},
    {"elemwise_unary {fun = #linalg.unary_fn<negf>}", 1, [](float a, float) { return -a; }},
    {"elemwise_binary {fun = #linalg.binary_fn<sub>}", 2, [](float a, float b) { return a - b; }},
};
INSTANTIATE_TEST_SUITE_P(Linalg, Elementwises, testing::ValuesIn(kElementwises), [](const auto &info) {
  const std::string op = info.param.op;
  return op.substr(0, op.find(' '));
});

TEST(NamedOps, FillAloneIsAKernelOfItsOwn) {
  const Executed run(
      "func.func @f(%y: memref<3xf16>) { %c = arith.constant 1.5 : f16\n linalg.fill ins(%c : f16) outs(%y : "
      "memref<3xf16>)\n return }");
  ASSERT_EQ(run.graph.kernels.size(), 1u);
  EXPECT_EQ(run.graph.kernels[0].name, "fill");
  EXPECT_EQ(run.out("y"), (std::vector<double>{1.5, 1.5, 1.5}));
}

TEST(NamedOps, FillRoundsItsConstantToTheElementType) {
  const Executed run(
      "func.func @f(%y: memref<2xf16>) { %c = arith.constant 0.1 : f32\n linalg.fill ins(%c : f32) outs(%y : "
      "memref<2xf16>)\n return }");
  EXPECT_EQ(run.out("y")[0], decodeFloat(DType::kF16, encodeFloat(DType::kF16, 0.1f)));
}

TEST(NamedOps, FillByAnArgumentReadsIt) {
  const Executed run(
      "func.func @f(%s: f32, %y: memref<2xf32>) { linalg.fill ins(%s : f32) outs(%y : memref<2xf32>)\n return }");
  EXPECT_EQ(run.out("y"), (std::vector<double>(2, run.in("s")[0])));
}

TEST(NamedOps, TransposePermutes) {
  const Executed run(
      "func.func @f(%a: memref<2x3xf32>, %c: memref<3x2xf32>) {\n"
      "linalg.transpose ins(%a : memref<2x3xf32>) outs(%c : memref<3x2xf32>) permutation = [1, 0]\n return }");
  const auto a = run.in("a"), c = run.out("c");
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(c[j * 2 + i], a[i * 3 + j]);
  }
}

TEST(NamedOps, BroadcastRepeats) {
  const Executed run(
      "func.func @f(%a: memref<2xf32>, %c: memref<2x3xf32>) {\n"
      "linalg.broadcast ins(%a : memref<2xf32>) outs(%c : memref<2x3xf32>) dimensions = [1]\n return }");
  const auto a = run.in("a"), c = run.out("c");
  for (std::size_t e = 0; e < 6; ++e) EXPECT_EQ(c[e], a[e / 3]);
}

TEST(NamedOps, ReduceFoldsADimensionIntoTheOldContents) {
  const Executed run(
      "func.func @f(%a: memref<2x3xf32>, %c: memref<2xf32>) {\n"
      "linalg.reduce { arith.mulf } ins(%a : memref<2x3xf32>) outs(%c : memref<2xf32>) dimensions = [1]\n return }");
  EXPECT_EQ(run.roleOf("c"), kernel::Role::kInOut);
  const auto a = run.in("a"), old = run.in("c"), c = run.out("c");
  for (std::size_t i = 0; i < 2; ++i) {
    float product = static_cast<float>(old[i]);
    for (std::size_t j = 0; j < 3; ++j) product *= static_cast<float>(a[i * 3 + j]);
    EXPECT_EQ(c[i], product);
  }
}

TEST(NamedOps, MapAppliesItsBody) {
  const Executed run(
      "func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {\n"
      "linalg.map ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>)\n"
      "(%x: f32, %y: f32) { %p = arith.mulf %x, %y : f32\n %q = arith.subf %p, %x : f32\n linalg.yield %q : f32 }\n"
      "return }");
  const auto a = run.in("a"), b = run.in("b"), c = run.out("c");
  for (std::size_t e = 0; e < 4; ++e) {
    const float x = static_cast<float>(a[e]);
    EXPECT_EQ(c[e], x * static_cast<float>(b[e]) - x);
  }
}

TEST(NamedOps, ConvolutionReadsAWindow) {
  const Executed run(
      "func.func @f(%a: memref<8xf32>, %b: memref<3xf32>, %c: memref<6xf32>) {\n"
      "linalg.conv_1d ins(%a, %b : memref<8xf32>, memref<3xf32>) outs(%c : memref<6xf32>)\n return }");
  const auto a = run.in("a"), b = run.in("b"), old = run.in("c"), c = run.out("c");
  for (std::size_t i = 0; i < 6; ++i) {
    float sum = static_cast<float>(old[i]);
    for (std::size_t k = 0; k < 3; ++k) sum += static_cast<float>(a[i + k]) * static_cast<float>(b[k]);
    EXPECT_EQ(c[i], sum);
  }
}

TEST(NamedOps, MixedPrecisionMultipliesInTheWideType) {
  const Executed run(
      "func.func @f(%A: memref<3x8xi8>, %x: memref<8xi8>, %y: memref<3xi32>) {\n %z = arith.constant 0 : i32\n"
      "linalg.fill ins(%z : i32) outs(%y : memref<3xi32>)\n"
      "linalg.matvec ins(%A, %x : memref<3x8xi8>, memref<8xi8>) outs(%y : memref<3xi32>)\n return }");
  const auto a = run.in("A"), x = run.in("x"), y = run.out("y");
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum += a[i * 8 + k] * x[k];
    EXPECT_EQ(y[i], sum);
  }
}

class ElementTypes : public testing::TestWithParam<std::pair<const char *, DType>> {};

TEST_P(ElementTypes, KeepTheirName) {
  const auto &[spelling, type] = GetParam();
  const std::string memref = std::string("memref<4x") + spelling + ">";
  const Executed run("func.func @f(%a: " + memref + ", %c: " + memref + ") { linalg.copy ins(%a : " + memref +
                     ") outs(%c : " + memref + ")\n return }");
  ASSERT_EQ(run.graph.tensors.size(), 2u);
  EXPECT_EQ(run.graph.tensors[0].type, type);
  EXPECT_EQ(run.graph.tensors[1].type, type);
  EXPECT_EQ(run.in("a"), run.out("c"));
}
INSTANTIATE_TEST_SUITE_P(All, ElementTypes,
                         testing::Values(std::pair{"f64", DType::kF64}, std::pair{"f32", DType::kF32},
                                         std::pair{"f16", DType::kF16}, std::pair{"bf16", DType::kBF16},
                                         std::pair{"f8E4M3FN", DType::kF8E4M3}, std::pair{"f8E5M2", DType::kF8E5M2},
                                         std::pair{"i64", DType::kI64}, std::pair{"i32", DType::kI32},
                                         std::pair{"i16", DType::kI16}, std::pair{"i8", DType::kI8},
                                         std::pair{"ui64", DType::kU64}, std::pair{"ui32", DType::kU32},
                                         std::pair{"ui16", DType::kU16}, std::pair{"ui8", DType::kU8}));

}  // namespace
}  // namespace pimento::frontend
