// Affine loop nests: which loops are parallel, which accumulate, which run in order; and what must stay together.
#include <fmt/format.h>

#include <algorithm>

#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

using kernel::DimKind;
using kernel::Role;

TEST(Nest, ZeroFillThenAccumulateIsOneKernel) {
  const Executed run(R"(func.func @gemv(%A: memref<4x8xf32>, %x: memref<8xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %c0, %y[%i] : memref<4xf32>
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<4x8xf32>
      %b = affine.load %x[%j] : memref<8xf32>
      %o = affine.load %y[%i] : memref<4xf32>
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %o, %m : f32
      affine.store %s, %y[%i] : memref<4xf32>
    }
  }
  return
})");
  ASSERT_EQ(run.graph.kernels.size(), 1U);
  EXPECT_EQ(run.graph.kernels[0].dims[0].kind, DimKind::kParallel);
  EXPECT_EQ(run.graph.kernels[0].dims[1].kind, DimKind::kReduction);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
  float y0 = 0;
  for (std::size_t j = 0; j < 8; ++j) {
    const auto product = static_cast<float>(run.in("A")[j]) * static_cast<float>(run.in("x")[j]);
    y0 += product;
  }
  EXPECT_EQ(run.out("y")[0], y0);
}

TEST(Nest, CarriedValuesAreReductions) {
  const Executed run(R"(func.func @f(%A: memref<4x8xf32>, %b: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    %s = affine.for %j = 0 to 8 iter_args(%acc = %c0) -> (f32) {
      %a = affine.load %A[%i, %j] : memref<4x8xf32>
      %n = arith.addf %acc, %a : f32
      affine.yield %n : f32
    }
    %e = affine.load %b[%i] : memref<4xf32>
    %t = arith.addf %s, %e : f32
    affine.store %t, %y[%i] : memref<4xf32>
  }
  return
})");
  ASSERT_EQ(run.graph.kernels.size(), 2U);
  float y1 = 0;
  for (std::size_t j = 0; j < 8; ++j) y1 += static_cast<float>(run.in("A")[8 + j]);
  EXPECT_EQ(run.out("y")[1], y1 + static_cast<float>(run.in("b")[1]));
}

TEST(Nest, ACarriedValueThatIsStoredAccumulatesInPlace) {
  const Executed run(R"(func.func @f(%A: memref<4x8xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    %s = affine.for %j = 0 to 8 iter_args(%acc = %c0) -> (f32) {
      %t = affine.for %k = 0 to 1 iter_args(%in = %acc) -> (f32) {
        %a = affine.load %A[%i, %j] : memref<4x8xf32>
        %n = arith.addf %in, %a : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %s, %y[%i] : memref<4xf32>
  }
  return
})");
  ASSERT_EQ(run.graph.kernels.size(), 1U);
  EXPECT_EQ(run.graph.kernels[0].dims.size(), 3U);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
}

TEST(Nest, ARecurrenceRunsInOrder) {
  const Executed run(R"(func.func @scan(%x: memref<8xi32>, %y: memref<8xi32>) {
  affine.for %i = 1 to 8 {
    %a = affine.load %y[%i - 1] : memref<8xi32>
    %b = affine.load %x[%i] : memref<8xi32>
    %s = arith.addi %a, %b : i32
    affine.store %s, %y[%i] : memref<8xi32>
  }
  return
})");
  ASSERT_EQ(run.graph.kernels.size(), 1U);
  EXPECT_EQ(run.graph.kernels[0].dims[0].kind, DimKind::kSequential);
  double y = run.in("y")[0];
  for (std::size_t i = 1; i < 8; ++i) {
    y += run.in("x")[i];
    EXPECT_EQ(run.out("y")[i], y);
  }
}

TEST(Nest, TriangularBoundsAreGuards) {
  const Executed run(R"(func.func @f(%A: memref<4x4xi32>, %y: memref<4xi32>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<4x4xi32>
      %o = affine.load %y[%i] : memref<4xi32>
      %s = arith.addi %o, %a : i32
      affine.store %s, %y[%i] : memref<4xi32>
    }
  }
  return
})");
  ASSERT_EQ(run.graph.kernels.size(), 1U);
  EXPECT_EQ(run.graph.kernels[0].guards.size(), 1U);
  EXPECT_EQ(run.out("y")[1], run.in("y")[1] + run.in("A")[4] + run.in("A")[5]);
}

