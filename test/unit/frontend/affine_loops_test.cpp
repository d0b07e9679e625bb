// Affine loop nests against plain loops on the same data: bounds, indices, guards, carried values.
#include <algorithm>
#include <cmath>

#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

using kernel::Role;

std::string function(const std::string &arguments, const std::string &body) {
  return "func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}\n";
}

constexpr const char *kVectors = "%x: memref<12xf32>, %y: memref<12xf32>";

std::vector<float> floats(const std::vector<double> &x) {
  std::vector<float> y;
  for (const double e : x) y.push_back(static_cast<float>(e));
  return y;
}

TEST(AffineLoops, AZeroStoreAndASumAreOneMatvec) {
  const Executed run(function("%A: memref<4x6xf32>, %x: memref<6xf32>, %y: memref<4xf32>", R"(
    %z = arith.constant 0.0 : f32
    affine.for %i = 0 to 4 {
      affine.store %z, %y[%i] : memref<4xf32>
      affine.for %j = 0 to 6 {
        %a = affine.load %A[%i, %j] : memref<4x6xf32>
        %b = affine.load %x[%j] : memref<6xf32>
        %p = arith.mulf %a, %b : f32
        %s = affine.load %y[%i] : memref<4xf32>
        %t = arith.addf %s, %p : f32
        affine.store %t, %y[%i] : memref<4xf32>
      }
    })"));
  ASSERT_EQ(run.graph.kernels.size(), 1u) << kernel::print(run.graph);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
  const auto a = floats(run.in("A")), x = floats(run.in("x")), y = floats(run.out("y"));
  for (std::size_t i = 0; i < 4; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < 6; ++j) sum += a[i * 6 + j] * x[j];
    EXPECT_EQ(y[i], sum);
  }
}

TEST(AffineLoops, LowerBoundsAndStepsGoIntoTheIndices) {
  const Executed run(function(kVectors, R"(
    affine.for %i = 1 to 12 step 3 {
      %a = affine.load %x[%i] : memref<12xf32>
      affine.store %a, %y[%i - 1] : memref<12xf32>
    })"));
  const auto x = run.in("x"), old = run.in("y"), y = run.out("y");
  EXPECT_EQ(run.roleOf("y"), Role::kInOut);
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(y[e], e % 3 == 0 ? x[e + 1] : old[e]) << e;
}

TEST(AffineLoops, BoundsMayBeSizes) {
  const std::string text = R"(func.func @f(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %d = memref.dim %x, %c0 : memref<?xf32>
    affine.for %i = 0 to %d {
      %a = affine.load %x[%i] : memref<?xf32>
      affine.store %a, %y[%i] : memref<?xf32>
    }
    affine.for %i = 0 to %n {
      %a = affine.load %x[%i] : memref<?xf32>
      %b = arith.negf %a : f32
      affine.store %b, %y[%i] : memref<?xf32>
    }
    return
  })";
  const Executed run(text, {{"n", 3}, {"x:0", 7}, {"y:0", 7}});
  const auto x = run.in("x"), y = run.out("y");
  for (std::size_t e = 0; e < 7; ++e) EXPECT_EQ(y[e], e < 3 ? -x[e] : x[e]);
}

