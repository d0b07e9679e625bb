// C compiled for this machine: it computes what its reading computes, whatever way values come in and go out.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/unit/frontend/native_support.h"

namespace pimento::frontend {
namespace {

TEST(NativeC, ArraysScalarsAndSizesComeInByEveryWayOfC) {
  expectReadRight(
      "void f(int n, int m, float a, const float A[n][m], const float *restrict x, float *restrict y) {\n"
      "  for (int i = 0; i < n; i++) {\n"
      "    float s = 0;\n"
      "    for (int j = 0; j < m; j++) s += A[i][j] * x[j];\n"
      "    y[i] = a * s + y[i];\n"
      "  }\n"
      "}\n",
      {"", {{"n", 17}, {"m", 9}}});
  expectReadRight(
      "void f(unsigned char n, const double x[static 8], double y[8]) {\n"
      "  for (int i = 0; i < n; i++) y[i] = x[i] / 3;\n"
      "}\n",
      {"", {{"n", 8}}});
}

TEST(NativeC, AReturnedValueIsTheResult) {
  expectReadRight("double f(const double x[33]) { double s = 1; for (int i = 0; i < 33; i++) s += x[i]; return s; }");
  expectReadRight("short f(const short x[9]) { short s = 0; for (int i = 0; i < 9; i++) s += x[i]; return s; }");
  expectReadRight("int f(const float x[4], float y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i] + 1; return 0; }");
}

TEST(NativeC, VariablesAtFileScopeAreOperands) {
  expectReadRight(
      "float A[6][5], B[5][6];\n"
      "static int count[1];\n"
      "const float table[3] = {1, 2.5f, -1};\n"
      "void f(void) {\n"
      "  for (int i = 0; i < 6; i++) for (int j = 0; j < 5; j++) B[j][i] = A[i][j] * table[1] + table[2];\n"
      "  for (int i = 0; i < 6; i++) count[0] += i;\n"
      "}\n");
}

TEST(NativeC, OneOfSeveralFunctionsAndWhatItCallsAreCompiled) {
  const std::string text =
      "static inline float twice(float x) { return 2 * x; }\n"
      "static void g(const float x[4], float y[4]) { for (int i = 0; i < 4; i++) y[i] = twice(x[i]); }\n"
      "void h(const float x[4], float y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i] - 1; }\n"
      "int main(void) { extern void elsewhere(void); elsewhere(); return 0; }\n";
  expectReadRight(text, {"g", {}});
  expectReadRight(text, {"h", {}});
}

TEST(NativeC, EveryTypeComputesInItsOwnPrecision) {
  for (const char *type : {"float", "double", "_Float16", "signed char", "unsigned char", "short", "unsigned short",
                           "int", "unsigned", "long", "unsigned long long"}) {
    const std::string t(type);
    expectReadRight("void f(const " + t + " x[40], const " + t + " z[40], " + t + " y[40]) {\n  " + t +
                    " s = 0;\n"
                    "  for (int i = 0; i < 40; i++) { s += x[i] * z[i]; y[i] = s - x[i]; }\n}\n");
  }
  expectReadRight("void f(const _Float16 x[64], float y[64]) { for (int i = 0; i < 64; i++) y[i] = x[i] * x[i]; }");
}

TEST(NativeC, SelectionsHistogramsAndScansKeepTheirForms) {
  expectReadRight(
      "int f(const int x[50], int out[50]) { int n = 0;\n"
      "  for (int i = 0; i < 50; i++) if (x[i] > 0) out[n++] = x[i];\n  return n; }");
  expectReadRight("void f(const unsigned char x[99], int h[256]) { for (int i = 0; i < 99; i++) h[x[i]] += 1; }");
  expectReadRight(
      "void f(const int x[20], int y[20]) { int s = 0; for (int i = 0; i < 20; i++) { s += x[i]; y[i] = s; } }");
}

TEST(NativeC, TheLibraryRoundsOnceAndOrdersZeros) {
  expectReadRight(
      "#include <math.h>\nvoid f(const float x[300], float y[300], float z[300], float m[300]) {\n"
      "  for (int i = 0; i < 300; i++) { y[i] = expf(x[i]); z[i] = tanhf(x[i]) + logf(x[i] + 2);\n"
      "    m[i] = fmaxf(fminf(x[i], 0.0f), -0.0f) + sqrtf(fabsf(x[i])); } }");
  kernel::DataSpec zero;
  zero.kind = kernel::DataSpec::Kind::kZero;
  expectReadRight(
      "#include <math.h>\nvoid f(const float x[2], float y[2]) {\n"
      "  for (int i = 0; i < 2; i++) y[i] = fmaxf(-x[i], x[i]); }",
      {}, zero);
}

TEST(NativeC, LocalArraysAndLongOnesFit) {
  expectReadRight(
      "void f(const float x[1000], float y[1000]) { float t[1000];\n"
      "  for (int i = 0; i < 1000; i++) t[i] = x[999 - i];\n"
      "  for (int i = 0; i < 1000; i++) y[i] = t[i] * t[i]; }");
}

TEST(NativeC, TheKernelsOfTheRepositoryAreReadRight) {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(PIMENTO_SOURCE_DIR "/kernels")) {
    if (entry.path().extension() != ".c") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    const kernel::Sizes all = {{"n", 24},     {"m", 16},   {"entries", 40}, {"k", 8},  {"in", 8},
                               {"hidden", 8}, {"out", 4},  {"h", 12},       {"w", 12}, {"bins", 256},
                               {"rows", 8},   {"cols", 8}, {"steps", 2}};
    // Those of the sizes that the function has.
    CKernelOptions options;
    for (const auto &[name, value] : all) {
      options.sizes[name] = value;
      const Result<CKernels> read = importC(text.str(), "k.c", options);
      if (!read && read.diagnostics().front().code == "unknown-size") options.sizes.erase(name);
    }
    const Result<CKernels> read = importC(text.str(), "k.c", options);
    ASSERT_TRUE(read.ok()) << entry.path() << ": " << saidBy(read.diagnostics());
    // Random data keep to the arrays that they index; others are small, as bins are.
    const bool isSparse = options.sizes.contains("entries");
    expectReadRight(text.str(), options,
                    isSparse ? kernel::DataSpec{} : kernel::DataSpec{kernel::DataSpec::Kind::kUniform, 0, 127});
    ++count;
  }
  EXPECT_GT(count, 10);
}

TEST(NativeC, WhatCLeavesUndefinedHasNoAnswerButAPlace) {
  kernel::DataSpec zero;
  zero.kind = kernel::DataSpec::Kind::kZero;
  const auto whyNot = [&](const std::string &body) {
    const std::string text =
        "void f(const int x[4], const float z[4], int y[4]) {\n  for (int i = 0; i < 4; i++)\n    y[i] = " + body +
        ";\n}\n";
    const std::string benign =
        "void f(const int x[4], const float z[4], int y[4]) {\n"
        "  for (int i = 0; i < 4; i++) y[i] = x[i] + (int)(z[i] * 0.5f);\n}\n";
    const Result<CKernels> file = importC(benign, "k.c", {});
    const auto answer = runC(text, "k.c", {}, file->graph, kernel::makeData(file->graph, zero), {5});
    EXPECT_TRUE(answer.ok()) << saidBy(answer.diagnostics());
    return answer ? answer->where.str() + ": " + answer->whyNot : "";
  };
  EXPECT_EQ(whyNot("7 / x[i]"), "k.c:3:14: on these data it divides by 0, so the result is undefined");
  EXPECT_NE(whyNot("1 << (x[i] + 32)").find("k.c:3:14: on these data it shifts"), std::string::npos);
  EXPECT_NE(whyNot("(int)(1e20f + z[i])").find("k.c:3:12: on these data it converts"), std::string::npos);
  EXPECT_NE(whyNot("(int)z[i] + (int[]){1, 2}[x[i] + 2]").find("an index is outside"), std::string::npos);
}

TEST(NativeC, WhatCannotBeCompiledOrBoundIsLeftOut) {
  const std::string good = "void f(const float x[4], float y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i]; }";
  const auto other = runCOn("void f(const float u[4], float y[4]) { y[0] = u[0]; }", good);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->whyNot, "it has no parameter, result or variable 'x'");
  const auto call = runCOn(
      "float g(float); void f(const float x[4], float y[4]) { for (int i = 0; i < 4; i++) y[i] = g(x[i]); }", good);
  ASSERT_TRUE(call.ok());
  EXPECT_NE(call->whyNot.find("g"), std::string::npos) << call->whyNot;
  kernel::DataSpec three;
  three.kind = kernel::DataSpec::Kind::kConst;
  three.low = 3;
  const std::string bools = "void f(const _Bool x[4], int y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i] + 1; }";
  const Result<CKernels> file = importC(bools, "k.c", {});
  const auto answer = runC(bools, "k.c", {}, file->graph, kernel::makeData(file->graph, three), {5});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->whyNot, "the data of 'x' are not _Bool values");
}

