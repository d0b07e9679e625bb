// Bodies of linalg.generic: each scalar op against C++ on the same numbers.
#include <cmath>
#include <cstdint>
#include <limits>

#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

/// out = body(x, y) over 64 elements; `body` ends by defining %r.
std::string binary(const std::string &type, const std::string &body, const std::string &result) {
  const std::string in = "memref<64x" + type + ">", out = "memref<64x" + result + ">";
  return "#e = affine_map<(d0) -> (d0)>\nfunc.func @f(%a: " + in + ", %b: " + in + ", %c: " + out +
         ") {\n linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = [\"parallel\"]} ins(%a, %b : " + in +
         ", " + in + ") outs(%c : " + out + ") {\n ^bb0(%x: " + type + ", %y: " + type + ", %o: " + result + "):\n" +
         body + "\n linalg.yield %r : " + result + "\n }\n return\n}\n";
}

/// Elements of an input; ones where the body does not read it.
std::vector<double> read(const Executed &run, const char *name) {
  return run.graph.tensorNamed(name) < 0 ? std::vector<double>(64, 1.0) : run.in(name);
}

struct IntegerOp {
  const char *name, *body;
  std::int32_t (*value)(std::int32_t, std::int32_t);
};

std::uint32_t u(std::int32_t x) {
  return static_cast<std::uint32_t>(x);
}
std::int32_t s(std::uint32_t x) {
  return static_cast<std::int32_t>(x);
}

class IntegerOps : public testing::TestWithParam<IntegerOp> {};

TEST_P(IntegerOps, ComputeAsC) {
  const Executed run(binary("i32", GetParam().body, "i32"));
  const auto c = run.out("c");
  ASSERT_EQ(c.size(), 64u);
  const auto a = read(run, "a"), b = read(run, "b");
  for (std::size_t e = 0; e < c.size(); ++e) {
    const auto x = static_cast<std::int32_t>(a[e]), y = static_cast<std::int32_t>(b[e]);
    ASSERT_NE(y, 0) << "the data must not divide by zero";
    EXPECT_EQ(c[e], GetParam().value(x, y)) << x << ", " << y;
  }
}