TEST(Nest, TilesNeedNoGuards) {
  const Executed run(R"(func.func @f(%x: memref<8xi32>, %y: memref<8xi32>) {
  affine.for %t = 0 to 8 step 4 {
    affine.for %i = affine_map<(d0) -> (d0)>(%t) to affine_map<(d0) -> (d0 + 4)>(%t) {
      %a = affine.load %x[%i] : memref<8xi32>
      affine.store %a, %y[%i] : memref<8xi32>
    }
  }
  return
})");
  ASSERT_EQ(run.graph.kernels.size(), 1U);
  EXPECT_TRUE(run.graph.kernels[0].guards.empty());
  EXPECT_EQ(run.graph.kernels[0].points(), 8);
  EXPECT_EQ(run.out("y"), run.in("x"));
}

TEST(Nest, APartialTileIsCutOff) {
  const Executed run(R"(func.func @f(%x: memref<10xi32>, %y: memref<10xi32>) {
  affine.for %t = 0 to 10 step 4 {
    affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0) -> (d0 + 4, 10)>(%t) step 3 {
      %a = affine.load %x[%i] : memref<10xi32>
      affine.store %a, %y[%i] : memref<10xi32>
    }
  }
  return
})");
  EXPECT_EQ(run.graph.kernels[0].guards.size(), 1U);
  for (const std::size_t i : {0U, 3U, 4U, 7U, 8U}) EXPECT_EQ(run.out("y")[i], run.in("x")[i]);
  for (const std::size_t i : {1U, 2U, 5U, 6U, 9U}) EXPECT_EQ(run.out("y")[i], run.in("y")[i]);
}

TEST(Nest, ColumnsOfATriangleAreSummed) {
  const Executed run(R"(func.func @f(%A: memref<4x4xi32>, %y: memref<4xi32>) {
  affine.for %i = 0 to 4 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 4 {
      %a = affine.load %A[%i, %j] : memref<4x4xi32>
      %o = affine.load %y[%j] : memref<4xi32>
      %s = arith.addi %o, %a : i32
      affine.store %s, %y[%j] : memref<4xi32>
    }
  }
  return
})");
  EXPECT_EQ(run.graph.kernels[0].dims[0].kind, DimKind::kReduction);
  EXPECT_EQ(run.out("y")[1], run.in("y")[1] + run.in("A")[1] + run.in("A")[5]);
}

TEST(Nest, ConditionsAndElseAreGuards) {
  const Executed run(R"(func.func @f(%x: memref<6xi32>, %y: memref<6xi32>) {
  affine.for %i = 0 to 6 {
    %a = affine.load %x[%i] : memref<6xi32>
    affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
      affine.store %a, %y[%i] : memref<6xi32>
    } else {
      %b = arith.addi %a, %a : i32
      affine.store %b, %y[%i] : memref<6xi32>
    }
  }
  return
})");
  EXPECT_EQ(run.out("y")[5], run.in("x")[5]);
  EXPECT_EQ(run.out("y")[3], 2 * run.in("x")[3]);
}

TEST(Nest, PlainLoopsWithAffineIndicesAreRead) {
  const Executed run(R"(func.func @f(%x: memref<8xi32>, %y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %d = arith.muli %i, %c2 : index
    %e = arith.addi %d, %c1 : index
    %a = memref.load %x[%e] : memref<8xi32>
    %k = arith.index_cast %i : index to i32
    %s = arith.addi %a, %k : i32
    memref.store %s, %y[%i] : memref<4xi32>
  }
  return
})");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("y")[i], run.in("x")[2 * i + 1] + static_cast<double>(i));
}

TEST(Nest, AValueLoadedOutsideLoopsIsKept) {
  const Executed run(R"(func.func @f(%x: memref<4xi32>, %y: memref<4xi32>) {
  %a = affine.load %x[0] : memref<4xi32>
  affine.for %i = 0 to 4 {
    affine.store %a, %x[%i] : memref<4xi32>
  }
  affine.for %i = 0 to 4 {
    affine.store %a, %y[%i] : memref<4xi32>
  }
  return
})");
  EXPECT_EQ(run.out("y")[3], run.in("x")[0]);
  EXPECT_EQ(run.out("x")[3], run.in("x")[0]);
}

