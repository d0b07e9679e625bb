// Programs with indices from data, rounds, selections and orders that are wrong, in every text that kernels come in:
// the place, the code, what is said and what to do.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

struct Broken {
  std::string name;  ///< of the file
  std::vector<std::string> sizes;
  std::string text;
  std::string place, code;    ///< of the first message; "LINE:COLUMN" behind the file's name
  std::string message, hint;  ///< parts of them
};

void PrintTo(const Broken &broken, std::ostream *out) {
  *out << broken.name << ": " << broken.text;
}

class BrokenPrograms : public testing::TestWithParam<Broken> {};

TEST_P(BrokenPrograms, AreSaidToBe) {
  const Broken &broken = GetParam();
  Options o;
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  o.target = PIMENTO_SOURCE_DIR "/examples/machines/cnm-pipeline.yaml";
  o.dtype = "i32";
  o.sizes = broken.sizes;
  const bool isNotation = broken.name == "<notation>";
  o.input = isNotation ? broken.text : broken.name;
  if (!isNotation) {
    o.text = broken.text;
    o.dtype.clear();
  }
  const Outcome out = run(VerbId::kSimulate, o);
  ASSERT_EQ(out.status, 1) << out.text;
  ASSERT_FALSE(out.diagnostics.empty());
  const Diagnostic &d = out.diagnostics.front();
  EXPECT_EQ(d.code, broken.code) << d.str();
  EXPECT_EQ(d.where.str(), broken.place.find('-') == 0 ? broken.place : broken.name + ":" + broken.place) << d.str();
  EXPECT_NE(d.message.find(broken.message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(broken.hint), std::string::npos) << d.str();
  EXPECT_FALSE(broken.message.empty() || broken.hint.empty());
}

/// Index notation.
Broken line(std::string text, std::vector<std::string> sizes, std::string place, std::string code, std::string message,
            std::string hint) {
  return {"<notation>",    std::move(sizes),   std::move(text), std::move(place),
          std::move(code), std::move(message), std::move(hint)};
}

INSTANTIATE_TEST_SUITE_P(
    Notation, BrokenPrograms,
    testing::Values(
        line("f[i] = a[i] - 9; y[i] = x[f[i]]", {"i=8,x=8"}, "1:18", "index-out-of-range",
             "kernel 'y': index 1 of 'x' is ", "legal: 0..7"),
        line("y[i] = x[p[i] + 100]", {"i=8,x=64"}, "1:1", "index-out-of-range", " at i=0; its extent is 64", "0..63"),
        line("y[i] = x[p[i]]", {"i=8"}, "1:8", "unknown-extent", "the size of 'x' is unknown", "--size x=N"),
        line("y[i] = x[p[i]]", {"i=8,x=0"}, "--size", "bad-size", "'x=0' is not a size", "1 or more"),
        line("y[i] = x[p[i]]", {"i=8,x=-4"}, "--size", "bad-size", "'x=-4' is not a size", "1 or more"),
        line("y[i] = x[i]", {"i=99999999999999999999"}, "--size", "bad-size", "is not a size", "NAME=NUMBER"),
        line("y[i] = x[i]", {"i=99999999999999999"}, "1:8", "too-large", "tensor 'x' has more than 2^48 elements",
             "reduce"),
        line("y[i] = x[p[i],q[i]]", {"i=8,x_1=4,x_2=4"}, "1:15", "non-affine-index", "two indices of 'x'",
             "one index may"),
        line("for t in 0..4 { y[i] = x[i] }; z[i] = t", {"i=8"}, "1:39", "duplicate-name",
             "'t' counts a loop and has no value outside it", "into the loop"),
        line("z[i] = t; for t in 0..4 { y[i] = x[i] }", {"i=8"}, "1:11", "duplicate-name",
             "loop 't' has the name of a tensor", "rename"),
        line("for t in 0..4 { for t in 0..3 { y[i] = x[i] + t } }", {"i=8"}, "1:17", "duplicate-name",
             "an enclosing loop already counts 't'", "rename"),
        line("for i in 0..4 { y[i] = x[i] }", {"i=8"}, "--size", "unknown-size", "'i' counts a loop", "remove it"),
        line("for t in 4..0 { y[i] = x[i] }", {"i=8"}, "1:10", "bad-extent", "loop 't' runs from 4 up to 0", "once"),
        line("for t in 0..n { y[i] = x[i] }", {"i=8"}, "1:13", "unknown-extent", "'n' is unknown", "--size n=N"),
        line("for t in 0..p[0] { y[i] = x[i] }", {"i=8"}, "1:13", "non-affine-index", "'p' is not allowed in an index",
             "a sum of integers"),
        line("for t in 0..99999999999 { y[i] = y[i] + x[i] }", {"i=8"}, "1:27", "too-many-rounds",
             "more than 4194304 times", "fewer iterations"),
        line("for t in 0..4 { }", {}, "1:17", "empty-notation", "loop 't' is empty", "remove it"),
        line("for t in 0..4 { b[i] = a[i] + 1; swap a, c }", {"i=8"}, "1:34", "unknown-tensor", "unknown tensor 'c'",
             "choices: a, b"),
        line("for t in 0..4 { b[i] = a[i,i]; swap a, b }", {"i=8"}, "1:1", "bad-loop",
             "swaps 'a' and 'b', which differ in type or shape", "same type and shape"),
        line("m[i] += x[i,j] with b[i] = j", {"i=8,j=4"}, "1:21", "bad-with", "cannot follow a minimum or maximum",
             "m[i] min="),
        line("m[i] min= x[i,j] with b[j] = j", {"i=8,j=4"}, "1:23", "bad-with", "at the same indices", "with b[i] = j"),
        line("y[i] = x[i] limit 4", {"i=8"}, "1:13", "syntax", "found 'limit'", "';'"),
        line("o[i] append= x[i,j] if x[i,j] > 0 limit 0", {"i=8,j=4"}, "1:41", "bad-extent", "at least 1", "limit 8"),
        line("o[i] append= x[i,j] if x[i,j] > 0 count n[j]", {"i=8,j=4"}, "1:1", "bad-form",
             "'n' counts the elements appended to 'o', but has other rows", "indices of the rows"),
        line("y[i*j] = x[i,j]", {"i=8,j=4"}, "1:4", "non-affine-index", "the product of two indices", "by a number"),
        line("y[i] = x[i] where x[i] < 4", {"i=8"}, "1:24", "non-affine-condition", "sums of indices", "c ? a : b"),
        line("y[i+j] = x[i,j]", {"i=8,j=4"}, "1:1", "overlapping-write", "can map to one element of 'y'",
             "digits that cannot overlap")));

/// CNM IR: `kernel` begins in line 6 of a module with a table, indices and a result of 8 and 4 elements.
Broken ir(std::string kernel, std::string place, std::string code, std::string message, std::string hint) {
  return {"t.cnm",
          {},
          "cnm t\noperand x i32[64] input\noperand p i32[8] input\noperand y i32[8] output\noperand b i32[4] input\n" +
              kernel,
          std::move(place),
          std::move(code),
          std::move(message),
          std::move(hint)};
}

/// A kernel over i < 8 that has p[i] as %0: `statements` begin in line 10.
std::string over(const std::string &statements, const std::string &form = "") {
  return "kernel k " + form + "{\n  induction i 8 parallel\n  @0 = read p[i]\n  %0 = load i32 @0\n" + statements +
         "}\n";
}

/// The same in rounds, from line 7 on.
std::string rounds(const std::string &extent, const std::string &counter, const std::string &end = "") {
  return "for t " + extent + " {\nkernel k {\n" + counter +
         "  induction i 8 parallel\n  @0 = read p[i]\n  %0 = load i32 @0\n  store assign y[i] %0\n}\n" + end + "}\n";
}

/// CNM IR with a size `n`, and x and y of so many elements.
Broken sized(std::string extent, std::vector<std::string> sizes, std::string place, std::string code,
             std::string message, std::string hint) {
  return {"t.cnm",
          std::move(sizes),
          "cnm t\nsize n\noperand x i32[n] input\noperand y i32[n] output\nkernel k {\n  induction i " + extent +
              " parallel\n  @0 = read x[i]\n  %0 = load i32 @0\n  store assign y[i] %0\n}\n",
          std::move(place),
          std::move(code),
          std::move(message),
          std::move(hint)};
}

INSTANTIATE_TEST_SUITE_P(
    IrSizes, BrokenPrograms,
    testing::Values(sized("n", {}, "2:6", "unknown-extent", "the size of n is unknown", "--size n=N"),
                    sized("n", {"n=8,m=4"}, "--size", "unknown-size", "unknown size 'm'", "choices: n"),
                    sized("n", {"n=99999999999999999"}, "3:9", "too-large", "tensor 'x' has more than 2^48 elements",
                          "reduce"),
                    sized("m", {"n=4"}, "6:15", "unknown-size", "unknown size m", "choices: n"),
                    sized("n-9", {"n=4"}, "6:15", "cnm-number", "the extent is out of range: -5", "legal: 1 to"),
                    sized("n+1", {"n=4"}, "7:3", "out-of-bounds", "index 1 of 'x' runs over 0..4, but its extent is 4",
                          "legal: 0..3")));

INSTANTIATE_TEST_SUITE_P(
    Ir, BrokenPrograms,
    testing::Values(
        ir(over("  %1 = constant i32 -100000\n  %2 = add i32 %0 %1\n  @1 = read x[%2]\n  %3 = load i32 @1\n"
                "  store assign y[i] %3\n"),
           "6:1", "index-out-of-range", "; its extent is 64", "legal: 0..63"),
        ir(over("  @1 = read x[%1]\n  %1 = load i32 @1\n  store assign y[i] %1\n"), "10:15", "cnm-unknown-value",
           "there is no value %1 before this", "only %0"),
        ir(over("  %1 = cast f32 %0\n  @1 = read x[%1]\n  %2 = load i32 @1\n  store assign y[i] %2\n"), "11:3",
           "type-mismatch", "an index of 'x' is %1, which is f32", "cast it"),
        ir(over("  @1 = read x[%0,%0]\n  %1 = load i32 @1\n  store assign y[i] %1\n"), "10:18", "cnm-syntax",
           "two indices are values", "only one index may"),
        ir(over("  store assign y[%0] %0\n", "indirect "), "10:3", "duplicate-write",
           "points of dim 'i' may assign to the same element of 'y'", "sequential"),
        ir(over("  limit 4\n  store assign y[i] %0\n"), "6:1", "bad-form", "a limit of 4 without a selection",
           "'select'"),
        ir(over("  store assign y[0] %0\n", "select "), "6:1", "bad-form", "a predicate and the form 'select'", "both"),
        ir(over("  predicate %0\n  store assign b[0] %0\n", "select "), "6:1", "bad-form", "rows hold every point",
           "8 elements per row"),
        ir(over("  store add y[i] %0\n  store with 0 b[i] %0\n"), "11:3", "bad-form", "not a minimum or maximum",
           "follow a min or max"),
        ir(over("  store min y[i] %0\n  store with 5 b[i] %0\n"), "11:3", "bad-reference", "follows store number 5",
           "numbered 0 to 1"),
        ir(over("  store assign y[i] %0\n  store assign y[i] %0\n"), "11:3", "duplicate-write", "two stores go to 'y'",
           "split"),
        ir(rounds("4", ""), "7:1", "bad-loop", "lacks the counter of the enclosing loop 't'", "first dims"),
        ir(rounds("4", "  induction t 5 counter\n"), "7:1", "bad-loop", "'t' has extent 5, loop 't' 4 rounds",
           "the same number"),
        ir(rounds("0", "  induction t 1 counter\n"), "6:7", "cnm-number", "the number of rounds is out of range: 0",
           "legal: 1 to"),
        ir(rounds("99999999999", "  induction t 99999999999 counter\n"), "7:1", "too-many-rounds", "4194304 times",
           "fewer"),
        ir(rounds("4", "  induction t 4 counter\n", "swap x y\n"), "6:1", "bad-loop",
           "swaps 'x' and 'y', which differ in type or shape", "same type and shape"),
        ir(rounds("4", "  induction t 4 counter\n", "swap y y\n"), "6:1", "bad-reference", "swaps 'y' with itself",
           "two"),
        ir("for t 4 {\n}\n" + over("  store assign y[i] %0\n"), "6:1", "bad-loop", "contains no kernels", "remove it"),
        ir("kernel k {\n  induction t 4 counter\n  induction i 8 parallel\n  @0 = read p[i]\n  %0 = load i32 @0\n"
           "  store assign y[i] %0\n}\n",
           "6:1", "bad-loop", "dim 't' is not the counter of a loop", "put a loop around")));

#ifdef PIMENTO_TEST_WITH_LLVM
Broken c(std::string text, std::vector<std::string> sizes, std::string place, std::string code, std::string message,
         std::string hint) {
  return {"k.c",           std::move(sizes),   std::move(text), std::move(place),
          std::move(code), std::move(message), std::move(hint)};
}

INSTANTIATE_TEST_SUITE_P(
    C, BrokenPrograms,
    testing::Values(
        c("void f(const int p[4], const float x[8], float y[4]) {\n"
          "  for (int i = 0; i < 4; ++i) y[i] = x[p[i] + 100];\n}\n",
          {}, "2:36", "index-out-of-range", " at i=0; its extent is 8", "legal: 0..7"),
        c("void f(const int p[4], const int q[4], const float x[8][8], float y[4]) {\n"
          "  for (int i = 0; i < 4; ++i) y[i] = x[p[i]][q[i]];\n}\n",
          {}, "2:38", "c-not-affine", "two indices of an element come from data", "one may"),
        c("void f(int n, const float *x, float *y) {\n  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n", {}, "2:3",
          "c-bounds", "the trip count of the loop is unknown", "--size n="),
        c("void f(int n, int m, const float A[n][m], float y[n]) {\n"
          "  for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) y[i] += A[i][j];\n}\n",
          {}, "1:34", "c-bounds", "an extent of 'A' is unknown", "--size n=64,m=64"),
        c("void f(const float x[8], float y[8]) {\n  for (int i = 0; i < 8; ++i) y[i] = x[i];\n  y[i] = 0;\n}\n", {},
          "3:5", "c-syntax", "undeclared identifier 'i'", "C17"),
        c("void f(const float x[8], float y[8]) {\n"
          "  for (int i = 0; i < 8; ++i)\n    for (int i = 0; i < 9; ++i) y[i] = x[i];\n}\n",
          {}, "3:38", "c-bounds", "index 1 of 'x' runs over 0..8, but its extent is 8", "legal: 0..7"),
        c("void f(const float x[8], float y[8]) {\n  for (int i = 0; i < 8; ++i) { y[i] = x[i]; i = i + x[i]; }\n}\n",
          {}, "2:3", "c-loop-form", "changes the loop variable 'i'", "a loop variable declared in the loop"),
        c("void f(const float x[8], float y[8]) {\n  for (int i = 0; i < 8; i += 0) y[i] = x[i];\n}\n", {}, "2:3",
          "c-loop-form", "does not count", "a constant step"),
        c("void f(const float x[8], float y[8]) {\n  for (int i = 8; i < 0; ++i) y[i] = x[i];\n}\n", {}, "1:6",
          "c-function", "computes nothing", "a loop or statement"),
        c("void f(const float x[64], float y[64]) {\n  for (int i = 0; i < 8; ++i)\n"
          "    for (int j = 0; j < i * i; ++j) y[j] += x[i];\n}\n",
          {}, "3:5", "c-not-affine", "does not compare sums of loops", "sums of outer loops"),
        c("void f(const int next[8], int y[8]) {\n  int i = 0;\n  while (i >= 0) { y[i] = 1; i = next[i]; }\n}\n", {},
          "3:3", "c-loop-form", "does not count", "for (int i = 0"),
        c("void f(const int x[8], int y[1]) {\n  for (int i = 0; i < 8; ++i) { if (x[i] < 0) break; y[0] += x[i]; "
          "}\n}\n",
          {}, "2:47", "c-control-flow", "'break' is not supported in a kernel", "no goto, break or switch"),
        c("void f(const int x[8], int y[8]) {\n  for (int i = 0; i < 8; ++i) y[i] = x[i] + *\"abc\";\n}\n", {}, "2:46",
          "c-type", "'\"abc\"' is not supported in a kernel", "scalars"),
        c("void f(const int p[8], const float x[8], float y[8]) {\n  int k;\n"
          "  for (int i = 0; i < 8; ++i) { y[i] = x[k]; k = p[i]; }\n}\n",
          {}, "2:7", "c-uninitialized", "'k' is read in a loop before it is set", "before the loop"),
        c("void f(float a[8], int b[8]) {\n  for (int t = 0; t < 4; ++t) {\n"
          "    for (int i = 0; i < 8; ++i) b[i] = (int)a[i];\n    float *s = a; a = b; b = s;\n  }\n}\n",
          {}, "4:23", "c-type", "the conversion from 'int *' to 'float *'", "its declared type")));

Broken mlir(std::string text, std::string place, std::string code, std::string message, std::string hint) {
  return {"k.mlir", {}, std::move(text), std::move(place), std::move(code), std::move(message), std::move(hint)};
}

INSTANTIATE_TEST_SUITE_P(
    Mlir, BrokenPrograms,
    testing::Values(
        mlir("func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {\n  affine.for %i = 0 to 9 {\n"
             "    %v = affine.load %x[%i] : memref<8xf32>\n    affine.store %v, %y[%i] : memref<8xf32>\n  }\n  "
             "return\n}\n",
             "4:5", "out-of-bounds", "index 1 of 'x' runs over 0..8, but its extent is 8", "legal: 0..7"),
        mlir("func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {\n  affine.for %i = 8 to 0 {\n"
             "    %v = affine.load %x[%i] : memref<8xf32>\n    affine.store %v, %y[%i] : memref<8xf32>\n  }\n  "
             "return\n}\n",
             "1:1", "no-kernel", "function 'f' computes nothing", "memref argument"),
        mlir("func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {\n  %c0 = arith.constant 0 : index\n"
             "  %c8 = arith.constant 8 : index\n  scf.for %i = %c0 to %c8 step %c0 {\n"
             "    %v = memref.load %x[%i] : memref<8xf32>\n    memref.store %v, %y[%i] : memref<8xf32>\n  }\n  "
             "return\n}\n",
             "4:3", "unsupported-loop", "no positive constant step", "step 2"),
        mlir("func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {\n  %c0 = arith.constant 0 : index\n"
             "  %n = memref.dim %x, %c0 : memref<?xf32>\n  affine.for %i = 0 to %n {\n"
             "    %v = affine.load %x[%i] : memref<?xf32>\n    affine.store %v, %y[%i] : memref<?xf32>\n  }\n  "
             "return\n}\n",
             "1:14", "missing-size", "the extent of dimension 0 of %x is unknown", "--size"),
        mlir("func.func @f(%p: memref<8xi32>, %x: memref<8x8xf32>, %y: memref<8xf32>) {\n  affine.for %i = 0 to 8 {\n"
             "    %a = memref.load %p[%i] : memref<8xi32>\n    %b = arith.index_cast %a : i32 to index\n"
             "    %v = memref.load %x[%b, %b] : memref<8x8xf32>\n    affine.store %v, %y[%i] : memref<8xf32>\n  }\n"
             "  return\n}\n",
             "5:10", "unsupported-access", "two indices of 'memref.load' come from data", "one index of an element"),
        mlir("func.func @f(%p: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) {\n  affine.for %i = 0 to 8 {\n"
             "    %a = affine.load %p[%i] : memref<8xf32>\n    %b = arith.index_cast %a : f32 to index\n"
             "    %v = memref.load %x[%b] : memref<8xf32>\n    affine.store %v, %y[%i] : memref<8xf32>\n  }\n  "
             "return\n}\n",
             "4:10", "mlir-invalid", "'arith.index_cast' op operand #0", "mlir-opt-19"),
        mlir("func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {\n  affine.for %i = 0 to 8 {\n"
             "    %v = affine.load %x[%i] : memref<8xf32>\n    affine.store %v, %y[%i] : memref<8xf32>\n  }\n"
             "  %v = affine.load %x[%i] : memref<8xf32>\n  return\n}\n",
             "6:23", "mlir-syntax", "undeclared SSA value name", "mlir-opt-19"),
        mlir("func.func @f(%y: memref<8xf32>) {\n  %c0 = arith.constant 0 : index\n  %c8 = arith.constant 8 : index\n"
             "  %z = arith.constant 0.0 : f32\n  %r = scf.while (%i = %c0) : (index) -> index {\n"
             "    %t = arith.cmpi slt, %i, %c8 : index\n    scf.condition(%t) %i : index\n  } do {\n"
             "  ^bb0(%i: index):\n    memref.store %z, %y[%i] : memref<8xf32>\n    scf.yield %c8 : index\n  }\n  "
             "return\n}\n",
             "5:8", "unsupported-loop", "the 'scf.while' does not count", "scf.for")));
#endif

}  // namespace
}  // namespace pimento::driver
