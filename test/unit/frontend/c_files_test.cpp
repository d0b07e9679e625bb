// What C files contain around and in kernels: main and its sizes, marks, macros and folders of headers, functions of
// math.h, loops that count in their conditions, branches that store.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "test/unit/frontend/c_support.h"

namespace pimento::frontend {
namespace {

std::string printed(const std::string &text, const CKernelOptions &options = {}) {
  return kernel::print(importGoodC(text, options));
}

std::size_t kernelCount(const std::string &text, const CKernelOptions &options = {}) {
  return importGoodC(text, options).kernels.size();
}

const std::string kAdd =
    "static void add(int n, int m, float y[restrict n]) { for (int i = 0; i < n; i++) y[i] += m; }\n";

TEST(CFiles, MainIsNotTheKernelAndSaysItsSizes) {
  const kernel::Graph graph = importGoodC("#include <stdio.h>\n#define N 12\n" + kAdd +
                                          "int main(int argc, char **argv) { int n = N; float y[N] = {0}; add(n, argc, "
                                          "y); printf(\"%f\", y[0]); return 0; }");
  EXPECT_EQ(graph.name, "add");
  EXPECT_EQ(graph.tensors.at(static_cast<std::size_t>(graph.tensorNamed("y"))).shape, std::vector<std::int64_t>{12});
  EXPECT_GE(graph.tensorNamed("m"), 0);  // which is no constant, and stays an operand
}

TEST(CFiles, ASizeThatIsGivenCountsMoreThanThatOfACall) {
  const std::string text = kAdd + "int main(void) { float y[12] = {0}; add(12, 3, y); return 0; }";
  EXPECT_NE(printed(text).find("y : f32[12]"), std::string::npos);
  EXPECT_NE(printed(text, {{}, {{"n", 7}}}).find("y : f32[7]"), std::string::npos);
}

TEST(CFiles, CallsThatDifferLeaveASizeOpen) {
  const std::string calls = "int main(void) { float y[12] = {0}; add(12, 3, y); add(6, 3, y); return 0; }";
  const Result<CKernels> file = importC(kAdd + calls, "k.c", {});
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.diagnostics().front().code, "c-bounds");
  const std::string changed = "int main(int argc, char **argv) { int n = 12; n += argc; float y[99]; add(n, 3, y); }";
  EXPECT_FALSE(importC(kAdd + changed, "k.c", {}).ok());
}

TEST(CFiles, TheMarkedFunctionIsTheKernel) {
  const std::string both =
      "void first(float x[4]) { for (int i = 0; i < 4; i++) x[i] = 1; }\n"
      "void second(float x[4]) {\n#pragma scop\n  for (int i = 0; i < 4; i++) x[i] = 2;\n#pragma endscop\n}\n";
  EXPECT_EQ(importGoodC(both).name, "second");
  EXPECT_EQ(importGoodC(both, {"first", {}}).name, "first");
}

TEST(CFiles, TheFunctionWithLoopsOverArraysIsTheKernel) {
  EXPECT_EQ(
      importGoodC(
          "int area(int a, int b) { return a * b; }\nvoid zero(float x[4]) { for (int i = 0; i < 4; i++) x[i] = 0; }\n"
          "int main(void) { return area(1, 2); }\n")
          .name,
      "zero");
}

TEST(CFiles, MacrosAndFoldersOfHeadersCanBeNamed) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pimento-c-files";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "sizes.h") << "#ifdef LARGE\n#define N 20\n#else\n#define N 10\n#endif\n";
  const std::string text = "#include <sizes.h>\nvoid f(TYPE y[N]) { for (int i = 0; i < N; i++) y[i] = 1; }\n";
  CKernelOptions options;
  options.preprocessing = {{folder.string()}, {"TYPE=double"}};
  EXPECT_NE(printed(text, options).find("y : f64[10]"), std::string::npos);
  options.preprocessing.defines.emplace_back("LARGE");
  EXPECT_NE(printed(text, options).find("y : f64[20]"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(CFiles, HeadersOfCAreThere) {
  for (const char *header :
       {"assert.h", "ctype.h",   "errno.h",        "float.h",    "inttypes.h",  "limits.h", "malloc.h",
        "math.h",   "omp.h",     "stdbool.h",      "stddef.h",   "stdint.h",    "stdio.h",  "stdlib.h",
        "string.h", "strings.h", "sys/resource.h", "sys/time.h", "sys/types.h", "time.h",   "unistd.h"})
    EXPECT_EQ(kernelCount("#include <" + std::string(header) + ">\nvoid f(float y[4]) { y[0] = 1; }\n"), 1U) << header;
}

/// What `call` makes of numbers that are special somewhere.
template <typename T, typename Host>
void expectLibrary(const std::string &type, const std::string &call, Host host) {
  const T inf = std::numeric_limits<T>::infinity();
  const std::vector<T> numbers = {T(0), T(-0.0), T(0.3),  T(-0.3), T(0.5),       T(-0.5), T(1.5),   T(2.5), T(-2.5),
                                  T(3), T(-7),   T(1e30), T(-1e9), T(8388607.5), T(4.75), T(-4.25), inf,    -inf};
  const std::string count = std::to_string(numbers.size());
  const kernel::Graph graph =
      importGoodC("#include <math.h>\nvoid f(const " + type + " x[restrict " + count + "], " + type + " y[restrict " +
                  count + "]) { for (int i = 0; i < " + count + "; i++) y[i] = " + call + "; }");
  ASSERT_FALSE(graph.kernels.empty()) << call;
  kernel::DataSet data = kernel::makeData(graph, {});
  const auto x = static_cast<std::size_t>(graph.tensorNamed("x")), y = static_cast<std::size_t>(graph.tensorNamed("y"));
  data[y] = kernel::TensorData(graph.tensors[y].type, graph.tensors[y].shape);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    data[x].setDouble(static_cast<std::int64_t>(i), static_cast<double>(numbers[i]));
  ASSERT_TRUE(kernel::interpret(graph, data).ok());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto got = static_cast<T>(data[y].asDouble(static_cast<std::int64_t>(i)));
    const T wanted = host(numbers[i]);
    EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted)))
        << call << " of " << numbers[i] << ": " << got;
    EXPECT_TRUE(std::isnan(got) || std::signbit(got) == std::signbit(wanted)) << call << " of " << numbers[i];
  }
}

