// Loop nests that cannot be read: what is said, where, and what the hint offers.
#include <gtest/gtest.h>

#include <string>

#include "pimento/frontend/frontend.h"

namespace pimento::frontend {
namespace {

/// "code@line:column" of the first diagnostic, which must carry `hint` in its hint and `said` in its message.
std::string complaint(const std::string &text, const std::string &said, const std::string &hint,
                      const MlirOptions &options = {}) {
  const Result<kernel::Graph> r = importMlir(text, "k.mlir", options);
  EXPECT_FALSE(r.ok()) << text << (r ? kernel::print(*r) : "");
  if (r) return "none";
  const Diagnostic d = r.diagnostics().front();
  EXPECT_EQ(d.where.file, "k.mlir") << text;
  EXPECT_NE(d.message.find(said), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty()) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
  return d.code + "@" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column);
}

/// A function of %x, %y (16 f32) and %k (16 indices) with the constants %c0, %c1 and %z; `body` starts in line 5.
std::string function(const std::string &body) {
  return "func.func @f(%x: memref<16xf32>, %y: memref<16xf32>, %k: memref<16xi64>) {\n%c0 = arith.constant 0 : "
         "index\n%c1 = arith.constant 1 : index\n%z = arith.constant 0.0 : f32\n" +
         body + "\nreturn\n}\n";
}

TEST(AffineErrors, TwoIndicesFromDataAreRefused) {
  EXPECT_EQ(
      complaint("func.func @f(%A: memref<4x4xf32>, %k: memref<4xi64>, %y: memref<4xf32>) {\naffine.for %i = 0 to 4 "
                "{\n%a = affine.load %k[%i] : memref<4xi64>\n%p = arith.index_cast %a : i64 to index\n"
                "%b = memref.load %A[%p, %p] : memref<4x4xf32>\naffine.store %b, %y[%i] : memref<4xf32>\n}\n"
                "return\n}",
                "two indices", "one index"),
      "unsupported-access@5:6");
}

TEST(AffineErrors, DivisionOfWhatMayBeNegativeIsNoIndex) {
  EXPECT_EQ(
      complaint(function("affine.for %i = 0 to 4 {\n%a = affine.load %x[(%i - 3) floordiv 4 + 1] : memref<16xf32>\n"
                         "affine.store %a, %y[%i] : memref<16xf32>\n}"),
                "of a value that may be negative", "sums of loops"),
      "unsupported-access@6:6");
}

TEST(AffineErrors, StoresUnderAConditionAtAPlaceThatDataDecideAreRefused) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 4 {\n%a = affine.load %k[%i] : memref<16xi64>\n"
                               "%p = arith.index_cast %a : i64 to index\n%v = affine.load %x[%i] : memref<16xf32>\n"
                               "%c = arith.cmpf ogt, %v, %z : f32\nscf.if %c {\n"
                               "memref.store %v, %y[%p] : memref<16xf32>\n}\n}"),
                      "stored conditionally", "histogram"),
            "unsupported-access@11:1");
}

TEST(AffineErrors, ASelectionThatDoesNotStartAtTheFrontIsRefused) {
  EXPECT_EQ(complaint(function("%o = arith.constant 1 : i64\n"
                               "%r = affine.for %i = 0 to 16 iter_args(%n = %o) -> (i64) {\n"
                               "%v = affine.load %x[%i] : memref<16xf32>\n%c = arith.cmpf ogt, %v, %z : f32\n"
                               "%m = scf.if %c -> i64 {\n%p = arith.index_cast %n : i64 to index\n"
                               "memref.store %v, %y[%p] : memref<16xf32>\n%t = arith.addi %n, %o : i64\n"
                               "scf.yield %t : i64\n} else {\nscf.yield %n : i64\n}\naffine.yield %m : i64\n}\n"
                               "affine.store %r, %k[0] : memref<16xi64>"),
                      "does not start at 0", "set it to 0"),
            "loop-dependence@11:1");
}

TEST(AffineErrors, LoopsThatDataStopAreRefused) {
  EXPECT_EQ(complaint(function("%a = memref.load %x[%c0] : memref<16xf32>\n%r = scf.while (%n = %a) : (f32) -> f32 {\n"
                               "%c = arith.cmpf ogt, %n, %z : f32\nscf.condition(%c) %n : f32\n} do {\n"
                               "^bb0(%n: f32):\n%m = arith.subf %n, %n : f32\nscf.yield %m : f32\n}\n"
                               "memref.store %r, %y[%c0] : memref<16xf32>"),
                      "no comparison of integers", "known before it starts"),
            "unsupported-loop@6:6");
}