TEST(AffineLoops, ATriangleIsAGuard) {
  const Executed run(function("%A: memref<5x5xf32>, %y: memref<5xf32>", R"(
    %z = arith.constant 0.0 : f32
    affine.for %i = 0 to 5 {
      affine.store %z, %y[%i] : memref<5xf32>
    }
    affine.for %i = 0 to 5 {
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to 5 {
        %a = affine.load %A[%i, %j] : memref<5x5xf32>
        %s = affine.load %y[%i] : memref<5xf32>
        %t = arith.addf %s, %a : f32
        affine.store %t, %y[%i] : memref<5xf32>
      }
    })"));
  const auto a = floats(run.in("A")), y = floats(run.out("y"));
  for (std::size_t i = 0; i < 5; ++i) {
    float sum = 0;
    for (std::size_t j = i + 1; j < 5; ++j) sum += a[i * 5 + j];
    EXPECT_EQ(y[i], sum) << i;
  }
}

TEST(AffineLoops, MinAndMaxBoundsHoldAll) {
  const Executed run(function(kVectors, R"(
    affine.for %i = 0 to 3 {
      affine.for %j = max affine_map<(d0) -> (d0 * 5, 2)>(%i) to min affine_map<(d0) -> (d0 * 5 + 5, 12)>(%i) {
        %a = affine.load %x[%j] : memref<12xf32>
        %b = affine.load %y[%j] : memref<12xf32>
        %c = arith.addf %a, %b : f32
        affine.store %c, %y[%i * 0 + %j] : memref<12xf32>
      }
    })"));
  if (run.graph.kernels.empty()) return;
  const auto x = floats(run.in("x")), old = floats(run.in("y")), y = floats(run.out("y"));
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(y[e], e < 2 ? old[e] : old[e] + x[e]) << e;
}

TEST(AffineLoops, AnIfIsAGuard) {
  const Executed run("#inside = affine_set<(d0) : (d0 - 2 >= 0, 9 - d0 >= 0)>\n" + function(kVectors, R"(
    affine.for %i = 0 to 12 {
      affine.if #inside(%i) {
        %a = affine.load %x[%i - 2] : memref<12xf32>
        affine.store %a, %y[%i] : memref<12xf32>
      }
    })"));
  const auto x = run.in("x"), old = run.in("y"), y = run.out("y");
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(y[e], e >= 2 && e <= 9 ? x[e - 2] : old[e]) << e;
}

TEST(AffineLoops, AnElseIsTheOppositeGuard) {
  const Executed run("#low = affine_set<(d0) : (4 - d0 >= 0)>\n" + function(kVectors, R"(
    affine.for %i = 0 to 12 {
      %a = affine.load %x[%i] : memref<12xf32>
      affine.if #low(%i) {
        affine.store %a, %y[%i] : memref<12xf32>
      } else {
        %b = arith.negf %a : f32
        affine.store %b, %y[%i] : memref<12xf32>
      }
    })"));
  const auto x = run.in("x"), y = run.out("y");
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(y[e], e <= 4 ? x[e] : -x[e]) << e;
}

TEST(AffineLoops, AnEqualityIsTwoGuards) {
  const Executed run("#diagonal = affine_set<(d0, d1) : (d0 - d1 == 0)>\n" +
                     function("%A: memref<4x4xf32>, %B: memref<4x4xf32>", R"(
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 4 {
        affine.if #diagonal(%i, %j) {
          %a = affine.load %A[%i, %j] : memref<4x4xf32>
          affine.store %a, %B[%i, %j] : memref<4x4xf32>
        }
      }
    })"));
  const auto a = run.in("A"), old = run.in("B"), b = run.out("B");
  for (std::size_t e = 0; e < 16; ++e) EXPECT_EQ(b[e], e % 5 == 0 ? a[e] : old[e]) << e;
}

TEST(AffineLoops, AppliedMapsAndPlainIndexArithmeticAreIndices) {
  const Executed run(function(kVectors, R"(
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    scf.for %i = %c0 to %c6 step %c1 {
      %j = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
      %k = arith.addi %j, %c1 : index
      %a = memref.load %x[%j] : memref<12xf32>
      memref.store %a, %y[%k] : memref<12xf32>
    })"));
  const auto x = run.in("x"), y = run.out("y");
  for (std::size_t e = 0; e < 6; ++e) EXPECT_EQ(y[2 * e + 1], x[2 * e]) << e;
}

TEST(AffineLoops, ACarriedSumStartsAtItsFirstValue) {
  const Executed run(function("%A: memref<4x6xf32>, %y: memref<4xf32>", R"(
    %z = arith.constant 0.0 : f32
    affine.for %i = 0 to 4 {
      %s = affine.for %j = 0 to 6 iter_args(%acc = %z) -> (f32) {
        %a = affine.load %A[%i, %j] : memref<4x6xf32>
        %t = arith.addf %acc, %a : f32
        affine.yield %t : f32
      }
      affine.store %s, %y[%i] : memref<4xf32>
    })"));
  ASSERT_EQ(run.graph.kernels.size(), 1u) << kernel::print(run.graph);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
  const auto a = floats(run.in("A")), y = floats(run.out("y"));
  for (std::size_t i = 0; i < 4; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < 6; ++j) sum += a[i * 6 + j];
    EXPECT_EQ(y[i], sum);
  }
}

TEST(AffineLoops, ACarriedSumMayBeUsedInWhatFollows) {
  const Executed run(function("%A: memref<4x6xf16>, %y: memref<4xf16>", R"(
    %z = arith.constant 0.5 : f32
    affine.for %i = 0 to 4 {
      %s = affine.for %j = 0 to 6 iter_args(%acc = %z) -> (f32) {
        %a = affine.load %A[%i, %j] : memref<4x6xf16>
        %w = arith.extf %a : f16 to f32
        %t = arith.addf %acc, %w : f32
        affine.yield %t : f32
      }
      %n = arith.truncf %s : f32 to f16
      affine.store %n, %y[%i] : memref<4xf16>
    })"));
  const auto a = floats(run.in("A"));
  const auto y = run.out("y");
  for (std::size_t i = 0; i < 4; ++i) {
    float sum = 0.5f;
    for (std::size_t j = 0; j < 6; ++j) sum += a[i * 6 + j];
    EXPECT_EQ(y[i], decodeFloat(DType::kF16, encodeFloat(DType::kF16, sum)));
  }
}

TEST(AffineLoops, NestedCarriedValuesAreOneReduction) {
  const Executed run(function("%A: memref<4x6xf32>, %y: memref<f32>", R"(
    %z = arith.constant 0xff800000 : f32
    %s = affine.for %i = 0 to 4 iter_args(%m = %z) -> (f32) {
      %r = affine.for %j = 0 to 6 iter_args(%n = %m) -> (f32) {
        %a = affine.load %A[%i, %j] : memref<4x6xf32>
        %t = arith.maximumf %n, %a : f32
        affine.yield %t : f32
      }
      affine.yield %r : f32
    }
    affine.store %s, %y[] : memref<f32>)"));
  const auto a = run.in("A");
  EXPECT_EQ(run.out("y")[0], *std::max_element(a.begin(), a.end()));
}

TEST(AffineLoops, LoopsAreValues) {
  const Executed run(function("%y: memref<3x4xi64>", R"(
    affine.for %i = 0 to 3 {
      affine.for %j = 0 to 4 {
        %k = affine.apply affine_map<(d0, d1) -> (d0 * 10 + d1 - 2)>(%i, %j)
        %v = arith.index_cast %k : index to i64
        affine.store %v, %y[%i, %j] : memref<3x4xi64>
      }
    })"));
  const auto y = run.out("y");
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(y[e], static_cast<double>(e / 4 * 10 + e % 4) - 2);
}

TEST(AffineLoops, ConstantFloordivAndModAreFolded) {
  const Executed run(function(kVectors, R"(
    affine.for %i = 0 to 3 {
      %a = affine.load %x[%i + 7 floordiv 2] : memref<12xf32>
      affine.store %a, %y[%i + 7 mod 4] : memref<12xf32>
    })"));
  const auto x = run.in("x"), y = run.out("y");
  for (std::size_t e = 0; e < 3; ++e) EXPECT_EQ(y[e + 3], x[e + 3]);
}

TEST(AffineLoops, ScalarsOfTheFunctionAreUsed) {
  const Executed run(function("%s: f32, %x: memref<12xf32>, %y: memref<12xf32>", R"(
    affine.for %i = 0 to 12 {
      %a = affine.load %x[%i] : memref<12xf32>
      %b = arith.mulf %a, %s : f32
      affine.store %b, %y[%i] : memref<12xf32>
    })"));
  const auto x = floats(run.in("x")), y = floats(run.out("y"));
  const float s = floats(run.in("s"))[0];
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(y[e], x[e] * s);
}

TEST(AffineLoops, AValueLoadedBeforeItIsOverwrittenKeepsItsOldContents) {
  const Executed run(function("%x: memref<f32>, %y: memref<4xf32>", R"(
    %c = arith.constant 7.0 : f32
    %old = affine.load %x[] : memref<f32>
    affine.store %c, %x[] : memref<f32>
    affine.for %i = 0 to 4 {
      affine.store %old, %y[%i] : memref<4xf32>
    })"));
  EXPECT_EQ(run.out("y"), std::vector<double>(4, run.in("x")[0]));
  EXPECT_EQ(run.out("x")[0], 7);
}

TEST(AffineLoops, LoopsFollowStructuredOps) {
  const Executed run(function(kVectors, R"(
    %t = memref.alloc() : memref<12xf32>
    linalg.exp ins(%x : memref<12xf32>) outs(%t : memref<12xf32>)
    affine.for %i = 0 to 12 {
      %a = affine.load %t[11 - %i] : memref<12xf32>
      affine.store %a, %y[%i] : memref<12xf32>
    })"));
  const auto x = floats(run.in("x")), y = floats(run.out("y"));
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(y[e], static_cast<float>(std::exp(static_cast<double>(x[11 - e]))));
}

}  // namespace
}  // namespace pimento::frontend