TEST(CFiles, FunctionsThatRoundAreThoseOfC) {
  expectLibrary<float>("float", "floorf(x[i])", [](float x) { return std::floor(x); });
  expectLibrary<float>("float", "ceilf(x[i])", [](float x) { return std::ceil(x); });
  expectLibrary<float>("float", "truncf(x[i])", [](float x) { return std::trunc(x); });
  expectLibrary<float>("float", "roundf(x[i])", [](float x) { return std::round(x); });
  expectLibrary<float>("float", "rintf(x[i])", [](float x) { return std::nearbyint(x); });
  expectLibrary<double>("double", "floor(x[i])", [](double x) { return std::floor(x); });
  expectLibrary<double>("double", "ceil(x[i])", [](double x) { return std::ceil(x); });
  expectLibrary<double>("double", "trunc(x[i])", [](double x) { return std::trunc(x); });
  expectLibrary<double>("double", "round(x[i])", [](double x) { return std::round(x); });
  expectLibrary<double>("double", "nearbyint(x[i])", [](double x) { return std::nearbyint(x); });
}

TEST(CFiles, SmallPowersAreProductsAndOthersHaveTheirSign) {
  expectLibrary<float>("float", "powf(x[i], 2)", [](float x) { return x * x; });
  expectLibrary<double>("double", "pow(x[i], 3)", [](double x) { return x * x * x; });
  expectLibrary<double>("double", "pow(x[i], 0) * x[i]", [](double x) { return x; });
  expectLibrary<double>("double", "pow(2, x[i]) > 1", [](double x) { return x > 0 ? 1.0 : 0.0; });
  expectLibrary<double>("double", "pow(x[i], -1) < 0", [](double x) { return x < 0 && !std::isinf(x) ? 1.0 : 0.0; });
  expectLibrary<double>("double", "isnan(pow(x[i], 1.5)) + 2 * isinf(x[i]) + 4 * isfinite(x[i])",
                        [](double x) { return (x < 0 ? 1.0 : 0.0) + (std::isinf(x) ? 2 : 4); });
}