/// A loop that goes on from 0 while `condition` of %i (and %n, an argument) holds, by `step`.
std::string whileLoop(const std::string &condition, const std::string &step) {
  return "func.func @f(%n: i32, %x: memref<16xi32>) {\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
         "%r = scf.while (%i = %c0) : (i32) -> i32 {\n%c = " +
         condition +
         "\nscf.condition(%c) %i : i32\n} do {\n^bb0(%i: i32):\n%k = arith.index_cast %i : i32 to index\n"
         "memref.store %i, %x[%k] : memref<16xi32>\n" +
         step + "\nscf.yield %j : i32\n}\nreturn\n}\n";
}

TEST(AffineErrors, AWhileLoopThatDoesNotCountSaysWhy) {
  const MlirOptions options{{}, {{"n", 16}}};
  const std::string up = "%j = arith.addi %i, %c1 : i32", less = "arith.cmpi slt, %i, %n : i32";
  const auto said = [&](const std::string &condition, const std::string &step, const std::string &why) {
    return complaint(whileLoop(condition, step), why, "scf.for", options);
  };
  EXPECT_EQ(said(less, "%j = arith.muli %i, %c1 : i32", "does not move by a constant"), "unsupported-loop@4:6");
  EXPECT_EQ(said(less, "%j = arith.subi %i, %c1 : i32", "moves away from its bound"), "unsupported-loop@4:6");
  EXPECT_EQ(said("arith.cmpi ne, %i, %n : i32", up, "`ne` ends it is not known"), "unsupported-loop@4:6");
  EXPECT_EQ(said("arith.cmpi ult, %i, %n : i32", up, "unsigned"), "unsupported-loop@4:6");
  EXPECT_EQ(said("arith.cmpi eq, %i, %n : i32", up, "`eq`"), "unsupported-loop@4:6");
  EXPECT_EQ(said("arith.cmpi slt, %i, %i : i32", up, "with what the loop changes"), "unsupported-loop@4:6");
}

TEST(AffineErrors, AWhileLoopThatStoresThroughAViewToWhatItsConditionLoads) {
  EXPECT_EQ(complaint("func.func @f(%x: memref<16xi32>, %n: memref<4xi32>) {\n%c0 = arith.constant 0 : i32\n"
                      "%c1 = arith.constant 1 : i32\n%c16 = arith.constant 16 : i32\n%z = arith.constant 0 : index\n"
                      "%v = memref.subview %n[0] [4] [1] : memref<4xi32> to memref<4xi32, strided<[1]>>\n"
                      "%r:2 = scf.while (%i = %c0) : (i32) -> (i32, i32) {\n%b = memref.load %n[%z] : memref<4xi32>\n"
                      "%c = arith.cmpi slt, %i, %c16 : i32\nscf.condition(%c) %i, %b : i32, i32\n} do {\n"
                      "^bb0(%i: i32, %w: i32):\n%k = arith.index_cast %i : i32 to index\n"
                      "memref.store %w, %x[%k] : memref<16xi32>\n"
                      "memref.store %i, %v[%z] : memref<4xi32, strided<[1]>>\n"
                      "%j = arith.addi %i, %c1 : i32\nscf.yield %j : i32\n}\nreturn\n}\n",
                      "memory that the loop changes", "scf.for"),
            "unsupported-loop@7:8");
}

TEST(AffineErrors, BranchesThatGiveTensorsAreRefused) {
  EXPECT_EQ(complaint("func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1) -> tensor<4xf32> {\n"
                      "%r = scf.if %c -> tensor<4xf32> {\nscf.yield %a : tensor<4xf32>\n} else {\n"
                      "scf.yield %b : tensor<4xf32>\n}\nreturn %r : tensor<4xf32>\n}",
                      "i1", "arguments")
                .substr(0, 16),
            "unsupported-type");
  EXPECT_EQ(complaint("func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: i32) -> tensor<4xf32> {\n"
                      "%z = arith.constant 0 : i32\n%c = arith.cmpi sgt, %n, %z : i32\n"
                      "%r = scf.if %c -> tensor<4xf32> {\nscf.yield %a : tensor<4xf32>\n} else {\n"
                      "scf.yield %b : tensor<4xf32>\n}\nreturn %r : tensor<4xf32>\n}",
                      "results are tensors", "arith.select"),
            "unsupported-op@4:6");
}