const IntegerOp kIntegerOps[] = {
    {"addi", "%r = arith.addi %x, %y : i32", [](std::int32_t x, std::int32_t y) { return s(u(x) + u(y)); }},
    {"subi", "%r = arith.subi %x, %y : i32", [](std::int32_t x, std::int32_t y) { return s(u(x) - u(y)); }},
    {"muli", "%r = arith.muli %x, %y : i32", [](std::int32_t x, std::int32_t y) { return s(u(x) * u(y)); }},
    {"divsi", "%r = arith.divsi %x, %y : i32", [](std::int32_t x, std::int32_t y) { return x / y; }},
    {"divui", "%r = arith.divui %x, %y : i32", [](std::int32_t x, std::int32_t y) { return s(u(x) / u(y)); }},
    {"remsi", "%r = arith.remsi %x, %y : i32", [](std::int32_t x, std::int32_t y) { return x % y; }},
    {"remui", "%r = arith.remui %x, %y : i32", [](std::int32_t x, std::int32_t y) { return s(u(x) % u(y)); }},
    {"maxsi", "%r = arith.maxsi %x, %y : i32", [](std::int32_t x, std::int32_t y) { return x > y ? x : y; }},
    {"maxui", "%r = arith.maxui %x, %y : i32", [](std::int32_t x, std::int32_t y) { return u(x) > u(y) ? x : y; }},
    {"minsi", "%r = arith.minsi %x, %y : i32", [](std::int32_t x, std::int32_t y) { return x < y ? x : y; }},
    {"minui", "%r = arith.minui %x, %y : i32", [](std::int32_t x, std::int32_t y) { return u(x) < u(y) ? x : y; }},
    {"andi", "%r = arith.andi %x, %y : i32", [](std::int32_t x, std::int32_t y) { return x & y; }},
    {"ori", "%r = arith.ori %x, %y : i32", [](std::int32_t x, std::int32_t y) { return x | y; }},
    {"xori", "%r = arith.xori %x, %y : i32", [](std::int32_t x, std::int32_t y) { return x ^ y; }},
    {"shli", "%k = arith.constant 3 : i32\n %r = arith.shli %x, %k : i32",
     [](std::int32_t x, std::int32_t) { return s(u(x) << 3); }},
    {"shrsi", "%k = arith.constant 3 : i32\n %r = arith.shrsi %x, %k : i32",
     [](std::int32_t x, std::int32_t) { return x >> 3; }},
    {"shrui", "%k = arith.constant 3 : i32\n %r = arith.shrui %x, %k : i32",
     [](std::int32_t x, std::int32_t) { return s(u(x) >> 3); }},
    {"absi", "%r = math.absi %x : i32", [](std::int32_t x, std::int32_t) { return x < 0 ? -x : x; }},
    {"extui", "%n = arith.trunci %x : i32 to i8\n %r = arith.extui %n : i8 to i32",
     [](std::int32_t x, std::int32_t) { return s(u(x) & 255); }},
    {"extsi", "%n = arith.trunci %x : i32 to i8\n %r = arith.extsi %n : i8 to i32",
     [](std::int32_t x, std::int32_t) { return std::int32_t{static_cast<std::int8_t>(x)}; }},
    {"trunci_to_i1", "%n = arith.trunci %x : i32 to i1\n %r = arith.extui %n : i1 to i32",
     [](std::int32_t x, std::int32_t) { return x & 1; }},
    {"extsi_of_i1", "%n = arith.cmpi slt, %x, %y : i32\n %r = arith.extsi %n : i1 to i32",
     [](std::int32_t x, std::int32_t y) { return x < y ? -1 : 0; }},
    {"select_slt", "%n = arith.cmpi slt, %x, %y : i32\n %r = arith.select %n, %x, %y : i32",
     [](std::int32_t x, std::int32_t y) { return x < y ? x : y; }},
    {"ult", "%n = arith.cmpi ult, %x, %y : i32\n %r = arith.extui %n : i1 to i32",
     [](std::int32_t x, std::int32_t y) { return u(x) < u(y) ? 1 : 0; }},
    {"uge", "%n = arith.cmpi uge, %x, %y : i32\n %r = arith.extui %n : i1 to i32",
     [](std::int32_t x, std::int32_t y) { return u(x) >= u(y) ? 1 : 0; }},
    {"not",
     "%n = arith.cmpi eq, %x, %y : i32\n %t = arith.constant true\n %m = arith.xori %n, %t : i1\n"
     " %r = arith.extui %m : i1 to i32",
     [](std::int32_t x, std::int32_t y) { return x != y ? 1 : 0; }},
    {"index", "%i = linalg.index 0 : index\n %n = arith.index_cast %i : index to i32\n %r = arith.subi %n, %n : i32",
     [](std::int32_t, std::int32_t) { return 0; }},
};
INSTANTIATE_TEST_SUITE_P(Arith, IntegerOps, testing::ValuesIn(kIntegerOps),
                         [](const auto &info) { return std::string(info.param.name); });

struct FloatOp {
  const char *name, *body;
  float (*value)(float, float);
};

class FloatOps : public testing::TestWithParam<FloatOp> {};

TEST_P(FloatOps, ComputeAsC) {
  const Executed run(binary("f32", GetParam().body, "f32"));
  const auto a = read(run, "a"), b = read(run, "b"), c = run.out("c");
  ASSERT_EQ(c.size(), 64u);
  for (std::size_t e = 0; e < c.size(); ++e) {
    EXPECT_EQ(c[e], GetParam().value(static_cast<float>(a[e]), static_cast<float>(b[e]))) << a[e] << ", " << b[e];
  }
}