TEST(CFiles, LoopsMayCountInTheirConditions) {
  const auto loop = [](const std::string &body) {
    const std::string text = printed("void f(const int *restrict x, int *restrict y) { " + body + " }");
    return text.substr(text.find("kernel"));
  };
  EXPECT_EQ(loop("int i = 5; while (i-- > 0) y[i] = x[i];"), loop("for (int i = 4; i >= 0; i--) y[i] = x[i];"));
  EXPECT_EQ(loop("int i = 5; while (i--) y[i] = x[i];"), loop("for (int i = 4; i >= 0; i--) y[i] = x[i];"));
  EXPECT_EQ(loop("int i = -1; while (++i < 5) y[i] = x[i];"), loop("for (int i = 0; i < 5; i++) y[i] = x[i];"));
  EXPECT_EQ(loop("for (unsigned long i = 5; i-- > 0;) y[i] = x[i];"),
            loop("for (int i = 4; i >= 0; i--) y[i] = x[i];"));
  EXPECT_EQ(loop("int i = 0; do { y[i] = x[i]; i++; } while (i < 5);"),
            loop("for (int i = 0; i < 5; i++) y[i] = x[i];"));
  EXPECT_EQ(loop("int i = 0; do y[i] = x[i]; while (++i < 5);"), loop("for (int i = 0; i < 5; i++) y[i] = x[i];"));
  EXPECT_EQ(loop("int i = 9; do y[i] = x[i]; while (++i < 5);"), loop("y[9] = x[9];"));
}

TEST(CFiles, AVariableHasItsValueAfterALoopThatCountsInItsCondition) {
  const auto after = [](const std::string &loop) {
    const kernel::Graph graph = importGoodC("int f(int y[restrict 9]) { " + loop + " y[0] = i; return y[1]; }");
    kernel::DataSet data = kernel::makeData(graph, {});
    for (std::size_t t = 0; t < graph.tensors.size(); ++t)
      if (data[t].bytes.empty()) data[t] = kernel::TensorData(graph.tensors[t].type, graph.tensors[t].shape);
    EXPECT_TRUE(kernel::interpret(graph, data).ok());
    return data[static_cast<std::size_t>(graph.tensorNamed("y"))].asDouble(0);
  };
  EXPECT_EQ(after("int i = 5; while (i-- > 0) y[i] = 1;"), -1);
  EXPECT_EQ(after("int i = 0; while (i-- > 0) y[i] = 1;"), -1);
  EXPECT_EQ(after("int i = 0; while (i++ < 5) y[i] = 1;"), 6);
  EXPECT_EQ(after("int i = 0; do y[i] = 1; while (++i < 5);"), 5);
  EXPECT_EQ(after("int i = 7; do y[i] = 1; while (++i < 5);"), 8);
  EXPECT_EQ(after("int i = 0; do y[i] = 1; while (i++ < 5);"), 6);
}

TEST(CFiles, BranchesThatStoreToOneElementAreOneKernel) {
  const std::string head = "void f(const float x[restrict 8], float y[restrict 8]) { for (int i = 0; i < 8; i++) ";
  const std::string chosen = printed(head + "{ float v; if (x[i] > 1) v = 2 * x[i]; else v = 3; y[i] = v; } }");
  EXPECT_EQ(printed(head + "if (x[i] > 1) y[i] = 2 * x[i]; else y[i] = 3; }"), chosen);
  EXPECT_EQ(kernelCount(head + "if (x[i] > 1) y[i] = 1; else if (x[i] < -1) y[i] = 2; else y[i] = 3; }"), 1U);
  EXPECT_NE(printed(head + "if (x[i] > 1) y[i] = 1; else if (x[i] < -1) y[i] = 2; else y[i] = 3; }").find("output y"),
            std::string::npos);
  EXPECT_NE(printed(head + "if (x[i] > 1) y[i] = 1; else if (x[i] < -1) y[i] = 2; }").find("inout y"),
            std::string::npos);
  EXPECT_EQ(kernelCount(head + "{ if (x[i] > 1) y[i] = 1; if (x[i] > 2) y[i] = 2; } }"), 1U);
}

TEST(CFiles, MemoryIsSetAndCopiedByLoops) {
  const std::string head = "#include <string.h>\nvoid f(const float x[restrict 6][4], float y[restrict 6][4]) {\n";
  EXPECT_EQ(printed(head + "memcpy(y, x, sizeof(float) * 24); }"),
            printed(head + "for (int d0 = 0; d0 < 6; d0++) for (int d1 = 0; d1 < 4; d1++) y[d0][d1] = x[d0][d1]; }"));
  EXPECT_NE(printed(head + "memset(y[2], 0, sizeof(y[0])); }").find("y[2, "), std::string::npos);
}

}  // namespace
}  // namespace pimento::frontend
