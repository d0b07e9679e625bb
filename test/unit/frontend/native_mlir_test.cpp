// MLIR lowered by MLIR's own passes: it computes what its reading computes, on memrefs and tensors.
#include "test/unit/frontend/native_support.h"

namespace pimento::frontend {
namespace {

TEST(NativeMlir, MemrefsAreReadAndWritten) {
  expectMlirReadRight(R"(
    func.func @f(%A: memref<7x5xf32>, %x: memref<5xf32>, %y: memref<7xf32>) {
      linalg.matvec ins(%A, %x : memref<7x5xf32>, memref<5xf32>) outs(%y : memref<7xf32>)
      return
    })");
}

TEST(NativeMlir, TensorsAreReturnedAndArgumentsStayAsTheyAre) {
  expectMlirReadRight(R"(
    func.func @f(%A: tensor<6x4xi32>, %B: tensor<4x3xi32>, %C: tensor<6x3xi32>) -> (tensor<6x3xi32>, tensor<6x3xi32>) {
      %zero = arith.constant 0 : i32
      %empty = tensor.empty() : tensor<6x3xi32>
      %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<6x3xi32>) -> tensor<6x3xi32>
      %p = linalg.matmul ins(%A, %B : tensor<6x4xi32>, tensor<4x3xi32>) outs(%start : tensor<6x3xi32>) -> tensor<6x3xi32>
      %q = linalg.add ins(%p, %C : tensor<6x3xi32>, tensor<6x3xi32>) outs(%C : tensor<6x3xi32>) -> tensor<6x3xi32>
      return %q, %p : tensor<6x3xi32>, tensor<6x3xi32>
    })");
}

TEST(NativeMlir, OpenExtentsAndIndexArgumentsTakeTheUsersSizes) {
  expectMlirReadRight(R"(
    func.func @f(%n: index, %a: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
      affine.for %i = 0 to %n {
        %u = affine.load %x[%i] : memref<?xf64>
        %v = affine.load %y[%i] : memref<?xf64>
        %p = arith.mulf %a, %u : f64
        %s = arith.addf %p, %v : f64
        affine.store %s, %y[%i] : memref<?xf64>
      }
      return
    })",
                      {"", {{"n", 13}, {"x:0", 13}, {"y:0", 13}}});
}

TEST(NativeMlir, HalvesAndBrainHalvesAreRoundedAfterEachOperation) {
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    const std::string t(type), v = "memref<64x" + t + ">";
    expectMlirReadRight(
        "func.func @f(%x: " + v + ", %z: " + v + ", %y: " + v + ") {\n" +
        "linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d)"
        " -> (d)>], iterator_types = [\"parallel\"]} ins(%x, %z : " +
        v + ", " + v + ") outs(%y : " + v + ") {\n^bb0(%a: " + t + ", %b: " + t + ", %c: " + t +
        "):\n%p = arith.mulf %a, %b : " + t + "\n%q = arith.addf %p, %a : " + t + "\n%e = math.exp %q : " + t +
        "\n%r = arith.divf %e, %b : " + t + "\nlinalg.yield %r : " + t + "\n}\nreturn\n}");
  }
}

TEST(NativeMlir, OneFunctionOfSeveralIsCompiledWithoutOurNotes) {
  expectMlirReadRight(R"(
    func.func private @elsewhere(%x: memref<4xf32>)
    func.func @other(%x: memref<4xf32>) { return }
    func.func @g(%x: memref<4xf32> {pimento.constant}, %y: memref<4xf32>) attributes {pimento.target = "upmem"} {
      linalg.exp {pimento.kernel = "e"} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      return
    })",
                      {"g", {}});
}

TEST(NativeMlir, AFunctionMayBeCalledLikeOneOfTheLibrary) {
  expectMlirReadRight(R"(
    func.func @tanh(%x: memref<40xf32>, %y: memref<40xf32>) {
      linalg.tanh ins(%x : memref<40xf32>) outs(%y : memref<40xf32>)
      return
    })");
}

TEST(NativeMlir, EightBitFloatsAreLeftOut) {
  const std::string text = R"(
    func.func @f(%x: memref<4xf8E5M2>, %y: memref<4xf8E5M2>) {
      linalg.add ins(%x, %x : memref<4xf8E5M2>, memref<4xf8E5M2>) outs(%y : memref<4xf8E5M2>)
      return
    })";
  const Result<Imported> file = importMlirFile(text, "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  const auto answer = runMlir(text, "t.mlir", {}, file->graph, file->tensors, kernel::makeData(file->graph, {}), {5});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->whyNot, "this machine has no arithmetic on 8-bit floats");
}

TEST(NativeMlir, WhatMlirLeavesUndefinedHasNoAnswerButAPlace) {
  const std::string text = R"(
func.func @f(%x: memref<4xi32>, %y: memref<4xi32>) {
  affine.for %i = 0 to 4 {
    %a = affine.load %x[%i] : memref<4xi32>
    %b = affine.load %y[%i] : memref<4xi32>
    %q = arith.divsi %a, %b : i32
    affine.store %q, %y[%i] : memref<4xi32>
  }
  return
})";
  const Result<Imported> file = importMlirFile(text, "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  kernel::DataSpec zero;
  zero.kind = kernel::DataSpec::Kind::kZero;
  const auto answer = runMlir(text, "t.mlir", {}, file->graph, file->tensors, kernel::makeData(file->graph, zero), {5});
  ASSERT_TRUE(answer.ok()) << saidBy(answer.diagnostics());
  EXPECT_EQ(answer->where.str() + ": " + answer->whyNot,
            "t.mlir:6:10: on these data it divides by 0, so the result is undefined");
  expectMlirReadRight(text, {}, {kernel::DataSpec::Kind::kConst, 5});
}

TEST(NativeMlir, AWildFunctionEndsItsChildAlone) {
  const std::string good = R"(
    func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
      linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      return
    })";
  const std::string wild = R"(
    func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
      %far = arith.constant 9 : index
      %c = arith.constant 1.0 : f32
      memref.store %c, %y[%far] : memref<4xf32>
      return
    })";
  const Result<Imported> file = importMlirFile(good, "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  const auto answer = runMlir(wild, "t.mlir", {}, file->graph, file->tensors, kernel::makeData(file->graph, {}), {5});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.diagnostics().front().code, "text-bounds");
  EXPECT_NE(answer.diagnostics().front().message.find("element 9 of 'y', which has 4"), std::string::npos);
}

}  // namespace
}  // namespace pimento::frontend
