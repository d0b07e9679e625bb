// Loop nests of scf, affine, memref, tensor and linalg ops: what is read computes what MLIR's own lowering computes.
#include <string>

#include "test/unit/frontend/native_support.h"

namespace pimento::frontend {
namespace {

kernel::Graph graphOf(const std::string &text, const kernel::Sizes &sizes = {}) {
  const Result<kernel::Graph> graph = importMlir(text, "t.mlir", {{}, sizes});
  EXPECT_TRUE(graph.ok()) << (graph ? "" : saidBy(graph.diagnostics())) << text;
  return graph ? *graph : kernel::Graph{};
}

/// A function with constants %c0, %c1, %c2, %n (6 as index), %z, %o (0 and 1 in i32) and %f0 (0 in f32).
std::string function(const std::string &arguments, const std::string &body) {
  return "func.func @f(" + arguments +
         ") {\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
         "%n = arith.constant 6 : index\n%z = arith.constant 0 : i32\n%o = arith.constant 1 : i32\n"
         "%f0 = arith.constant 0.0 : f32\n" +
         body + "\nreturn\n}\n";
}

TEST(MlirNests, IndicesThatAreNoSumsOfLoopsAreComputed) {
  expectMlirReadRight(function("%x: memref<16xi32>, %y: memref<6xi32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %p = arith.muli %i, %c2 : index
      %q = arith.muli %i, %i : index
      %r = arith.remui %q, %n : index
      %a = memref.load %x[%r] : memref<16xi32>
      %m = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)
      %b = memref.load %x[%m] : memref<16xi32>
      %d = affine.apply affine_map<(d0) -> (d0 ceildiv 2)>(%p)
      %e = memref.load %x[%d] : memref<16xi32>
      %s = arith.addi %a, %b : i32
      %t = arith.addi %s, %e : i32
      memref.store %t, %y[%i] : memref<6xi32>
    })"));
}

TEST(MlirNests, GathersAndScattersRunInOrder) {
  const std::string text = function("%k: memref<6xi32>, %x: memref<8xf32>, %y: memref<8xf32>", R"(
    %c7 = arith.constant 7 : i32
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %k[%i] : memref<6xi32>
      %m = arith.andi %a, %c7 : i32
      %p = arith.index_castui %m : i32 to index
      %b = memref.load %x[%p] : memref<8xf32>
      %c = memref.load %y[%i] : memref<8xf32>
      %s = arith.addf %b, %c : f32
      memref.store %s, %y[%p] : memref<8xf32>
    })");
  expectMlirReadRight(text);
  expectMlirReadRight(function("%k: memref<6xi32>, %x: memref<6xf32>, %y: memref<8xf32>", R"(
    %c7 = arith.constant 7 : i32
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %k[%i] : memref<6xi32>
      %m = arith.andi %a, %c7 : i32
      %p = arith.index_cast %m : i32 to index
      %b = memref.load %x[%i] : memref<6xf32>
      memref.store %b, %y[%p] : memref<8xf32>
    })"));
}

TEST(MlirNests, BranchesOnLoopsAreGuardsAndOnDataChoices) {
  expectMlirReadRight(function("%x: memref<6xi32>, %y: memref<6xi32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %low = arith.cmpi ult, %i, %c2 : index
      %a = memref.load %x[%i] : memref<6xi32>
      scf.if %low {
        memref.store %a, %y[%i] : memref<6xi32>
      } else {
        %p = arith.subi %i, %c2 : index
        %b = memref.load %x[%p] : memref<6xi32>
        %s = arith.addi %a, %b : i32
        memref.store %s, %y[%i] : memref<6xi32>
      }
    })"));
  expectMlirReadRight(function("%x: memref<6xi32>, %y: memref<6xi32>, %w: memref<6xi32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : memref<6xi32>
      %b = memref.load %y[%i] : memref<6xi32>
      %p = arith.cmpi sgt, %a, %b : i32
      %r:2 = scf.if %p -> (i32, i32) {
        memref.store %o, %w[%i] : memref<6xi32>
        %d = arith.subi %a, %b : i32
        scf.yield %d, %a : i32, i32
      } else {
        scf.yield %b, %o : i32, i32
      }
      memref.store %r#0, %x[%i] : memref<6xi32>
      memref.store %r#1, %y[%i] : memref<6xi32>
    })"));
  // Whether the element before the first is read is a matter of the loop.
  expectMlirReadRight(function("%x: memref<6xi32>, %y: memref<6xi32>", R"(
    affine.for %i = 0 to 6 {
      %r = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) -> i32 {
        %a = affine.load %x[%i - 1] : memref<6xi32>
        affine.yield %a : i32
      } else {
        affine.yield %z : i32
      }
      affine.store %r, %y[%i] : memref<6xi32>
    })"));
}

