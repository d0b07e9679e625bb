// What the reader of C makes of small functions, as `compile --emit kernel` prints it: loops, indices, accumulations,
// guards, functions that are called, what overlaps. Whole files are in c_zoo_test.cpp.
#include <gtest/gtest.h>

#include "test/unit/frontend/c_support.h"

namespace pimento::frontend {
namespace {

/// The kernels of the graph, one space between words.
std::string kernelsOf(const std::string &text, const kernel::Sizes &sizes = {}) {
  const kernel::Graph graph = importGoodC(text, {{}, sizes});
  const std::string printed = kernel::print(graph);
  const std::size_t first = printed.find("kernel ");
  std::string words;
  for (const char c : first == printed.npos ? std::string() : printed.substr(first)) {
    const bool isSpace = c == ' ' || c == '\n';
    if (!isSpace)
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  return words.substr(0, words.rfind(" }"));
}

std::string withXAndY(const std::string &body, const std::string &type = "int") {
  return "void f(const " + type + " *restrict x, " + type + " *restrict y) {\n" + body + "\n}\n";
}

kernel::Role roleOf(const std::string &text, const std::string &tensor) {
  const kernel::Graph graph = importGoodC(text);
  return graph.tensors.at(static_cast<std::size_t>(graph.tensorNamed(tensor))).role;
}

TEST(CReader, LoopsOfAnyStartBoundAndStepCountFromZero) {
  const std::string wanted = "kernel f (i: parallel 4) { %0 = load x[2*i + 3] : i32 y[i] = %0 }";
  for (const char *loop :
       {"for (int i = 0; i < 4; i++)", "for (int i = 0; i <= 3; ++i)", "for (int i = 0; i != 4; i += 1)",
        "for (long i = 0; 4 > i; i = i + 1)", "for (unsigned i = 0; i < 4u; i++)"})
    EXPECT_EQ(kernelsOf(withXAndY(std::string(loop) + " y[i] = x[2 * i + 3];")), wanted) << loop;
  EXPECT_EQ(kernelsOf(withXAndY("for (int i = 3; i <= 9; i += 2) y[i - 3] = x[i];")),
            "kernel f (i: parallel 4) { %0 = load x[2*i + 3] : i32 y[2*i] = %0 }");
}

TEST(CReader, ALoopThatCountsDownRunsBackwards) {
  EXPECT_EQ(kernelsOf(withXAndY("for (int i = 7; i >= 1; i -= 3) y[i] = x[i];")),
            "kernel f (i: parallel 3) { %0 = load x[-3*i + 7] : i32 y[-3*i + 7] = %0 }");
  EXPECT_EQ(kernelsOf(withXAndY("int i = 5; while (i > 0) { y[i] = x[i]; i--; }")),
            "kernel f (i: parallel 5) { %0 = load x[-i + 5] : i32 y[-i + 5] = %0 }");
}

TEST(CReader, BoundsMayBeSizes) {
  EXPECT_EQ(kernelsOf("void f(int n, int k, const int *restrict x, int *restrict y) {\n"
                      "for (int i = k; i < n - k; i++) y[i] = x[i - k]; }",
                      {{"n", 10}, {"k", 2}}),
            "kernel f (i: parallel 6) { %0 = load x[i] : i32 y[i + 2] = %0 }");
}

TEST(CReader, StridesComeFromIndicesAndFromPointersThatMove) {
  const std::string wanted = "kernel f (i: parallel 4) { %0 = load x[2*i + 2] : i16 y[i] = %0 }";
  for (const char *body :
       {"for (int i = 0; i < 4; i++) y[i] = x[2 * i + 2];", "for (int i = 0; i < 4; i++) y[i] = (x + 2)[i << 1];",
        "const short *p = x; for (int i = 0; i < 4; i++) { p += 2; y[i] = *p; }",
        "int t = 2; for (int i = 0; i < 4; i++, t += 2) y[i] = *(x + t);"})
    EXPECT_EQ(kernelsOf(withXAndY(body, "short")), wanted) << body;
}

TEST(CReader, RowsOfAFlatArrayAreADimension) {
  const kernel::Graph graph =
      importGoodC(withXAndY("for (int i = 0; i < 3; i++) for (int j = 0; j < 5; j++) y[i * 5 + j] = x[j * 3 + i];"));
  ASSERT_EQ(graph.tensors.size(), 2U);
  EXPECT_EQ(graph.tensors[0].shape, (std::vector<std::int64_t>{5, 3}));
  EXPECT_EQ(graph.tensors[1].shape, (std::vector<std::int64_t>{3, 5}));
}

TEST(CReader, AccumulationsAreReductions) {
  const auto combineOf = [](const std::string &update) {
    const kernel::Graph graph =
        importGoodC(withXAndY("float s = x[0]; for (int i = 1; i < 9; i++) " + update + " y[0] = s;", "float"));
    for (const kernel::Kernel &k : graph.kernels)
      if (!k.dims.empty() && k.dims[0].kind == kernel::DimKind::kReduction) return k.stores.at(0).combine;
    return kernel::Combine::kAssign;
  };
  EXPECT_EQ(combineOf("s += x[i];"), kernel::Combine::kAdd);
  EXPECT_EQ(combineOf("s = x[i] + s;"), kernel::Combine::kAdd);
  EXPECT_EQ(combineOf("s -= x[i];"), kernel::Combine::kAdd);
  EXPECT_EQ(combineOf("s *= x[i];"), kernel::Combine::kMul);
  EXPECT_EQ(combineOf("if (x[i] > s) s = x[i];"), kernel::Combine::kMax);
  EXPECT_EQ(combineOf("s = s < x[i] ? s : x[i];"), kernel::Combine::kMin);
}

TEST(CReader, WhatIsCarriedOtherwiseRunsInOrder) {
  EXPECT_EQ(kernelsOf("void f(int *restrict a) { for (int i = 0; i < 7; i++) a[i + 1] = a[i]; }"),
            "kernel f (i: sequential 7) { %0 = load a[i] : i32 a[i + 1] = %0 }");
}

TEST(CReader, ConditionsOnLoopsAreGuards) {
  const kernel::Graph graph =
      importGoodC(withXAndY("for (int i = 0; i < 6; i++) for (int j = 0; j < 8; j++)\n"
                            "if (j > i && i + j < 9) y[i * 8 + j] = x[j];"));
  ASSERT_EQ(graph.kernels.size(), 1U);
  EXPECT_EQ(graph.kernels[0].guards.size(), 2U);
  EXPECT_EQ(roleOf(withXAndY("for (int i = 0; i < 6; i++) if (i != 3) y[i] = x[i];"), "y"), kernel::Role::kInOut)
      << "element 3 stays";
}

TEST(CReader, ConditionsOnDataChooseValues) {
  const std::string wanted =
      "kernel f (i: parallel 6) { %0 = load x[i] : i32 %1 = 2 : i32 %2 = cmp_gt %0, %1 : u8 %3 = load y[i] : i32 "
      "%4 = select %2, %0, %3 : i32 y[i] = %4 }";
  EXPECT_EQ(kernelsOf(withXAndY("for (int i = 0; i < 6; i++) if (x[i] > 2) y[i] = x[i];")), wanted);
  EXPECT_EQ(kernelsOf(withXAndY("for (int i = 0; i < 6; i++) y[i] = x[i] > 2 ? x[i] : y[i];")), wanted);
}

TEST(CReader, FunctionsThatAreCalledAreInlined) {
  EXPECT_EQ(
      kernelsOf("static int clamp(int v, int low, int high) { if (v < low) return low; return v > high ? high : v; }\n"
                "static void store(int *at, int v) { *at = clamp(v, 0, 255); }\n"
                "void f(const int *restrict x, int *restrict y) { for (int i = 0; i < 8; i++) store(&y[i], x[i]); }"),
      "kernel store (i: parallel 8) { %0 = 0 : i32 %1 = load x[i] : i32 %2 = 255 : i32 %3 = cmp_lt %1, %0 : u8 "
      "%4 = min %1, %2 : i32 %5 = select %3, %0, %4 : i32 y[i] = %5 }");
}

TEST(CReader, AFunctionOfLoopsIsAKernelWhereverItIsCalled) {
  const kernel::Graph graph = importGoodC(
      "static void twice(int n, int *restrict a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"
      "void f(int *restrict a, int *restrict b) { twice(4, a); twice(6, b); twice(2, a + 4); }\n");
  ASSERT_EQ(graph.kernels.size(), 3U);
  EXPECT_EQ(graph.kernels[1].dims[0].extent, 6);
  EXPECT_EQ(graph.kernels[2].stores[0].target.index[0].constant, 4);
}

TEST(CReader, PointersAreTakenNotToOverlapWithOrWithoutRestrict) {
  const std::string body = "for (int i = 0; i < 7; i++) y[i + 1] = x[i]; }";
  const Result<CKernels> loose = importC("void f(const int *x, int *y) { " + body, "k.c", {});
  const Result<CKernels> strict = importC("void f(const int *restrict x, int *restrict y) { " + body, "k.c", {});
  ASSERT_TRUE(loose && strict);
  EXPECT_EQ(kernel::print(loose->graph), kernel::print(strict->graph));
  EXPECT_EQ(loose->warnings.size(), 1U) << "which says so";
  EXPECT_EQ(loose->graph.kernels[0].dims[0].kind, kernel::DimKind::kParallel);
}

TEST(CReader, OldContentsThatMatterMakeAnArgumentBoth) {
  EXPECT_EQ(roleOf(withXAndY("for (int i = 0; i < 4; i++) y[i] = x[i];"), "y"), kernel::Role::kOutput);
  EXPECT_EQ(roleOf(withXAndY("for (int i = 0; i < 4; i++) y[i] += x[i];"), "y"), kernel::Role::kInOut);
  EXPECT_EQ(roleOf(withXAndY("for (int i = 0; i < 4; i++) y[i] = x[i];"), "x"), kernel::Role::kInput);
}

}  // namespace
}  // namespace pimento::frontend
