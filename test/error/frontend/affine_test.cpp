// Loop nests that cannot be read: what is said, where, and what the hint offers.
#include <gtest/gtest.h>

#include <string>

#include "pimento/frontend/frontend.h"

namespace pimento::frontend {
namespace {

/// "code@line:column" of the first diagnostic, which must carry `hint` in its hint and `said` in its message.
std::string complaint(const std::string &text, const std::string &said, const std::string &hint) {
  const Result<kernel::Graph> r = importMlir(text, "k.mlir", {});
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

TEST(AffineErrors, ProductsOfLoopsAreNoIndex) {
  EXPECT_EQ(
      complaint(function("affine.for %i = 0 to 4 {\naffine.for %j = 0 to 4 {\n%p = arith.muli %i, %j : index\n"
                         "%a = memref.load %x[%p] : memref<16xf32>\nmemref.store %a, %y[%j] : memref<16xf32>\n}}"),
                "multiplies loops", "sums of loops"),
      "unsupported-access@8:6");
}

TEST(AffineErrors, LoadedIndicesAreNoIndex) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 4 {\n%a = affine.load %k[%i] : memref<16xi64>\n"
                               "%p = arith.index_cast %a : i64 to index\n%b = memref.load %x[%p] : memref<16xf32>\n"
                               "memref.store %b, %y[%i] : memref<16xf32>\n}"),
                      "affine.load", "sums of loops"),
            "unsupported-access@8:6");
}

TEST(AffineErrors, ModuloOfALoopIsNoIndex) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 4 {\n%a = affine.load %x[%i mod 2] : memref<16xf32>\n"
                               "affine.store %a, %y[%i] : memref<16xf32>\n}"),
                      "mod", "sums of loops"),
            "unsupported-access@6:6");
}

TEST(AffineErrors, BoundsThatTheDataDecideAreRefused) {
  EXPECT_EQ(complaint(function("%a = affine.load %k[0] : memref<16xi64>\n%n = arith.index_cast %a : i64 to index\n"
                               "scf.for %i = %c0 to %n step %c1 {\nmemref.store %z, %y[%i] : memref<16xf32>\n}"),
                      "affine.load", "sums of loops"),
            "unsupported-access@7:1");
}

TEST(AffineErrors, IndicesOutsideTheMemrefAreFound) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 16 {\n%a = affine.load %x[%i + 1] : memref<16xf32>\n"
                               "affine.store %a, %y[%i] : memref<16xf32>\n}"),
                      "1..16", "guard"),
            "out-of-bounds@7:1");
}

TEST(AffineErrors, OverwritingOneElementIsNamed) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 16 {\n%a = affine.load %x[%i] : memref<16xf32>\n"
                               "affine.store %a, %y[0] : memref<16xf32>\n}"),
                      "every iteration", "accumulate"),
            "loop-overwrite@7:1");
}

TEST(AffineErrors, OverlappingWindowsOfAStoreAreNamed) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 4 {\naffine.for %j = 0 to 4 {\n"
                               "%a = affine.load %x[%i] : memref<16xf32>\n"
                               "affine.store %a, %y[%i + %j] : memref<16xf32>\n}}"),
                      "several iterations", "tell its elements apart"),
            "loop-overwrite@8:1");
}

TEST(AffineErrors, StatementsThatNeedEachOtherAcrossIterationsAreRefused) {
  EXPECT_EQ(complaint(function("affine.for %i = 1 to 16 {\n%a = affine.load %x[%i - 1] : memref<16xf32>\n"
                               "affine.store %a, %y[%i] : memref<16xf32>\n%b = affine.load %y[%i] : memref<16xf32>\n"
                               "%c = arith.addf %b, %b : f32\naffine.store %c, %x[%i] : memref<16xf32>\n}"),
                      "line 7", "another memref"),
            "loop-dependence@10:1");
}

TEST(AffineErrors, AReversalInPlaceIsRefused) {
  EXPECT_EQ(
      complaint(function("affine.for %i = 0 to 8 {\n%a = affine.load %x[%i] : memref<16xf32>\n"
                         "%b = affine.load %x[-%i + 15] : memref<16xf32>\naffine.store %b, %x[%i] : memref<16xf32>\n"
                         "affine.store %a, %x[-%i + 15] : memref<16xf32>\n}"),
                "depend", "another memref"),
      "loop-dependence@9:1");
}