TEST(MlirNests, WhatABranchOverwritesIsKeptBeforeIt) {
  expectMlirReadRight(function("%x: memref<6xi32>, %y: memref<6xi32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : memref<6xi32>
      %p = arith.cmpi sgt, %a, %z : i32
      scf.if %p {
        memref.store %z, %x[%i] : memref<6xi32>
      }
      memref.store %a, %y[%i] : memref<6xi32>
    })"));
}

TEST(MlirNests, WhatALoopOverwritesIsKeptBeforeIt) {
  expectMlirReadRight(function("%x: memref<6xi32>, %y: memref<6xi32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : memref<6xi32>
      scf.for %j = %c0 to %n step %c1 {
        %b = memref.load %x[%j] : memref<6xi32>
        %s = arith.addi %a, %b : i32
        memref.store %s, %x[%j] : memref<6xi32>
      }
      memref.store %a, %y[%i] : memref<6xi32>
    })"));
}

TEST(MlirNests, CarriedScalarsThatDoNotAccumulateHaveAnElementPerIteration) {
  const std::string text = function("%x: memref<6xi32>, %y: memref<6xi32>, %out: memref<2xi32>", R"(
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z, %b = %o) -> (i32, i32) {
      %v = memref.load %x[%i] : memref<6xi32>
      memref.store %a, %y[%i] : memref<6xi32>
      %s = arith.addi %a, %b : i32
      %t = arith.xori %s, %v : i32
      scf.yield %b, %t : i32, i32
    }
    memref.store %r#0, %out[%c0] : memref<2xi32>
    memref.store %r#1, %out[%c1] : memref<2xi32>)");
  expectMlirReadRight(text);
  // A length that changes.
  expectMlirReadRight(function("%x: memref<6xi32>, %y: memref<6xi32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %r = scf.for %j = %c0 to %i step %c1 iter_args(%a = %o) -> (i32) {
        %v = memref.load %x[%j] : memref<6xi32>
        %s = arith.muli %a, %v : i32
        %t = arith.xori %s, %v : i32
        scf.yield %t : i32
      }
      memref.store %r, %y[%i] : memref<6xi32>
    })"));
}

TEST(MlirNests, CountersThatALoopCarriesAreSumsOfLoops) {
  const std::string text = function("%x: memref<18xi32>, %y: memref<6xi32>", R"(
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c2) -> (index) {
      %v = memref.load %x[%p] : memref<18xi32>
      memref.store %v, %y[%i] : memref<6xi32>
      %q = arith.addi %p, %c2 : index
      scf.yield %q : index
    }
    %l = memref.load %x[%r] : memref<18xi32>
    memref.store %l, %y[%c0] : memref<6xi32>)");
  expectMlirReadRight(text);
  for (const kernel::Kernel &k : graphOf(text).kernels) EXPECT_FALSE(k.hasIndirectLoads());
}

TEST(MlirNests, AnAccumulationUnderAConditionIsOne) {
  const std::string text = function("%x: memref<6xi32>, %y: memref<1xi32>", R"(
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (i32) {
      %v = memref.load %x[%i] : memref<6xi32>
      %p = arith.cmpi sgt, %v, %z : i32
      %w = scf.if %p -> (i32) {
        %s = arith.addi %a, %v : i32
        scf.yield %s : i32
      } else {
        scf.yield %a : i32
      }
      scf.yield %w : i32
    }
    memref.store %r, %y[%c0] : memref<1xi32>)");
  expectMlirReadRight(text);
  const kernel::Graph graph = graphOf(text);
  ASSERT_EQ(graph.kernels.size(), 1U);
  EXPECT_EQ(graph.kernels[0].dims[0].kind, kernel::DimKind::kReduction);
}