TEST(NativeC, AChoiceGoesOnFromWhatAnEarlierIterationChose) {
  expectReadRight(R"(void last(int x[4][7], int b[4]) {
    for (int i = 0; i < 4; i++) b[i] = 0;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 7; j++)
        if (x[i][j] > 3) b[i] = j;
  })");
}

TEST(NativeC, ALeastValueThatIsReadWhileItIsFoundStartsWhereTheTextSays) {
  // With <= the last of equals wins: a loop in order, which reads the least value so far.
  const std::string text = R"(void nearest(int p[8], int best[8], int c[5]) {
    for (int i = 0; i < 8; i++) {
      int least = 2147483647, at = 0;
      for (int k = 0; k < 5; k++) {
        int d = (p[i] - c[k]) * (p[i] - c[k]);
        if (d <= least) { least = d; at = k; }
      }
      best[i] = at;
    }
  })";
  expectReadRight(text);
  const Result<CKernels> file = importC(text, "k.c", {});
  ASSERT_TRUE(file.ok());
  int count = 0;
  for (const kernel::Kernel &k : file->graph.kernels) {
    for (const kernel::Store &s : k.stores) {
      if (s.combine != kernel::Combine::kMin) continue;
      const bool isStored =
          std::any_of(file->graph.kernels.begin(), file->graph.kernels.end(),
                      [&](const kernel::Kernel &o) { return &o < &k && o.stores[0].target.tensor == s.target.tensor; });
      ++count;
      EXPECT_TRUE(isStored) << "the kernel loads what nothing stored\n" << kernel::print(file->graph);
    }
  }
  EXPECT_EQ(count, 1);
}