TEST(AffineErrors, MemrefsThatALoopYieldsAreThoseItCarries) {
  const std::string head = "%r = scf.for %t = %c0 to %c1 step %c1 iter_args(%a = %x) -> (memref<16xf32>) {\n";
  EXPECT_EQ(complaint(function(head + "memref.store %z, %a[%c0] : memref<16xf32>\nscf.yield %y : memref<16xf32>\n}"),
                      "does not carry", "iter_args"),
            "unsupported-loop@7:1");
}

TEST(AffineErrors, AMemrefThatALoopExchangesIsNotUsedByItsOldName) {
  EXPECT_EQ(complaint(function("%c3 = arith.constant 3 : index\n%r:2 = scf.for %t = %c0 to %c3 step %c1 iter_args(%a = "
                               "%x, %b = %y) -> (memref<16xf32>, memref<16xf32>) {\n"
                               "%v = memref.load %x[%t] : memref<16xf32>\nmemref.store %v, %b[%t] : memref<16xf32>\n"
                               "scf.yield %b, %a : memref<16xf32>, memref<16xf32>\n}"),
                      "by its outer name", "own arguments"),
            "unsupported-loop@7:6");
}

TEST(AffineErrors, BoundsThatAreUnknownNumbersAreNamed) {
  EXPECT_EQ(complaint("func.func @f(%n: i32, %y: memref<16xi32>) {\n%m = arith.index_cast %n : i32 to index\n"
                      "affine.for %i = 0 to %m {\naffine.store %n, %y[%i] : memref<16xi32>\n}\nreturn\n}",
                      "is unknown", "--size n=64"),
            "missing-size@3:1");
}

TEST(AffineErrors, LoopsThatDataBoundCountByOneLeaveTheirBoundsAloneAndIndexWhatHasAnExtent) {
  const std::string bound = "%a = affine.load %k[0] : memref<16xi64>\n%n = arith.index_cast %a : i64 to index\n";
  EXPECT_EQ(complaint(function(bound + "%c2 = arith.constant 2 : index\nscf.for %i = %c0 to %n step %c2 {\n"
                                       "memref.store %z, %y[%i] : memref<16xf32>\n}"),
                      "must have step 1", "multiply"),
            "unsupported-loop@8:1");
  EXPECT_EQ(complaint(function(bound + "scf.for %i = %c0 to %n step %c1 {\n%o = memref.load %y[%c0] : memref<16xf32>\n"
                                       "%s = arith.addf %o, %z : f32\nmemref.store %s, %y[%c0] : memref<16xf32>\n}"),
                      "does not index a memref", "known extent"),
            "unsupported-loop@7:1");
  EXPECT_EQ(complaint(function(bound + "scf.for %i = %c0 to %n step %c1 {\n%b = memref.load %k[%i] : memref<16xi64>\n"
                                       "memref.store %b, %k[%c0] : memref<16xi64>\n}"),
                      "its own trip count", "does not write"),
            "unsupported-loop@7:1");
}

TEST(AffineErrors, IndicesOutsideTheMemrefAreFound) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 16 {\n%a = affine.load %x[%i + 1] : memref<16xf32>\n"
                               "affine.store %a, %y[%i] : memref<16xf32>\n}"),
                      "1..16", "guard"),
            "out-of-bounds@7:1");
}

TEST(AffineErrors, ASumOfWhatNothingWroteIsRefused) {
  EXPECT_EQ(complaint(function("%t = memref.alloc() : memref<16xf32>\naffine.for %i = 0 to 16 {\n"
                               "%a = affine.load %x[%i] : memref<16xf32>\n%o = affine.load %t[0] : memref<16xf32>\n"
                               "%r = arith.addf %o, %a : f32\naffine.store %r, %t[0] : memref<16xf32>\n}\n"
                               "%b = affine.load %t[0] : memref<16xf32>\naffine.store %b, %y[0] : memref<16xf32>"),
                      "was never written", "initial value"),
            "uninitialized@10:1");
}

}  // namespace
}  // namespace pimento::frontend