/// Counts which of <, ==, >, unordered a predicate accepts, by comparing x with y, x with x and NaN with x.
std::string predicate(const std::string &p) {
  return "%nan = arith.constant 0x7fc00000 : f32\n %one = arith.constant 1.0 : f32\n %zero = arith.constant 0.0 : f32\n"
         "%two = arith.constant 2.0 : f32\n %four = arith.constant 4.0 : f32\n"
         "%p = arith.cmpf " +
         p + ", %x, %y : f32\n %q = arith.cmpf " + p + ", %x, %x : f32\n %s = arith.cmpf " + p +
         ", %nan, %x : f32\n %u = arith.select %p, %one, %zero : f32\n %v = arith.select %q, %two, %zero : f32\n"
         "%w = arith.select %s, %four, %zero : f32\n %uv = arith.addf %u, %v : f32\n %r = arith.addf %uv, %w : f32";
}

const FloatOp kFloatOps[] = {
    {"addf", "%r = arith.addf %x, %y : f32", [](float x, float y) { return x + y; }},
    {"subf", "%r = arith.subf %x, %y : f32", [](float x, float y) { return x - y; }},
    {"mulf", "%r = arith.mulf %x, %y : f32", [](float x, float y) { return x * y; }},
    {"divf", "%r = arith.divf %x, %y : f32", [](float x, float y) { return x / y; }},
    {"remf", "%r = arith.remf %x, %y : f32", [](float x, float y) { return std::fmod(x, y); }},
    {"maximumf", "%r = arith.maximumf %x, %y : f32", [](float x, float y) { return x > y ? x : y; }},
    {"minnumf", "%r = arith.minnumf %x, %y : f32", [](float x, float y) { return x < y ? x : y; }},
    {"negf", "%r = arith.negf %x : f32", [](float x, float) { return -x; }},
    {"absf", "%r = math.absf %x : f32", [](float x, float) { return std::fabs(x); }},
    {"through_f16", "%h = arith.truncf %x : f32 to f16\n %r = arith.extf %h : f16 to f32",
     [](float x, float) { return static_cast<float>(decodeFloat(DType::kF16, encodeFloat(DType::kF16, x))); }},
    {"through_i32",
     "%k = arith.constant 100.0 : f32\n %m = arith.mulf %x, %k : f32\n"
     "%i = arith.fptosi %m : f32 to i32\n %r = arith.sitofp %i : i32 to f32",
     [](float x, float) { return std::trunc(x * 100.0f) + 0.0f; }},
    {"uitofp", "%i = arith.constant -1 : i8\n %r = arith.uitofp %i : i8 to f32", [](float, float) { return 255.0f; }},
};
INSTANTIATE_TEST_SUITE_P(Arith, FloatOps, testing::ValuesIn(kFloatOps),
                         [](const auto &info) { return std::string(info.param.name); });

struct Predicate {
  const char *name;
  bool less, greater, equal, unordered;
};

class Predicates : public testing::TestWithParam<Predicate> {};