TEST(AffineErrors, CarriedValuesThatAreNoAccumulationAreRefused) {
  EXPECT_EQ(complaint(function("%s = affine.for %i = 0 to 16 iter_args(%o = %z) -> (f32) {\n"
                               "%a = affine.load %x[%i] : memref<16xf32>\n%p = arith.mulf %o, %a : f32\n"
                               "%q = arith.addf %p, %a : f32\naffine.yield %q : f32\n}\n"
                               "affine.store %s, %y[0] : memref<16xf32>"),
                      "no accumulation", "yield add"),
            "unsupported-reduction@5:6");
}

TEST(AffineErrors, ASumOfWhatNothingWroteIsRefused) {
  EXPECT_EQ(complaint(function("%t = memref.alloc() : memref<16xf32>\naffine.for %i = 0 to 16 {\n"
                               "%a = affine.load %x[%i] : memref<16xf32>\n%o = affine.load %t[0] : memref<16xf32>\n"
                               "%r = arith.addf %o, %a : f32\naffine.store %r, %t[0] : memref<16xf32>\n}\n"
                               "%b = affine.load %t[0] : memref<16xf32>\naffine.store %b, %y[0] : memref<16xf32>"),
                      "nothing has written", "neutral element"),
            "uninitialized@10:1");
}

TEST(AffineErrors, BranchesWithResultsAreRefused) {
  EXPECT_EQ(
      complaint("#s = affine_set<(d0) : (d0 - 2 >= 0)>\n" +
                    function("affine.for %i = 0 to 16 {\n%v = affine.if #s(%i) -> f32 {\naffine.yield %z : f32\n} "
                             "else {\naffine.yield %z : f32\n}\naffine.store %v, %y[%i] : memref<16xf32>\n}"),
                "results", "select"),
      "unsupported-op@7:6");
}

TEST(AffineErrors, OpsThatANestDoesNotHaveAreNamed) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 16 {\nlinalg.copy ins(%x : memref<16xf32>) outs(%y : "
                               "memref<16xf32>)\n}"),
                      "linalg.copy", "in a nest"),
            "unsupported-op@6:1");
}

TEST(AffineErrors, ArithmeticOfNarrowIntegersIsNoIndex) {
  EXPECT_EQ(complaint(function("%c = arith.constant 127 : i8\naffine.for %i = 0 to 4 {\n"
                               "%n = arith.index_cast %i : index to i8\n%w = arith.addi %n, %c : i8\n"
                               "%p = arith.index_cast %w : i8 to index\n%a = memref.load %x[%p] : memref<16xf32>\n"
                               "memref.store %a, %y[%i] : memref<16xf32>\n}"),
                      "may wrap", "sums of loops"),
            "unsupported-access@10:6");
}

TEST(AffineErrors, AFirstValueThatIsOverwrittenBeforeTheSumIsRefused) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 4 {\n%o = affine.load %y[%i] : memref<16xf32>\n"
                               "affine.store %z, %y[%i] : memref<16xf32>\n"
                               "%s = affine.for %j = 0 to 4 iter_args(%acc = %o) -> (f32) {\n"
                               "%a = affine.load %x[%i * 4 + %j] : memref<16xf32>\n%t = arith.addf %acc, %a : f32\n"
                               "affine.yield %t : f32\n}\naffine.store %s, %y[%i] : memref<16xf32>\n}"),
                      "depend", "another memref")
                .substr(0, 15),
            "loop-dependence");
}

TEST(AffineErrors, IndicesBeyond64BitsAreRefused) {
  EXPECT_EQ(complaint(function("affine.for %i = 0 to 4 {\n"
                               "%a = affine.load %y[-%i - 9223372036854775807 - 1] : memref<16xf32>\n"
                               "affine.store %a, %y[-%i] : memref<16xf32>\n}"),
                      "", "")
                .substr(0, 5),
            "too-l");
}

TEST(AffineErrors, LoopsOfNarrowIntegersAreRefused) {
  EXPECT_EQ(complaint(function("%a = arith.constant 0 : i8\n%b = arith.constant 100 : i8\n%s = arith.constant 50 : "
                               "i8\nscf.for %i = %a to %b step %s : i8 {\n%w = arith.addi %i, %b : i8\n"
                               "%v = arith.sitofp %w : i8 to f32\nmemref.store %v, %y[%c0] : memref<16xf32>\n}"),
                      "", "")
                .substr(0, 11),
            "unsupported");
}

}  // namespace
}  // namespace pimento::frontend