TEST(Nest, StatementsThatNeedEachOtherRunInRounds) {
  // x[i] is overwritten before the next iteration's second statement would have seen it.
  const Executed shifted(R"(func.func @f(%x: memref<8xi32>, %y: memref<8xi32>) {
  affine.for %i = 0 to 7 {
    %a = affine.load %y[%i] : memref<8xi32>
    affine.store %a, %x[%i] : memref<8xi32>
    %b = affine.load %x[%i + 1] : memref<8xi32>
    affine.store %b, %y[%i] : memref<8xi32>
  }
  return
})");
  auto x = shifted.in("x"), y = shifted.in("y");
  for (std::size_t i = 0; i < 7; ++i) {
    x[i] = y[i];
    y[i] = x[i + 1];
  }
  EXPECT_EQ(shifted.out("x"), x);
  EXPECT_EQ(shifted.out("y"), y);
  // A time loop around two sweeps.
  const Executed sweeps(R"(func.func @f(%x: memref<8xi32>, %y: memref<8xi32>) {
  affine.for %t = 0 to 3 {
    affine.for %i = 0 to 8 {
      %a = affine.load %y[%i] : memref<8xi32>
      %b = arith.addi %a, %a : i32
      affine.store %b, %x[%i] : memref<8xi32>
    }
    affine.for %i = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xi32>
      affine.store %a, %y[%i] : memref<8xi32>
    }
  }
  return
})");
  ASSERT_EQ(sweeps.graph.loops.size(), 1U);
  EXPECT_EQ(sweeps.graph.loops[0].extent, 3);
  EXPECT_EQ(sweeps.graph.kernels.size(), 2U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(sweeps.out("y")[i], 8 * sweeps.in("y")[i]);
}

TEST(Nest, StoresThatNeedOldValuesOfEachOtherAreOneKernel) {
  const Executed swap(R"(func.func @f(%x: memref<8xi32>, %y: memref<8xi32>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %y[%i] : memref<8xi32>
    %b = affine.load %x[%i] : memref<8xi32>
    affine.store %a, %x[%i] : memref<8xi32>
    affine.store %b, %y[%i] : memref<8xi32>
  }
  return
})");
  EXPECT_EQ(swap.graph.kernels[0].stores.size(), 2U);
  EXPECT_EQ(swap.out("x"), swap.in("y"));
  EXPECT_EQ(swap.out("y"), swap.in("x"));
  const Executed scan(R"(func.func @f(%x: memref<8xi32>, %y: memref<8xi32>, %t: memref<1xi32>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xi32>
    %b = affine.load %t[0] : memref<1xi32>
    %s = arith.addi %b, %a : i32
    affine.store %s, %y[%i] : memref<8xi32>
    affine.store %s, %t[0] : memref<1xi32>
  }
  return
})");
  ASSERT_EQ(scan.graph.kernels.size(), 1U);
  EXPECT_EQ(scan.graph.kernels[0].dims[0].kind, DimKind::kSequential);
  double sum = scan.in("t")[0];
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(scan.out("y")[i], sum += scan.in("x")[i]);
  EXPECT_EQ(scan.out("t")[0], sum);
}

TEST(Nest, TheLastIterationThatWritesAnElementCounts) {
  const Executed one(R"(func.func @f(%x: memref<8xi32>, %y: memref<1xi32>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xi32>
    affine.store %a, %y[0] : memref<1xi32>
  }
  return
})");
  EXPECT_EQ(one.out("y")[0], one.in("x")[7]);
  const Executed windows(R"(func.func @f(%x: memref<8xi32>, %y: memref<15xi32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xi32>
      affine.store %a, %y[%i + %j] : memref<15xi32>
    }
  }
  return
})");
  for (std::size_t e = 0; e < 15; ++e)
    EXPECT_EQ(windows.out("y")[e], windows.in("x")[std::min<std::size_t>(e, 7)]) << e;
}

TEST(Nest, NamesAndMappingsOfOpsAreRead) {
  const Result<Imported> file = importMlirFile(R"(func.func @f(%x: memref<8xi32>, %y: memref<8xi32>)
    attributes {pimento.target = "hbm-pim"} {
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xi32>
    affine.store %a, %y[%i] : memref<8xi32>
  } {pimento.kernel = "mine", pimento.mapping = "M1:{(8)}"}
  return
})",
                                               "t.mlir", {});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->graph.kernels[0].name, "mine");
  EXPECT_EQ(file->mappings, std::vector<std::string>{"M1:{(8)}"});
  EXPECT_EQ(file->target, "hbm-pim");
}

}  // namespace
}  // namespace pimento::frontend