TEST(MlirNests, ASelectionAppends) {
  const std::string text = function("%x: memref<6xi32>, %out: memref<6xi32>, %k: memref<1xi32>", R"(
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%count = %z) -> (i32) {
      %v = memref.load %x[%i] : memref<6xi32>
      %p = arith.cmpi sgt, %v, %z : i32
      %w = scf.if %p -> (i32) {
        %at = arith.index_cast %count : i32 to index
        memref.store %v, %out[%at] : memref<6xi32>
        %s = arith.addi %count, %o : i32
        scf.yield %s : i32
      } else {
        scf.yield %count : i32
      }
      scf.yield %w : i32
    }
    memref.store %r, %k[%c0] : memref<1xi32>)");
  const kernel::Graph graph = graphOf(text);
  ASSERT_EQ(graph.kernels.size(), 1U);
  EXPECT_EQ(graph.kernels[0].form, kernel::Form::kSelect);
}

TEST(MlirNests, ParallelLoopsReduce) {
  expectMlirReadRight(function("%x: memref<6x6xi32>, %y: memref<2xi32>", R"(
    %r:2 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c2) init (%z, %o) -> (i32, i32) {
      %v = memref.load %x[%i, %j] : memref<6x6xi32>
      scf.reduce(%v, %v : i32, i32) {
      ^bb0(%a: i32, %b: i32):
        %s = arith.addi %a, %b : i32
        scf.reduce.return %s : i32
      }, {
      ^bb0(%a: i32, %b: i32):
        %s = arith.maxsi %a, %b : i32
        scf.reduce.return %s : i32
      }
    }
    memref.store %r#0, %y[%c0] : memref<2xi32>
    memref.store %r#1, %y[%c1] : memref<2xi32>)"));
}

TEST(MlirNests, StructuredOpsRunInRounds) {
  const std::string text = function("%A: memref<6x6xi32>, %x: memref<6xi32>", R"(
    %t = memref.alloc() : memref<6xi32>
    scf.for %i = %c0 to %n step %c1 {
      linalg.fill ins(%z : i32) outs(%t : memref<6xi32>)
      linalg.matvec ins(%A, %x : memref<6x6xi32>, memref<6xi32>) outs(%t : memref<6xi32>)
      memref.copy %t, %x : memref<6xi32> to memref<6xi32>
    }
    memref.dealloc %t : memref<6xi32>)");
  expectMlirReadRight(text);
  const kernel::Graph graph = graphOf(text);
  ASSERT_EQ(graph.loops.size(), 1U);
  EXPECT_EQ(graph.loops[0].extent, 6);
  EXPECT_EQ(graph.kernels.size(), 3U);
  EXPECT_EQ(graph.kernels[1].name, "matvec");
}

TEST(MlirNests, PartsOfMemrefsAreOffsetsAndStrides) {
  expectMlirReadRight(function("%A: memref<6x8xf32>, %y: memref<6xf32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %row = memref.subview %A[%i, 1] [1, 3] [1, 2] : memref<6x8xf32> to memref<3xf32, strided<[2], offset: ?>>
      %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %f0) -> (f32) {
        %v = memref.load %row[%j] : memref<3xf32, strided<[2], offset: ?>>
        %t = arith.addf %a, %v : f32
        scf.yield %t : f32
      }
      linalg.fill ins(%s : f32) outs(%row : memref<3xf32, strided<[2], offset: ?>>)
      memref.store %s, %y[%i] : memref<6xf32>
    })"));
}

TEST(MlirNests, SmallArraysOfALoopAreItsOwn) {
  const std::string text = function("%x: memref<6xf32>, %y: memref<6xf32>", R"(
    scf.for %i = %c0 to %n step %c1 {
      %t = memref.alloca() : memref<f32>
      %v = memref.load %x[%i] : memref<6xf32>
      memref.store %v, %t[] : memref<f32>
      %w = memref.load %t[] : memref<f32>
      %s = arith.mulf %w, %v : f32
      memref.store %s, %y[%i] : memref<6xf32>
    })");
  expectMlirReadRight(text);
  for (const kernel::Kernel &k : graphOf(text).kernels) EXPECT_EQ(k.dims[0].kind, kernel::DimKind::kParallel);
}