TEST(NativeC, FunctionsOfMathHComputeTheSameBits) {
  for (const std::string type : {"float", "double"}) {
    const std::string f = type == "float" ? "f" : "";
    for (const std::string name : {"sin", "cos", "tan", "erf", "exp2", "expm1"})
      expectReadRight("#include <math.h>\nvoid f(" + type + " x[64], " + type +
                      " y[64]) { for (int i = 0; i < 64; i++) y[i] = " + name + f + "(x[i] * 3) + " + name + f +
                      "(0.5); }");
    for (const std::string name : {"log2", "log10", "log1p"})
      expectReadRight("#include <math.h>\nvoid f(" + type + " x[64], " + type +
                      " y[64]) { for (int i = 0; i < 64; i++) y[i] = " + name + f + "(fabs" + f + "(x[i]) + 0.25); }");
    for (const std::string name : {"hypot", "copysign", "fdim", "fmin", "fmax"})
      expectReadRight("#include <math.h>\nvoid f(" + type + " x[64], " + type + " z[64], " + type +
                      " y[64]) { for (int i = 0; i < 64; i++) y[i] = " + name + f + "(x[i], z[i]); }");
    expectReadRight("#include <math.h>\nvoid f(" + type + " x[64], " + type + " z[64], " + type +
                    " y[64]) { for (int i = 0; i < 64; i++) y[i] = fma" + f + "(x[i], z[i], y[i]); }");
  }
}