TEST_P(Predicates, AcceptWhatTheirNameSays) {
  const Predicate &p = GetParam();
  const Executed run(binary("f32", predicate(p.name), "f32"));
  const auto a = read(run, "a"), b = read(run, "b"), c = run.out("c");
  for (std::size_t e = 0; e < c.size(); ++e) {
    ASSERT_NE(a[e], b[e]);
    const bool first = a[e] < b[e] ? p.less : p.greater;
    EXPECT_EQ(c[e], (first ? 1 : 0) + (p.equal ? 2 : 0) + (p.unordered ? 4 : 0)) << p.name;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Cmpf, Predicates,
    testing::Values(Predicate{"oeq", false, false, true, false}, Predicate{"ogt", false, true, false, false},
                    Predicate{"oge", false, true, true, false}, Predicate{"olt", true, false, false, false},
                    Predicate{"ole", true, false, true, false}, Predicate{"one", true, true, false, false},
                    Predicate{"ueq", false, false, true, true}, Predicate{"ugt", false, true, false, true},
                    Predicate{"uge", false, true, true, true}, Predicate{"ult", true, false, false, true},
                    Predicate{"ule", true, false, true, true}, Predicate{"une", true, true, false, true}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(Body, AMaximumWithZeroIsRelu) {
  for (const char *body : {"%z = arith.constant 0.0 : f32\n %r = arith.maximumf %x, %z : f32",
                           "%z = arith.constant 0.0 : f32\n %r = arith.maximumf %z, %x : f32"}) {
    const kernel::Graph g = importGood(binary("f32", body, "f32"));
    ASSERT_EQ(g.kernels.size(), 1u);
    ASSERT_EQ(g.kernels[0].body.size(), 2u) << kernel::print(g);
    EXPECT_EQ(g.kernels[0].body[1].op, kernel::Op::kRelu);
  }
}

TEST(Body, AMaximumWithAnotherConstantIsNot) {
  const kernel::Graph g =
      importGood(binary("f32", "%z = arith.constant -0.0 : f32\n %r = arith.maximumf %x, %z : f32", "f32"));
  EXPECT_EQ(g.kernels[0].body.back().op, kernel::Op::kMax);
}

TEST(Body, IndicesAreTheLoopValues) {
  const Executed run(
      "#ij = affine_map<(d0, d1) -> (d0, d1)>\nfunc.func @f(%c: memref<3x4xi64>) {\n linalg.generic {indexing_maps = "
      "[#ij], iterator_types = [\"parallel\", \"parallel\"]} outs(%c : memref<3x4xi64>) {\n ^bb0(%o: i64):\n %i = "
      "linalg.index 0 : index\n %j = linalg.index 1 : index\n %k = arith.constant 10 : index\n %t = arith.muli %i, %k "
      ": index\n %s = arith.addi %t, %j : index\n %r = arith.index_cast %s : index to i64\n linalg.yield %r : i64\n "
      "}\n "
      "return }");
  const auto c = run.out("c");
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(c[e], static_cast<double>(e / 4 * 10 + e % 4));
}

TEST(Body, ScalarsOfTheFunctionMayBeComputedOutside) {
  const Executed run(
      "#e = affine_map<(d0) -> (d0)>\nfunc.func @f(%s: f32, %t: f32, %x: memref<4xf32>, %y: memref<4xf32>) {\n"
      "%p = arith.mulf %s, %t : f32\n %two = arith.constant 2.0 : f32\n %q = arith.addf %p, %two : f32\n"
      "linalg.generic {indexing_maps = [#e, #e], iterator_types = [\"parallel\"]} ins(%x : memref<4xf32>) outs(%y : "
      "memref<4xf32>) {\n ^bb0(%a: f32, %o: f32):\n %r = arith.mulf %a, %q : f32\n linalg.yield %r : f32\n }\n return "
      "}");
  const float q = static_cast<float>(run.in("s")[0]) * static_cast<float>(run.in("t")[0]) + 2.0f;
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(run.out("y")[e], static_cast<float>(run.in("x")[e]) * q);
}

TEST(Body, TwoResultsComeFromOnePass) {
  const Executed run(
      "#e = affine_map<(d0) -> (d0)>\nfunc.func @f(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {\n"
      "linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = [\"parallel\"]} ins(%x : memref<4xf32>) outs(%y, "
      "%z : memref<4xf32>, memref<4xf32>) {\n ^bb0(%a: f32, %o: f32, %p: f32):\n %r = arith.addf %a, %a : f32\n %s = "
      "arith.mulf %a, %a : f32\n linalg.yield %r, %s : f32, f32\n }\n return }");
  ASSERT_EQ(run.graph.kernels.size(), 1u);
  for (std::size_t e = 0; e < 4; ++e) {
    const float x = static_cast<float>(run.in("x")[e]);
    EXPECT_EQ(run.out("y")[e], x + x);
    EXPECT_EQ(run.out("z")[e], x * x);
  }
}

}  // namespace
}  // namespace pimento::frontend