/// Tensor functions: `body` gives %r of type tensor<6xf32> from %x and %y.
std::string tensors(const std::string &body, int rounds) {
  return "#id = affine_map<(i) -> (i)>\nfunc.func @f(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {\n"
         "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%n = arith.constant " +
         std::to_string(rounds) + " : index\n%h = arith.constant 0.5 : f32\n" + body +
         "\nreturn %r : tensor<6xf32>\n}\n";
}

TEST(MlirNests, TensorsThatALoopCarriesExchangeTheirNames) {
  for (const int rounds : {0, 1, 2, 3, 8}) {
    SCOPED_TRACE(rounds);
    const std::string text = tensors(R"(
      %p:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<6xf32>, tensor<6xf32>) {
        %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
            ins(%a : tensor<6xf32>) outs(%b : tensor<6xf32>) {
        ^bb0(%u: f32, %v: f32):
          %w = arith.mulf %v, %h : f32
          %s = arith.addf %u, %w : f32
          linalg.yield %s : f32
        } -> tensor<6xf32>
        scf.yield %m, %a : tensor<6xf32>, tensor<6xf32>
      }
      %r = linalg.sub ins(%p#0, %p#1 : tensor<6xf32>, tensor<6xf32>) outs(%x : tensor<6xf32>) -> tensor<6xf32>)",
                                     rounds);
    expectMlirReadRight(text);
    if (rounds < 2) continue;
    const kernel::Graph graph = graphOf(text);
    ASSERT_EQ(graph.loops.size(), 1U) << kernel::print(graph);
    EXPECT_EQ(graph.loops[0].swaps.size(), 1U);
  }
}

TEST(MlirNests, ARoundMayYieldOneTensorTwiceOrAFreshOne) {
  for (const int rounds : {1, 2, 5}) {
    SCOPED_TRACE(rounds);
    expectMlirReadRight(tensors(R"(
      %e = tensor.empty() : tensor<6xf32>
      %p:3 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %y)
          -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
        %m = linalg.add ins(%a, %b : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
        scf.yield %m, %m, %a : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
      }
      %q = linalg.sub ins(%p#0, %p#2 : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
      %r = linalg.add ins(%q, %p#1 : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>)",
                                rounds));
    expectMlirReadRight(tensors(R"(
      %r = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<6xf32>) {
        %e = tensor.empty() : tensor<6xf32>
        %m = linalg.add ins(%a, %y : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
        scf.yield %m : tensor<6xf32>
      })",
                                rounds));
  }
}

TEST(MlirNests, RoundsWithinRoundsExchangeByTheirOwn) {
  for (const int rounds : {1, 3, 4}) {
    SCOPED_TRACE(rounds);
    expectMlirReadRight(tensors(R"(
      %p:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<6xf32>, tensor<6xf32>) {
        %q:2 = scf.for %u = %c0 to %n step %c1 iter_args(%c = %a, %d = %b) -> (tensor<6xf32>, tensor<6xf32>) {
          %m = linalg.add ins(%c, %d : tensor<6xf32>, tensor<6xf32>) outs(%d : tensor<6xf32>) -> tensor<6xf32>
          scf.yield %m, %c : tensor<6xf32>, tensor<6xf32>
        }
        scf.yield %q#1, %q#0 : tensor<6xf32>, tensor<6xf32>
      }
      %e = tensor.empty() : tensor<6xf32>
      %r = linalg.sub ins(%p#0, %p#1 : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>)",
                                rounds));
  }
}

TEST(MlirNests, ExchangesInLoopsOfChangingLengthMoveContents) {
  expectMlirReadRight(tensors(R"(
      %p:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<6xf32>, tensor<6xf32>) {
        %q:2 = scf.for %u = %c0 to %t step %c1 iter_args(%c = %a, %d = %b) -> (tensor<6xf32>, tensor<6xf32>) {
          %m = linalg.add ins(%c, %d : tensor<6xf32>, tensor<6xf32>) outs(%d : tensor<6xf32>) -> tensor<6xf32>
          scf.yield %m, %c : tensor<6xf32>, tensor<6xf32>
        }
        scf.yield %q#0, %q#1 : tensor<6xf32>, tensor<6xf32>
      }
      %e = tensor.empty() : tensor<6xf32>
      %r = linalg.sub ins(%p#0, %p#1 : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>)",
                              4));
}

