// Mistakes in MLIR files: what is said, where, and what the hint offers.
#include <gtest/gtest.h>

#include <string>

#include "pimento/frontend/frontend.h"
#include "test/support/cases.h"

namespace pimento::frontend {
namespace {

Diagnostics diagnosticsOf(const std::string &text, const MlirOptions &options = {}) {
  const Result<kernel::Graph> r = importMlir(text, "k.mlir", options);
  EXPECT_FALSE(r.ok()) << text;
  return r ? Diagnostics{Diagnostic{}} : r.diagnostics();
}

/// "code@line:column" of the first diagnostic, which must carry `hint` in its hint and `said` in its message.
std::string complaint(const std::string &text, const std::string &said, const std::string &hint,
                      const MlirOptions &options = {}) {
  const Diagnostic d = diagnosticsOf(text, options).front();
  EXPECT_EQ(d.where.file, "k.mlir") << text;
  EXPECT_NE(d.message.find(said), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty()) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
  return d.code + "@" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column);
}

/// A function of two memrefs of 4 f32 whose body starts in line 2, column 1.
std::string function(const std::string &body, const std::string &arguments = "%x: memref<4xf32>, %y: memref<4xf32>") {
  return "func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}\n";
}

const std::string kCopy = "linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)";

/// A generic op over %x and %y (line 3) with the given maps, loops and body (from line 5).
std::string generic(const std::string &from, const std::string &to, const std::string &loops, const std::string &body) {
  return "func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {\n%k = arith.constant 2.0 : f32\nlinalg.generic "
         "{indexing_maps = [affine_map<" +
         from + ">, affine_map<" + to + ">], iterator_types = [" + loops +
         "]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {\n^bb0(%a: f32, %o: f32):\n" + body + "\n}\nreturn\n}\n";
}

// ---- The text ----

TEST(MlirErrors, SyntaxErrorsKeepTheirPlace) {
  EXPECT_EQ(complaint("func.func @f( {\n}\n", "expected", "MLIR 19"), "mlir-syntax@1:14");
}

TEST(MlirErrors, AnUndefinedValueIsNamed) {
  EXPECT_EQ(complaint(function("linalg.copy ins(%q : memref<4xf32>) outs(%y : memref<4xf32>)"), "undeclared SSA value",
                      "MLIR 19"),
            "mlir-syntax@2:17");
}

TEST(MlirErrors, OpsThatBreakTheirRulesAreRefusedWhereTheyStand) {
  EXPECT_EQ(complaint(function(kCopy + "\nlinalg.copy ins(%x : memref<4xf32>) outs(%z : memref<5xf32>)",
                               "%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<5xf32>"),
                      "dimension", "mlir-opt-19"),
            "mlir-invalid@3:1");
}

TEST(MlirErrors, MistakesInsideTheBodyOfANamedOpPointAtTheOp) {
  EXPECT_EQ(complaint(function("linalg.exp ins(%x : memref<4xi32>) outs(%y : memref<4xi32>)",
                               "%x: memref<4xi32>, %y: memref<4xi32>"),
                      "floating-point", "mlir-opt-19"),
            "mlir-invalid@2:1");
}

TEST(MlirErrors, BytecodeIsNotText) {
  EXPECT_EQ(complaint("ML\xefR\x01", "bytecode", "mlir-opt"), "not-text@0:0");
  EXPECT_EQ(complaint(std::string("func.func\0 @f", 13), "zero byte", "mlir-opt"), "not-text@1:10");
}

TEST(MlirErrors, DeepNestingIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(complaint("\n" + std::string(100000, '('), "nested brackets", "200 deep"), "too-deep@2:201");
  std::string sum = "#m = affine_map<(d0) -> (d0";
  for (int i = 0; i < 100000; ++i) sum += " + d0";
  EXPECT_EQ(complaint(sum + ")>\n", "terms", "1000 terms").substr(0, 11), "too-deep@1:");
  std::string aliases = "!t0 = i32\n";
  for (int i = 1; i < 20000; ++i) aliases += "!t" + std::to_string(i) + " = tuple<!t" + std::to_string(i - 1) + ">\n";
  EXPECT_EQ(complaint(aliases, "aliases", "1000 aliases"), "too-deep@1001:1");
  EXPECT_EQ(complaint("func.func @f() { %c = arith.constant " + std::string(100000, '9') + " : i32 return }", "number",
                      "1000 characters")
                .substr(0, 11),
            "too-deep@1:");
}

TEST(MlirErrors, LongFilesAreRefused) {
  EXPECT_EQ(complaint(std::string((std::size_t{16} << 20) + 1, ' '), "bytes", "function arguments"), "too-long@0:0");
}

TEST(MlirErrors, LongBodiesAreRefused) {
  std::string body = "%v0 = arith.addf %a, %k : f32\n";
  for (int i = 1; i < 5000; ++i) {
    body += "%v" + std::to_string(i) + " = arith.addf %v" + std::to_string(i - 1) + ", %k : f32\n";
  }
  EXPECT_EQ(complaint(generic("(d0) -> (d0)", "(d0) -> (d0)", "\"parallel\"", body + "linalg.yield %v4999 : f32"),
                      "4096 ops", "split"),
            "too-long@3:1");
}

TEST(MlirErrors, CrashesOfMlirsParserAreSurvived) {
  if (test::isSanitized()) GTEST_SKIP() << "what the parser held is lost, which the leak checker reports";
  // MLIR 19 reports the missing bracket and then follows a null pointer.
  const std::string text =
      function("linalg.reduce { arith.addf } ins(%x : memref<4xf32>) outs(%y : memref<f32>) dimensions = [0\nreturn",
               "%x: memref<4xf32>, %y: memref<f32>");
  EXPECT_EQ(complaint(text, "expected", "MLIR 19"), "mlir-syntax@2:92");
  // Here it says nothing before.
  const std::string number = generic("(d0) -> (d0)", "(d0) -> (d0)", "7", "linalg.yield %a : f32");
  EXPECT_EQ(complaint(number, "crashed", "attributes"), "mlir-crash@0:0");
}

// ---- Ops ----

TEST(MlirErrors, OpsOfOtherDialectsAreNamed) {
  EXPECT_EQ(complaint(function(kCopy + "\ngpu.barrier"), "'gpu.barrier' (dialect 'gpu')", "linalg.generic"),
            "unsupported-op@3:1");
  EXPECT_EQ(complaint(function("  \"foo.bar\"() : () -> ()"), "'foo.bar' (dialect 'foo')", "linalg.generic"),
            "unsupported-op@2:3");
  EXPECT_EQ(complaint(function("linalg.frobnicate"), "'linalg.frobnicate'", "linalg.generic"), "unsupported-op@2:1");
}

TEST(MlirErrors, AllUnsupportedOpsAreListedAtOnce) {
  const Diagnostics ds = diagnosticsOf(
      function("%c = arith.constant 0.0 : f32\n%v = memref.rank %x : memref<4xf32>\nmemref.assume_alignment %x, 4 : "
               "memref<4xf32>\n%t = math.atan %c : f32"));
  ASSERT_EQ(ds.size(), 3u);
  EXPECT_EQ(ds[0].str().substr(0, 26), "k.mlir:3:6: error: operati");
  EXPECT_NE(ds[0].message.find("'memref.rank' (dialect 'memref')"), std::string::npos);
  EXPECT_NE(ds[1].message.find("'memref.assume_alignment'"), std::string::npos);
  EXPECT_NE(ds[2].message.find("'math.atan' (dialect 'math')"), std::string::npos);
}

TEST(MlirErrors, OpsInABodyAreNamed) {
  EXPECT_EQ(complaint(generic("(d0) -> (d0)", "(d0) -> (d0)", "\"parallel\"",
                              "%r = math.atan %a : f32\nlinalg.yield %r : f32"),
                      "'math.atan' (dialect 'math')", "tanh"),
            "unsupported-op@5:6");
}

TEST(MlirErrors, ArithmeticOnTruthValuesIsNamed) {
  EXPECT_EQ(complaint(generic("(d0) -> (d0)", "(d0) -> (d0)", "\"parallel\"",
                              "%p = arith.cmpf olt, %a, %k : f32\n%q = arith.shli %p, %p : i1\n%r = arith.select %q, "
                              "%a, %k : f32\nlinalg.yield %r : f32"),
                      "arith.shli on i1", "andi"),
            "unsupported-op@6:6");
}

TEST(MlirErrors, ConstantsMustHaveTheSizeOfTheirType) {
  EXPECT_EQ(
      complaint("func.func @f() -> tensor<2xf32> {\n%c = arith.constant dense_resource<r> : tensor<2xf32>\nreturn %c "
                ": tensor<2xf32>\n}\n{-#\ndialect_resources: {\nbuiltin: {\nr: \"0x040000000000803F\"\n}\n}\n#-}\n",
                "has 4 bytes, its type 'tensor<2xf32>' needs 8", "4 bytes of alignment"),
      "constant-size@2:6");
}

TEST(MlirErrors, GlobalsThatChangeAreNotTakenIn) {
  EXPECT_EQ(
      complaint("ml_program.global private mutable @g(dense<0.0> : tensor<4xf32>) : tensor<4xf32>\n"
                "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n%g = ml_program.global_load @g : tensor<4xf32>\n"
                "ml_program.global_store @g = %x : tensor<4xf32>\nreturn %g : tensor<4xf32>\n}\n",
                "'ml_program.global_load'", "as an argument"),
      "unsupported-op@3:6");
  EXPECT_EQ(complaint("memref.global \"private\" @g : memref<4xf32> = dense<1.0>\n"
                      "func.func @f(%y: memref<4xf32>) {\n%g = memref.get_global @g : memref<4xf32>\n"
                      "memref.copy %g, %y : memref<4xf32> to memref<4xf32>\nreturn\n}\n",
                      "'g' is not a constant", "as an argument"),
            "unsupported-op@3:6");
}

// ---- Calls, wrappers, tosa ----

TEST(MlirErrors, RecursionIsNamedWhereItStands) {
  EXPECT_EQ(complaint("func.func @f(%x: memref<4xf32>) {\ncall @g(%x) : (memref<4xf32>) -> ()\nreturn\n}\n"
                      "func.func private @g(%x: memref<4xf32>) {\ncall @f(%x) : (memref<4xf32>) -> ()\nreturn\n}\n",
                      "'f' calls itself", "scf.for", {"f", {}}),
            "recursive-function@6:1");
}

TEST(MlirErrors, CalledFunctionsNeedOneBlock) {
  EXPECT_EQ(complaint("func.func private @g(memref<4xf32>)\nfunc.func @f(%x: memref<4xf32>) {\n"
                      "call @g(%x) : (memref<4xf32>) -> ()\nreturn\n}\n",
                      "'g' has no body", "define it"),
            "unsupported-call@3:1");
  EXPECT_EQ(complaint("func.func private @g() {\nreturn\n^bb1:\nreturn\n}\nfunc.func @f() {\ncall @g() : () -> "
                      "()\nreturn\n}\n",
                      "'g' has several blocks", "straight-line"),
            "unsupported-call@7:1");
}

TEST(MlirErrors, UnknownOpsThatAreMoreThanWrappersAreNamed) {
  const std::string parts = "%x: memref<4xf32>, %y: memref<4xf32>";
  EXPECT_EQ(complaint(function("gpu.launch blocks(%a) in (%b = %c) {\n}", parts), "'gpu.launch'", "linalg.generic"),
            "unsupported-op@2:1");
  EXPECT_EQ(
      complaint(function("\"foo.two\"() ({\n\"foo.yield\"() : () -> ()\n}, {\n\"foo.yield\"() : () -> ()\n}) : () "
                         "-> ()",
                         parts),
                "'foo.two' (dialect 'foo')", "one block that yields its results"),
      "unsupported-op@2:1");
}

TEST(MlirErrors, WhatMlirCannotLowerIsNamed) {
  EXPECT_EQ(
      complaint("func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n%0 = \"tosa.custom\"(%x) <{domain_name = "
                "\"d\", implementation_attrs = \"\", operator_name = \"o\"}> : (tensor<2x2xf32>) -> "
                "tensor<2x2xf32>\nreturn %0 : tensor<2x2xf32>\n}\n",
                "tosa.custom", "linalg"),
      "unsupported-op@2:6");
  EXPECT_EQ(
      complaint("func.func @f(%x: tensor<4xf32>) -> tensor<3xf32> {\n%c = arith.constant 0.0 : f32\n%0 = tensor.pad "
                "%x low[-1] high[0] {\n^bb0(%i: index):\ntensor.yield %c : f32\n} : tensor<4xf32> to "
                "tensor<3xf32>\nreturn %0 : tensor<3xf32>\n}\n",
                "removes elements", "extract_slice"),
      "unsupported-op@3:6");
}

TEST(MlirErrors, ReductionsOfParallelLoopsAreNamed) {
  EXPECT_EQ(
      complaint("func.func @f(%x: memref<4xi32>, %y: memref<1xi32>) {\n%r = affine.parallel (%i) = (0) to (4) reduce "
                "(\"ori\") -> (i32) {\n%a = affine.load %x[%i] : memref<4xi32>\naffine.yield %a : i32\n}\n"
                "affine.store %r, %y[0] : memref<1xi32>\nreturn\n}\n",
                "reduces by 'ori'", "affine.for"),
      "unsupported-loop@2:6");
}

TEST(MlirErrors, AReturnedScalarIsNotTakenIn) {
  EXPECT_EQ(complaint("func.func @f(%s: f32) -> f32 {\nreturn %s : f32\n}\n", "returning", "rank 0"),
            "unsupported-op@2:1");
}

TEST(MlirErrors, SeveralBlocksAreNotTakenIn) {
  EXPECT_EQ(complaint("func.func @f() {\nreturn\n^bb1:\nreturn\n}\n", "several blocks", "straight-line"),
            "unsupported-op@1:1");
}

// ---- Types ----

TEST(MlirErrors, ElementTypesAreListed) {
  EXPECT_EQ(complaint(function("linalg.copy ins(%x : memref<4xi7>) outs(%y : memref<4xi7>)",
                               "%x: memref<4xi7>, %y: memref<4xi7>"),
                      "'i7'", "bf16"),
            "unsupported-type@1:14");
  EXPECT_EQ(complaint(function("linalg.copy ins(%x : memref<4xcomplex<f32>>) outs(%y : memref<4xcomplex<f32>>)",
                               "%x: memref<4xcomplex<f32>>, %y: memref<4xcomplex<f32>>"),
                      "complex<f32>", "bf16"),
            "unsupported-type@1:14");
}

TEST(MlirErrors, LayoutsAndMemorySpacesAreNotTakenIn) {
  const std::string strided = "memref<4xf32, strided<[2]>>";
  EXPECT_EQ(complaint(function("linalg.copy ins(%x : " + strided + ") outs(%y : memref<4xf32>)",
                               "%x: " + strided + ", %y: memref<4xf32>"),
                      "layout", "row-major"),
            "unsupported-type@1:14");
  EXPECT_EQ(complaint(function("linalg.copy ins(%x : memref<4xf32, 1>) outs(%y : memref<4xf32>)",
                               "%x: memref<4xf32, 1>, %y: memref<4xf32>"),
                      "memory space", "--target"),
            "unsupported-type@1:14");
}

TEST(MlirErrors, UnrankedMemrefsAreNotTakenIn) {
  EXPECT_EQ(
      complaint(function("memref.copy %x, %y : memref<*xf32> to memref<4xf32>", "%x: memref<*xf32>, %y: memref<4xf32>"),
                "memref<*xf32>", "ranked"),
      "unsupported-type@1:14");
}

TEST(MlirErrors, ScalarTypesAreListed) {
  EXPECT_EQ(complaint(function(kCopy + "\nlinalg.fill ins(%s : i128) outs(%z : memref<4xi32>)",
                               "%x: memref<4xf32>, %y: memref<4xf32>, %s: i128, %z: memref<4xi32>"),
                      "i128", "integer type"),
            "unsupported-type@1:52");
}

// ---- Accesses, reductions, buffers ----

TEST(MlirErrors, IndicesThatAreNotAffineAreShown) {
  const std::string text =
      "func.func @f(%x: memref<2xf32>, %y: memref<4xf32>) {\nlinalg.generic {indexing_maps = [affine_map<(d0) -> (d0 "
      "floordiv 2)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} ins(%x : memref<2xf32>) outs(%y : "
      "memref<4xf32>) {\n^bb0(%a: f32, %o: f32):\nlinalg.yield %a : f32\n}\nreturn\n}\n";
  EXPECT_EQ(complaint(text, "'d0 floordiv 2'", "integer constants"), "unsupported-access@2:1");
}

TEST(MlirErrors, CoefficientsBeyond64BitsAreRefused) {
  const std::string text =
      "func.func @f(%x: memref<?xf32>, %y: memref<4xf32>) {\nlinalg.generic {indexing_maps = [affine_map<(d0) -> ((d0 "
      "* "
      "4611686018427387904 + 3) * 4)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} "
      "ins(%x : memref<?xf32>) outs(%y : memref<4xf32>) {\n^bb0(%a: f32, %o: f32):\nlinalg.yield %a : "
      "f32\n}\nreturn\n}\n";
  EXPECT_EQ(complaint(text, "64 bits", "integer constants", {{}, {{"x:0", 4}}}), "unsupported-access@2:1");
}

TEST(MlirErrors, ReadingPastTheEndIsRefused) {
  const std::string text =
      "func.func @f(%x: memref<?xf32>, %y: memref<4xf32>) {\nlinalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + "
      "3)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} ins(%x : memref<?xf32>) outs(%y : "
      "memref<4xf32>) {\n^bb0(%a: f32, %o: f32):\nlinalg.yield %a : f32\n}\nreturn\n}\n";
  EXPECT_EQ(complaint(text, "runs over 3..6", "0..4", {{}, {{"x:0", 5}}}), "out-of-bounds@2:1");
}

TEST(MlirErrors, AddingToNothingIsUninitialized) {
  const std::string text =
      "func.func @f(%A: tensor<4x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {\n%e = tensor.empty() : "
      "tensor<4xf32>\n%r = "
      "linalg.matvec ins(%A, %x : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\nreturn %r "
      ": "
      "tensor<4xf32>\n}\n";
  EXPECT_EQ(complaint(text, "%e", "linalg.fill"), "uninitialized@3:6");
}

TEST(MlirErrors, ReadingNothingIsUninitialized) {
  EXPECT_EQ(complaint(function("%t = memref.alloc() : memref<4xf32>\nlinalg.exp ins(%t : memref<4xf32>) outs(%y : "
                               "memref<4xf32>)",
                               "%y: memref<4xf32>"),
                      "never written", "linalg.fill"),
            "uninitialized@3:1");
  EXPECT_EQ(
      complaint(function("%t = memref.alloc() : memref<4xf32>\nmemref.copy %t, %y : memref<4xf32> to memref<4xf32>",
                         "%y: memref<4xf32>"),
                "%t is copied", "linalg.fill"),
      "uninitialized@3:1");
  EXPECT_EQ(complaint("func.func @f() -> tensor<4xf32> {\n%e = tensor.empty() : tensor<4xf32>\nreturn %e : "
                      "tensor<4xf32>\n}\n",
                      "%e is returned", "linalg op"),
            "uninitialized@3:1");
}

TEST(MlirErrors, AMemrefReadWhereItIsWrittenIsRefused) {
  EXPECT_EQ(complaint(function("linalg.matvec ins(%A, %y : memref<4x4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)",
                               "%A: memref<4x4xf32>, %y: memref<4xf32>"),
                      "%y is read and written", "memref.alloc"),
            "aliased-operand@2:1");
}

TEST(MlirErrors, AFunctionWithoutResultsComputesNothing) {
  EXPECT_EQ(complaint(function(""), "'f' computes nothing", "memref argument"), "no-kernel@1:1");
}

// ---- Functions and sizes ----

TEST(MlirErrors, AFileNeedsAFunction) {
  EXPECT_EQ(complaint("", "no func.func", "func.func @"), "no-function@0:0");
  EXPECT_EQ(complaint("func.func private @f(%x: memref<4xf32>)\n", "no func.func", "func.func @"), "no-function@0:0");
  EXPECT_EQ(complaint("func.func private @f() {\nreturn\n}\n", "private", "--function"), "no-function@0:0");
}

TEST(MlirErrors, AMisspelledFunctionGetsASuggestion) {
  EXPECT_EQ(complaint("func.func @gemv() { return }", "'gemw'", "did you mean 'gemv'", {"gemw", {}}),
            "unknown-function@0:0");
}

const std::string kDynamic =
    function("linalg.copy ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)", "%x: memref<?xf32>, %y: memref<?xf32>");

TEST(MlirErrors, AnUnstatedSizeListsItsNames) {
  EXPECT_EQ(complaint(kDynamic, "dimension 0 of %x", "d0, x:0, y:0"), "missing-size@1:14");
}

TEST(MlirErrors, AnUnknownSizeListsTheNames) {
  EXPECT_EQ(complaint(kDynamic, "'n'", "d0, x:0, y:0", {{}, {{"n", 4}}}), "unknown-size@0:0");
}

TEST(MlirErrors, SizesThatContradictAreRefused) {
  EXPECT_EQ(complaint(kDynamic, "y:0=5 contradicts 4", "d0, x:0, y:0", {{}, {{"d0", 4}, {"y:0", 5}}}),
            "size-mismatch@1:14");
  EXPECT_EQ(complaint(function(kCopy), "d0=5 contradicts 4", "d0", {{}, {{"d0", 5}}}), "size-mismatch@0:0");
}

TEST(MlirErrors, OpsThatForceDifferentExtentsAreRefused) {
  const std::string text = function(
      "linalg.copy ins(%x : memref<4xf32>) outs(%t : memref<?xf32>)\nlinalg.copy ins(%t : memref<?xf32>) outs(%y : "
      "memref<5xf32>)",
      "%x: memref<4xf32>, %t: memref<?xf32>, %y: memref<5xf32>");
  EXPECT_EQ(complaint(text, "has 5 and 4", "'?'"), "size-mismatch@3:1");
}

TEST(MlirErrors, SizesArePositive) {
  EXPECT_EQ(complaint(kDynamic, "d0=0", "at least 1", {{}, {{"d0", 0}}}), "bad-size@0:0");
  EXPECT_EQ(complaint(function("linalg.copy ins(%x : memref<0xf32>) outs(%y : memref<0xf32>)",
                               "%x: memref<0xf32>, %y: memref<0xf32>"),
                      "extent 0", "at least 1"),
            "bad-size@1:14");
}

TEST(MlirErrors, ComputedSizesNeedNumbersThatAreKnown) {
  const auto text = [](const std::string &type, const std::string &size) {
    return "func.func @f(%n: " + type + ", %x: memref<4xindex>) -> tensor<?xf32> {\n%z = arith.constant 0.0 : f32\n" +
           "%c0 = arith.constant 0 : index\n" + size +
           "\n%e = tensor.empty(%m) : tensor<?xf32>\n%r = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> "
           "tensor<?xf32>\nreturn %r : tensor<?xf32>\n}\n";
  };
  EXPECT_EQ(
      complaint(text("index", "%m = memref.load %x[%c0] : memref<4xindex>"), "dimension 0 is computed", "arguments"),
      "unsupported-size@5:6");
  EXPECT_EQ(complaint(text("index", "%m = arith.addi %n, %n : index"), "index argument %n", "--size n=N"),
            "missing-size@1:14");
  EXPECT_EQ(complaint(text("i32", "%m = arith.index_cast %n : i32 to index"), "%n decides an extent", "--size n=N"),
            "missing-size@1:14");
  EXPECT_EQ(complaint(text("index", "%m = arith.subi %c0, %n : index"), "extent -3", "at least 1", {{}, {{"n", 3}}}),
            "bad-size@5:6");
}

TEST(MlirErrors, ComputedSizesMustFit) {
  EXPECT_EQ(complaint("func.func @f(%n: index, %x: tensor<8xf32>) -> tensor<12xf32> {\n%z = arith.constant 0.0 : f32\n"
                      "%p = tensor.pad %x low[%n] high[0] {\n^bb0(%i: index):\ntensor.yield %z : f32\n} : "
                      "tensor<8xf32> to tensor<?xf32>\n%c = tensor.cast %p : tensor<?xf32> to tensor<12xf32>\n"
                      "return %c : tensor<12xf32>\n}\n",
                      "is 11, but must equal 12", "agree", {{}, {{"n", 3}}})
                .substr(0, 13),
            "size-mismatch");
}

TEST(MlirErrors, ProductsSayWhichOperandsTheyTranspose) {
  const auto product = [](const std::string &maps) {
    return "func.func @f(%a: memref<4x8xf32>, %b: memref<4x6xf32>, %c: memref<8x6xf32>) {\nlinalg.matmul indexing_maps "
           "= [" +
           maps + "] ins(%a, %b : memref<4x8xf32>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)\nreturn\n}\n";
  };
  const std::string a = "affine_map<(m, n, k) -> (k, m)>, ", b = "affine_map<(m, n, k) -> (k, n)>";
  EXPECT_EQ(complaint(product(a + b), "three indexing maps", "MLIR 19"), "mlir-syntax@2:1");
  EXPECT_EQ(complaint(product(a + b + ", affine_map<(m, n, k) -> (n, m)>"), "that of the product", "MLIR 19"),
            "mlir-syntax@2:1");
  EXPECT_EQ(complaint(product(a + b + ", affine_map<(m, n) -> (m, n)>"), "3 loops of the product", "MLIR 19"),
            "mlir-syntax@2:1");
  EXPECT_EQ(complaint(product(a + b + ", 4"), "affine maps", "MLIR 19"), "mlir-syntax@2:29");
  EXPECT_EQ(complaint(product(b + ", " + a + "affine_map<(m, n, k) -> (m, n)>"), "", "mlir-opt-19").substr(0, 12),
            "mlir-invalid");
}

TEST(MlirErrors, AConstantArgumentIsAnArrayThatNothingWrites) {
  const auto text = [](const std::string &scalar, const std::string &input, const std::string &output) {
    return "func.func @f(%s: f32" + scalar + ", %x: memref<8xf32>" + input + ", %y: memref<8xf32>" + output +
           ") {\nlinalg.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)\n"
           "linalg.fill ins(%s : f32) outs(%x : memref<8xf32>)\nreturn\n}\n";
  };
  EXPECT_EQ(complaint(text("", "", " {pimento.constant}"), "%y is 'pimento.constant'", "remove"),
            "constant-written@1:42");
  EXPECT_EQ(complaint(text("", " {pimento.constant}", ""), "%x is 'pimento.constant'", "remove"),
            "constant-written@1:23");
  EXPECT_EQ(complaint(text("", " {pimento.constant = 4}", ""), "takes no value", "--data"), "bad-attribute@1:23");
  EXPECT_EQ(complaint(text(" {pimento.constant}", "", ""), "on a scalar", "scalars"), "bad-attribute@1:14");
  EXPECT_EQ(complaint(text("", " {pimento.const}", ""), "'pimento.const' is no attribute", "pimento.constant"),
            "unknown-attribute@1:23");
}

TEST(MlirErrors, EnormousShapesAreRefused) {
  const std::string huge = "memref<4611686018427387904x4611686018427387904xf32>";
  EXPECT_EQ(
      complaint(function("linalg.exp ins(%x : " + huge + ") outs(%y : " + huge + ")", "%x: " + huge + ", %y: " + huge),
                "2^48", "extents")
          .substr(0, 9),
      "too-large");
}

// ---- Loop nests ----

/// %x[4] and %y[4] in a loop over %i: lines 2 to 4.
std::string loop(const std::string &body, const std::string &head = "affine.for %i = 0 to 4 {") {
  return function(head + "\n" + body + "\n}");
}

TEST(MlirErrors, LoopsThatCannotBeReadAreNamed) {
  EXPECT_EQ(complaint(loop("%t = memref.realloc %x : memref<4xf32> to memref<8xf32>"), "'memref.realloc'", "in a nest"),
            "unsupported-op@3:6");
  EXPECT_EQ(
      complaint(loop("affine.for %j = max affine_map<(d0) -> (d0, 1)>(%i) to 4 step 2 {\n}"), "step 1", "multiply"),
      "unsupported-loop@3:1");
  EXPECT_EQ(complaint(loop("%a = affine.load %x[%i + 1] : memref<4xf32>\naffine.store %a, %y[%i] : memref<4xf32>"),
                      "runs over", "guard"),
            "out-of-bounds@4:1");
}

TEST(MlirErrors, AddingToWhatNothingWroteIsNamed) {
  EXPECT_EQ(
      complaint(function("%t = memref.alloc() : memref<4xf32>\naffine.for %i = 0 to 4 {\n%a = affine.load %t[%i] : "
                         "memref<4xf32>\n%b = affine.load %x[%i] : memref<4xf32>\n%s = arith.addf %a, %b : f32\n"
                         "affine.store %s, %t[%i] : memref<4xf32>\n}\n%v = affine.load %t[0] : memref<4xf32>\n"
                         "affine.store %v, %y[0] : memref<4xf32>"),
                "was never written", "initial value"),
      "uninitialized@7:1");
}

}  // namespace
}  // namespace pimento::frontend
