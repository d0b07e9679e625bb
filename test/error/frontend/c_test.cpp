// Mistakes in C kernels: what is said, where, and what the hint offers.
#include <gtest/gtest.h>

#include <string>

#include "pimento/frontend/frontend.h"

namespace pimento::frontend {
namespace {

/// "code@line:column" of the first diagnostic, which must carry `said` in its message and `hint` in its hint.
std::string complaint(const std::string &text, const std::string &said, const std::string &hint,
                      const CKernelOptions &options = {}) {
  const Result<CKernels> r = importC(text, "k.c", options);
  EXPECT_FALSE(r.ok()) << text;
  if (r) return "none";
  const Diagnostic d = r.diagnostics().front();
  EXPECT_NE(d.message.find(said), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
  return d.code + "@" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column);
}

/// A function of two arrays of 8 floats whose body starts in line 2, column 1.
std::string function(const std::string &body) {
  return "void f(int n, const float x[restrict 8], float y[restrict 8]) {\n" + body + "\n}\n";
}

TEST(CErrors, WhatClangRefusesIsSaidInItsWords) {
  EXPECT_EQ(complaint(function("y[0] = z;"), "undeclared identifier 'z'", "C17"), "c-syntax@2:8");
  EXPECT_EQ(complaint("#include <gsl/gsl.h>\n", "file not found", "--include"), "c-syntax@1:10");
  EXPECT_EQ(complaint("#include <stdio.h>\n#include \"gemm.h\"\n", "'gemm.h' file not found", "--include"),
            "c-syntax@2:10");
  EXPECT_EQ(complaint(function("y[0] = x[0]"), "expected ';'", "C17"), "c-syntax@2:12");
}

TEST(CErrors, MacrosHaveNames) {
  CKernelOptions options;
  options.preprocessing.defines = {"2=N"};
  EXPECT_EQ(complaint(function("y[0] = x[0];"), "'2=N' does not define a macro", "NAME=VALUE", options),
            "bad-define@0:0");
}

TEST(CErrors, TheFunctionMustBeClear) {
  const std::string two = "void f(float x[4]) { x[0] = 1; }\nvoid g(float x[4]) { x[0] = 2; }\n";
  EXPECT_EQ(complaint(two, "2 functions", "--function: f, g"), "c-function@0:0");
  EXPECT_EQ(complaint(two, "no function 'h'", "f", {"h", {}}), "c-function@0:0");
  EXPECT_EQ(complaint(two + "int main(void) { return 0; }\n", "2 functions", "--function: f, g"), "c-function@0:0");
  EXPECT_EQ(complaint("int x;\n", "no function to start from", "define one"), "c-function@0:0");
  EXPECT_EQ(complaint("void f(const float x[4]) {}\n", "computes nothing", "stores to a parameter"), "c-function@1:6");
}

TEST(CErrors, OneIndexOfAnElementMayComeFromData) {
  EXPECT_EQ(complaint("void f(const int i[8], const float x[restrict 8][8], float y[restrict 8]) {\n"
                      "for (int k = 0; k < 8; k++) y[k] = x[i[k]][i[k]];\n}\n",
                      "two indices", "one may"),
            "c-not-affine@2:36");
  EXPECT_EQ(complaint("void f(const int *i, const float *x, float *y) {\n"
                      "for (int k = 0; k < 8; k++) y[k] = x[i[k]];\n}\n",
                      "the number of elements of 'x' is unknown", "declare the parameter with its extent"),
            "c-bounds@2:36");
}

TEST(CErrors, LoopsCount) {
  const std::string hint = "for (int i = 0";
  EXPECT_EQ(complaint(function("for (;;) y[0] = 1;"), "no condition", hint), "c-loop-form@2:1");
  EXPECT_EQ(complaint(function("for (int i = 1; i < 8; i *= 2) y[i] = 1;"), "does not count", hint), "c-loop-form@2:1");
  EXPECT_EQ(complaint(function("int i = 8; while (i > 0) { i--; y[i] = 1; }"),
                      "its last statement does not change a variable", hint),
            "c-loop-form@2:12");
  EXPECT_EQ(complaint(function("for (int i = 0; i < 8; i--) y[0] = 1;"), "never ends", hint), "c-loop-form@2:1");
  EXPECT_EQ(
      complaint(function("for (int i = 0; i < 8; i++) { y[i] = 1; i++; }"), "changes the loop variable 'i'", hint),
      "c-loop-form@2:1");
  EXPECT_EQ(complaint(function("do { y[0] = x[0]; } while (y[0] > 0);"), "does not count", hint), "c-loop-form@2:1");
  EXPECT_EQ(complaint(function("for (int j = 0; j < 8; j++) { int i = j; do { y[i] = 1; i++; } while (i < 4); }"),
                      "do-while", "for"),
            "c-loop-form@2:42");
  EXPECT_EQ(complaint(function("for (float t = 0; t < 1; t += 0.125f) y[0] += t;"), "does not count", hint),
            "c-loop-form@2:1");
  EXPECT_EQ(complaint(function("const float *p = x; while (p < x + 8) y[0] += *p++;"), "does not count", hint),
            "c-loop-form@2:21");
  EXPECT_EQ(complaint(function("for (int i = 0; i < 8 && x[i] > 0; i++) y[i] = 1;"), "depends on data", hint),
            "c-not-affine@2:1");
}

TEST(CErrors, LoopsThatDataBoundHaveLimits) {
  const auto rows = [](const std::string &extent, const std::string &body) {
    return "void f(int *restrict p, int v" + extent + ", int y[restrict 8]) {\nfor (int i = 0; i < 8; i++)\n" + body +
           "\n}\n";
  };
  EXPECT_EQ(complaint(rows("[]", "for (int e = p[i]; e < p[i + 1]; e++) y[i] += v[e];"), "the range of 'e' is unknown",
                      "float val[n]"),
            "c-bounds@3:1");
  EXPECT_EQ(complaint(rows("[40]", "for (int e = p[i]; e < p[i + 1]; e++) p[i] -= v[e];"), "changes its own trip count",
                      "does not write"),
            "c-loop-form@3:1");
  EXPECT_EQ(complaint(rows("[40]", "for (int e = p[i + 1] - 1; e >= p[i]; e--) y[i] += v[e];"),
                      "the initial value of 'e'", "count up by 1"),
            "c-not-affine@3:1");
  EXPECT_EQ(
      complaint(rows("[40]", "for (int e = p[i]; e < p[i + 1] * e; e++) y[i] += v[e];"), "depends on data", "for"),
      "c-not-affine@3:1");
  EXPECT_EQ(
      complaint(rows("[40]", "{ int s = 1; for (int e = p[i]; e < p[i + 1]; e++) { y[i] += s; s = s * 3 + v[e]; } }"),
                "'s' is carried through a loop of varying length", "guard"),
      "c-loop-form@3:7");
  EXPECT_EQ(complaint(rows("[40]",
                           "for (int e = p[i]; e < p[i + 1]; e++) {\n"
                           "for (int k = 0; k < 8; k++) y[k] += v[e]; v[e + 1] = y[0]; }"),
                      "iterations of 'e', whose bounds come from data, depend", "per statement"),
            "c-dependence@4:34");
}

TEST(CErrors, SizesAreSaid) {
  EXPECT_EQ(complaint(function("for (int i = 0; i < n; i++) y[i] = x[i];"), "unknown", "--size n=64"), "c-bounds@2:1");
  EXPECT_EQ(complaint("void f(int n, float y[n]) {\ny[0] = 1;\n}\n", "extent of 'y'", "--size n=64"), "c-bounds@1:21");
  EXPECT_EQ(complaint(function("y[0] = x[n];"), "unknown", "--size n=64"), "c-bounds@2:8");
  EXPECT_EQ(complaint(function("y[0] = 1;"), "no integer parameter 'm'", "n", {{}, {{"m", 3}}}), "unknown-size@0:0");
  EXPECT_EQ(
      complaint("void f(int n, float *y) {\ny[0] = n;\n}\n", "'n' is of type 'int', in which 2147483648 does not fit",
                "wider type", {{}, {{"n", 2147483648}}}),
      "bad-size@1:12");
}

TEST(CErrors, AccessesStayWithinTheirArrays) {
  EXPECT_EQ(complaint(function("for (int i = 0; i <= 8; i++) y[i] = 1;"), "extent is 8", "guard"), "c-bounds@2:35");
  EXPECT_EQ(
      complaint(
          "void f(const float *restrict x, float *restrict y) {\nfor (int i = 0; i < 4; i++) y[i] = x[i - 1];\n}\n",
          "-1..2", "if"),
      "c-bounds@2:36");
  EXPECT_EQ(complaint("void f(const int x[8], int *h) {\nfor (int i = 0; i < 8; i++) h[x[i]]++;\n}\n", "'h'", "h[256]"),
            "c-bounds@2:29");
  EXPECT_EQ(complaint(function("float z[0]; z[0] = x[0]; y[0] = z[0];"), "extent of 'z'", "at least 1"),
            "c-bounds@2:7");
}

TEST(CErrors, FunctionsAreInlined) {
  EXPECT_EQ(complaint("#include <math.h>\nvoid f(float y[4]) {\ny[0] = cbrtf(y[1]);\n}\n", "'cbrtf'", "exp"),
            "c-call@3:8");
  EXPECT_EQ(complaint("int g(int n) { return n < 2 ? 1 : g(n - 1); }\nvoid f(int y[4]) {\ny[0] = g(y[1]);\n}\n",
                      "calls itself", "loop", {"f", {}}),
            "c-call@1:35");
  EXPECT_EQ(complaint("int g(int n, int m);\nint h(int n, int m) { return n < m ? g(m, n) : 1; }\n"
                      "int g(int n, int m) { return h(n - 1, m); }\nvoid f(int y[4]) {\ny[0] = g(y[1], y[2]);\n}\n",
                      "'g' calls itself", "loop", {"f", {}}),
            "c-call@2:38");
  EXPECT_EQ(complaint("int g(int n, ...) { return n; }\nvoid f(int y[4]) {\ny[0] = g(1, y[1]);\n}\n",
                      "'g' cannot be inlined", "fixed argument list"),
            "c-call@3:8");
  EXPECT_EQ(complaint("void f(float (*op)(float), const float x[restrict 4], float y[restrict 4]) {\n"
                      "for (int i = 0; i < 4; i++) y[i] = op(x[i]);\n}\n",
                      "'float (float)' is not supported", "integers"),
            "c-type@1:16");
  EXPECT_EQ(complaint("static float twice(float v) { return 2 * v; }\nvoid f(float y[4]) {\n"
                      "float (*op)(float) = twice;\ny[0] = op(y[1]);\n}\n",
                      "a function is used as a value", "by its name"),
            "c-call@3:22");
}

TEST(CErrors, FilesAroundKernelsStayOutside) {
  EXPECT_EQ(complaint("#include <stdio.h>\nvoid f(float y[4]) {\nprintf(\"%f\", y[0]);\n}\n", "'printf'", "output"),
            "c-call@3:1");
  EXPECT_EQ(complaint("#include <stdlib.h>\nvoid f(float y[4]) {\nfloat *t = malloc(16);\nt[0] = y[0];\n}\n",
                      "'malloc'", "local array"),
            "c-call@3:12");
}

TEST(CErrors, MemoryIsMovedInWholeRows) {
  const std::string file = "#include <string.h>\nvoid f(int n, float x[restrict 8], float y[restrict 8]) {\n";
  EXPECT_EQ(complaint(file + "memset(y, 1, 32);\n}\n", "'memset'", "loop"), "c-call@3:1");
  EXPECT_EQ(complaint(file + "memset(y, 0, 30);\n}\n", "'memset'", "whole rows"), "c-call@3:1");
  EXPECT_EQ(complaint(file + "memcpy(y, x, 4 * n);\n}\n", "'memcpy'", "known number of bytes"), "c-call@3:1");
  EXPECT_EQ(complaint(file + "memmove(y, y + 1, 28);\n}\n", "'memmove'", "another array"), "c-call@3:1");
}

TEST(CErrors, DivisorsAreNotZero) {
  EXPECT_EQ(complaint("void f(int y[4]) {\ny[0] = y[1] / 0;\n}\n", "divided by 0", "divisor"), "c-undefined@2:13");
  EXPECT_EQ(complaint("#define STEP 0\nvoid f(unsigned y[4]) {\ny[0] %= STEP;\n}\n", "divided by 0", "divisor"),
            "c-undefined@3:6");
}

TEST(CErrors, TypesAreScalarsAndArraysOfThem) {
  EXPECT_EQ(complaint("struct s { float a; };\nvoid f(struct s *p) {\np->a = 1;\n}\n", "struct s", "float"),
            "c-type@2:18");
  EXPECT_EQ(complaint("void f(float **p) {\np[0][0] = 1;\n}\n", "array of pointers", "A[n][m]"), "c-type@1:16");
  EXPECT_EQ(complaint("void f(volatile int *flag, int y[4]) {\ny[0] = *flag;\n}\n", "'volatile int'", "remove"),
            "c-type@1:22");
  EXPECT_EQ(complaint("void f(const float _Complex x[4], float y[4]) {\ny[0] = x[0];\n}\n", "_Complex float", "float"),
            "c-type@1:29");
  EXPECT_EQ(complaint("union u { int i; float f; };\nvoid f(float y[4]) {\nunion u v;\nv.f = y[0];\ny[1] = v.i;\n}\n",
                      "'union u'", "float"),
            "c-type@3:9");
  EXPECT_EQ(complaint("void f(int n, float y[4]) {\nfloat t[n];\nt[0] = y[0];\n}\n", "extent of 't' is unknown",
                      "--size n=64"),
            "c-bounds@2:7");
  EXPECT_EQ(complaint("void f(float y[4]) {\nlong double t = y[0];\ny[1] = t;\n}\n", "long double", "_Float16"),
            "c-type@2:13");
  EXPECT_EQ(complaint("void f(float y[4]) {\nint *p = (int *)y;\ny[1] = p[0];\n}\n", "conversion", "declared"),
            "c-type@2:10");
  EXPECT_EQ(complaint("void f(float y[4]) {\nstatic int calls;\ny[0] = calls++;\n}\n", "'calls'", "static"),
            "c-type@2:12");
}

TEST(CErrors, ControlFlowIsLoopsAndIf) {
  EXPECT_EQ(
      complaint(function("for (int i = 0; i < 8; i++) for (int j = 0; j < i; j++) { if (x[j] < 0) break; y[j] = 1; "
                         "}"),
                "varying length", "fixed trip count")
          .substr(0, 11),
      "c-loop-form");
  EXPECT_EQ(
      complaint(function("for (int i = 0; i < 8; i++) { if (x[i] > 0) { if (x[i] > 4) break; y[i] = 2; } y[i] = 1; }"),
                "'break'", "other branch"),
      "c-control-flow@2:47");
  EXPECT_EQ(
      complaint(function("for (int i = 0; i < 8; i++) { if (x[i] < 0) return; y[i] = 1; }"), "inside a loop", "end"),
      "c-control-flow@2:45");
  EXPECT_EQ(complaint(function("again: y[0] = x[0]; if (n) goto again;"), "'again'", "no goto"), "c-control-flow@2:1");
  EXPECT_EQ(complaint(function("__asm__(\"nop\");"), "'__asm__'", "loops"), "c-control-flow@2:1");
  EXPECT_EQ(complaint(function("switch (n) { case 1: y[0] = 1; }"), "'switch'", "if"), "c-control-flow@2:1");
  EXPECT_EQ(
      complaint(
          function("for (int i = 0; i < 8; i++) { if (x[i] < 0) { if (x[i] < -1) continue; y[i] = 1; } y[i] = 2; }"),
          "more than the innermost", "other branch"),
      "c-control-flow@2:47");
}

TEST(CErrors, ValuesMustHaveBeenGiven) {
  EXPECT_EQ(complaint(function("float t; y[0] = t;"), "'t'", "first"), "c-uninitialized@2:17");
  EXPECT_EQ(complaint(function("float t[4]; y[0] = t[1];"), "'t'", "write it first"), "c-uninitialized@2:20");
  EXPECT_EQ(complaint(function("float t; for (int i = 0; i < 8; i++) t += x[i]; y[0] = t;"), "'t'", "before the loop"),
            "c-uninitialized@2:7");
}

TEST(CErrors, ASelectionCountsFromZero) {
  EXPECT_EQ(
      complaint(
          "int f(const int x[8], int y[restrict 8]) {\nint n = 3;\nfor (int i = 0; i < 8; i++) if (x[i] > 0) y[n++] = "
          "x[i];\nreturn n;\n}\n",
          "does not start at 0", "beginning of the array"),
      "c-dependence@3:50");
}

TEST(CErrors, ARowOfASelectionHasRoom) {
  EXPECT_EQ(complaint("void f(const int x[4][8], int y[restrict 4][5], int n[restrict 4]) {\n"
                      "for (int i = 0; i < 4; i++) { n[i] = 0;\n"
                      "for (int j = 0; j < 8; j++) if (x[i][j] > 0) y[i][n[i]++] = j; }\n}\n",
                      "rows hold every point, or the limit", "8 elements per row"),
            "c-bounds@3:59");
}

TEST(CErrors, TextsThatAreTooLargeAreRefused) {
  EXPECT_EQ(complaint("void f(void) {}" + std::string(1, '\0'), "zero bytes", "text"), "c-too-large@0:0");
  EXPECT_EQ(complaint(function("for (long i = 0; i < 1L << 50; i++) y[0] += 1;"), "times", "smaller"),
            "c-too-large@2:1");
}

TEST(CErrors, PointersWithoutRestrictAreAnAssumptionThatIsSaid) {
  const std::string text = "void f(const float *x, float *y) {\nfor (int i = 0; i < 4; i++) y[i] = x[i];\n}\n";
  const Result<CKernels> loose = importC(text, "k.c", {});
  ASSERT_TRUE(loose.ok());
  ASSERT_EQ(loose->warnings.size(), 1U);
  EXPECT_EQ(loose->warnings[0].code, "c-overlap");
  EXPECT_EQ(loose->warnings[0].severity, Severity::kWarning);
  EXPECT_EQ(loose->warnings[0].where.str(), "k.c:1:31");
  const Result<CKernels> strict =
      importC("void f(const float *restrict x, float *restrict y) { y[0] = x[0]; }", "k.c", {});
  ASSERT_TRUE(strict.ok());
  EXPECT_TRUE(strict->warnings.empty());
}

}  // namespace
}  // namespace pimento::frontend