TEST(NativeC, AFunctionOfTheFileWinsOverTheLibrary) {
  expectReadRight(
      "static float hypotf(float a, float b) { return a + b; }\n"
      "void f(float x[8], float y[8]) { for (int i = 0; i < 8; i++) y[i] = hypotf(x[i], 2); }");
}

kernel::DataSpec smallNumbers() {
  return {kernel::DataSpec::Kind::kUniform, 0, 9};
}

/// Kernels without a dim that must run in order.
bool isParallel(const std::string &text) {
  const Result<CKernels> file = importC(text, "k.c", {});
  if (!file) return false;
  return std::all_of(file->graph.kernels.begin(), file->graph.kernels.end(), [](const kernel::Kernel &k) {
    return std::none_of(k.dims.begin(), k.dims.end(),
                        [](const kernel::Dim &d) { return d.kind == kernel::DimKind::kSequential; });
  });
}

TEST(NativeC, ASearchIsAReduction) {
  const char *const texts[] = {
      // The counter, behind the loop and in it, found and not.
      "int f(int x[40], int y[2]) { int i; for (i = 0; i < 40; i++) if (x[i] == 7) break; y[0] = i; y[1] = i < 40; "
      "return i; }",
      "void f(int x[40], int y[2]) { int at = -1; for (int i = 3; i < 37; i += 3) { if (x[i] == 7) { at = i; break; } "
      "} y[0] = at; "
      "y[1] = 1; }",
      "void f(int x[40], int y[2]) { int i = 39; while (i >= 0) { if (x[i] == 7) break; i--; } y[0] = i; }",
      // By rows, with a variable of the body.
      "void f(int x[6][20], int y[6]) { for (int r = 0; r < 6; r++) { y[r] = -1; for (int i = 0; i < 20; i++) { int v "
      "= x[r][i] * "
      "2; if (v > 14) { y[r] = i; break; } } } }",
      // Never and at once.
      "void f(int x[40], int y[2]) { int n = 5; for (int i = 0; i < 40; i++) { if (x[i] > 100) { n = i; y[1] = 3; "
      "break; } } "
      "y[0] = n; }",
      "void f(int x[40], int y[2]) { int n = 5; for (int i = 2; i < 40; i++) { if (x[i] >= 0) { n += i; break; } } "
      "y[0] = n; }",
  };
  for (const char *text : texts) {
    expectReadRight(text, {}, smallNumbers());
    EXPECT_TRUE(isParallel(text)) << text;
  }
}

TEST(NativeC, WhatFollowsABreakDoesNothing) {
  const char *const texts[] = {
      "void f(int x[40], int y[40]) { for (int i = 0; i < 40; i++) { if (x[i] == 7) break; y[i] = x[i] + 1; } }",
      "void f(int x[40], int y[2]) { int s = 0, i; for (i = 0; i < 40; i++) { s += x[i]; if (s > 60) break; } y[0] = "
      "s; y[1] = i; }",
      "void f(int x[40], int y[40]) { int k = 0; for (int i = 0; i < 40; i++, k += 2) { if (x[i] == 7) { y[0] = k; "
      "break; } "
      "if (x[i] == 3) continue; y[i] = k; } }",
      "void f(int x[6][20], int y[6]) { for (int r = 0; r < 6; r++) { y[r] = 0; for (int i = 0; i < 20; i++) { if "
      "(x[r][i] == 0) "
      "break; y[r] += x[r][i]; } } }",
      // The element where it was left.
      "void f(int x[40], int y[2]) { for (int i = 0; i < 40; i++) { if (x[i] > 6) { y[0] = x[i]; break; } } }",
      "void f(int x[40], int y[1]) { int i = 0; do { if (x[i] == 8) break; i++; } while (i < 40); y[0] = i; }",
      // Out of an inner loop only.
      "void f(int x[5][9], int y[5]) { for (int r = 0; r < 5; r++) { int n = 0; for (int i = 0; i < 9; i++) { if "
      "(x[r][i] > 7) break; "
      "n++; } y[r] = n; } }",
  };
  for (const char *text : texts) expectReadRight(text, {}, smallNumbers());
}

}  // namespace
}  // namespace pimento::frontend