TEST(MlirNests, MemrefsThatALoopExchangesStayWhereTheyAre) {
  for (const int rounds : {1, 2, 5}) {
    SCOPED_TRACE(rounds);
    expectMlirReadRight(function("%A: memref<6xf32>, %B: memref<6xf32>, %y: memref<6xf32>",
                                 "%k = arith.constant " + std::to_string(rounds) + " : index\n" + R"(
    %r:2 = scf.for %t = %c0 to %k step %c1 iter_args(%a = %A, %b = %B) -> (memref<6xf32>, memref<6xf32>) {
      scf.for %i = %c1 to %n step %c1 {
        %p = arith.subi %i, %c1 : index
        %u = memref.load %a[%p] : memref<6xf32>
        %v = memref.load %a[%i] : memref<6xf32>
        %s = arith.addf %u, %v : f32
        memref.store %s, %b[%i] : memref<6xf32>
      }
      scf.yield %b, %a : memref<6xf32>, memref<6xf32>
    }
    linalg.sub ins(%r#0, %B : memref<6xf32>, memref<6xf32>) outs(%y : memref<6xf32>))"));
  }
}

TEST(MlirNests, TensorsAreUpdatedElementByElementAndSliceBySlice) {
  expectMlirReadRight(tensors(R"(
      %r = scf.for %t = %c1 to %n step %c1 iter_args(%a = %x) -> (tensor<6xf32>) {
        %u = tensor.extract %a[%c0] : tensor<6xf32>
        %v = tensor.extract %a[%t] : tensor<6xf32>
        %s = arith.addf %u, %v : f32
        %m = tensor.insert %s into %a[%t] : tensor<6xf32>
        scf.yield %m : tensor<6xf32>
      })",
                              6));
  expectMlirReadRight(tensors(R"(
      %r = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<6xf32>) {
        %u = tensor.extract_slice %a[%t] [2] [1] : tensor<6xf32> to tensor<2xf32>
        %v = tensor.extract_slice %y[%t] [2] [1] : tensor<6xf32> to tensor<2xf32>
        %s = linalg.add ins(%u, %v : tensor<2xf32>, tensor<2xf32>) outs(%u : tensor<2xf32>) -> tensor<2xf32>
        %m = tensor.insert_slice %s into %a[%t] [2] [1] : tensor<2xf32> into tensor<6xf32>
        scf.yield %m : tensor<6xf32>
      })",
                              5));
}

TEST(MlirNests, NarrowIntegersWrap) {
  expectMlirReadRight(function("%x: memref<6xi8>, %y: memref<6xi8>", R"(
    %a = arith.constant 0 : i8
    %b = arith.constant 100 : i8
    %s = arith.constant 50 : i8
    scf.for %i = %a to %b step %s : i8 {
      %w = arith.addi %i, %b : i8
      %p = arith.cmpi slt, %w, %a : i8
      %k = arith.divsi %i, %s : i8
      %at = arith.index_cast %k : i8 to index
      %v = memref.load %x[%at] : memref<6xi8>
      %m = arith.select %p, %w, %v : i8
      memref.store %m, %y[%at] : memref<6xi8>
    })"));
}

TEST(MlirNests, RowsAreLookedUpInStructuredOps) {
  expectMlirReadRight(R"(
    #row = affine_map<(i, j) -> (i)>
    #all = affine_map<(i, j) -> (i, j)>
    func.func @f(%k: tensor<5xi32>, %T: tensor<8x4xf32>, %b: tensor<5x4xf32>) -> tensor<5x4xf32> {
      %c7 = arith.constant 7 : i32
      %r = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
          ins(%k : tensor<5xi32>) outs(%b : tensor<5x4xf32>) {
      ^bb0(%a: i32, %o: f32):
        %m = arith.andi %a, %c7 : i32
        %p = arith.index_cast %m : i32 to index
        %q = linalg.index 1 : index
        %v = tensor.extract %T[%p, %q] : tensor<8x4xf32>
        %s = arith.addf %o, %v : f32
        linalg.yield %s : f32
      } -> tensor<5x4xf32>
      return %r : tensor<5x4xf32>
    })");
}

}  // namespace
}  // namespace pimento::frontend
