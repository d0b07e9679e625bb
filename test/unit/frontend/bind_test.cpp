// Files that are read once and bound to sizes: each graph is the one that reading them anew gives.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/frontend/frontend.h"

namespace pimento::frontend {
namespace {

constexpr const char *kLu =
    "void lu(int n, float A[n][n]) {\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    for (int j = 0; j < i; j++) {\n"
    "      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];\n"
    "      A[i][j] /= A[j][j];\n"
    "    }\n"
    "    for (int j = i; j < n; j++)\n"
    "      for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];\n"
    "  }\n"
    "}\n";

constexpr const char *kMatvec =
    "func.func @f(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {\n"
    "  linalg.matvec ins(%A, %x: memref<?x?xf32>, memref<?xf32>) outs(%y: memref<?xf32>)\n"
    "  return\n"
    "}\n";

std::string textOf(const Result<CKernels> &bound) {
  return bound ? kernel::print(bound->graph) : bound.diagnostics().front().str();
}

std::string textOf(const Result<Imported> &bound) {
  return bound ? kernel::print(bound->graph) : bound.diagnostics().front().str();
}

TEST(CFile, BoundGraphsAreThoseOfAFreshReading) {
  const Result<CFile> file = CFile::read(kLu, "k.c");
  ASSERT_TRUE(file.ok());
  Rng rng(1);
  for (int round = 0; round < 30; ++round) {
    const kernel::Sizes sizes{{"n", 1 + static_cast<std::int64_t>(rng.below(80))}};
    EXPECT_EQ(textOf(file->bind(sizes)), textOf(importC(kLu, "k.c", {"", sizes})));
  }
}

TEST(CFile, SizesThatCannotBeAreSaidAndLeaveTheFileAsItWas) {
  const Result<CFile> file = CFile::read(kLu, "k.c");
  ASSERT_TRUE(file.ok());
  const std::string before = textOf(file->bind({{"n", 7}}));
  for (const kernel::Sizes &sizes : {kernel::Sizes{}, kernel::Sizes{{"m", 3}}, kernel::Sizes{{"n", INT64_MAX}}}) {
    EXPECT_FALSE(file->bind(sizes).ok());
    EXPECT_EQ(textOf(file->bind({{"n", 7}})), before);
  }
}

TEST(CFile, AllSizesThatAreMissingAreNamedAtOnce) {
  const Result<CFile> file = CFile::read(
      "void f(int n, int m, int k, float A[n][m], float (*B)[k], float y[n]) { y[0] = A[0][0] + B[0][0]; }", "k.c");
  ASSERT_TRUE(file.ok());
  const Result<CKernels> bound = file->bind({{"m", 4}});
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.diagnostics().front().hint, "set it: --size n=64,k=64");
}

TEST(CFile, ThreadsMayBindOneAtOnce) {
  const Result<CFile> file = CFile::read(kLu, "k.c");
  ASSERT_TRUE(file.ok());
  std::vector<std::string> texts(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < texts.size(); ++t)
    threads.emplace_back([&, t] { texts[t] = textOf(file->bind({{"n", 5 + static_cast<std::int64_t>(t)}})); });
  for (std::thread &thread : threads) thread.join();
  for (std::size_t t = 0; t < texts.size(); ++t)
    EXPECT_EQ(texts[t], textOf(importC(kLu, "k.c", {"", {{"n", 5 + static_cast<std::int64_t>(t)}}})));
}

TEST(CFile, DeepTextsAreBoundWithAStackOfTheirOwn) {
  std::string sum = "x[0]";
  for (int term = 1; term < 2000; ++term) sum += " + x[0]";
  const std::string text = "void f(int n, int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = " + sum + "; }";
  const Result<CFile> file = CFile::read(text, "k.c");
  ASSERT_TRUE(file.ok());
  for (std::int64_t n = 1; n < 4; ++n)
    EXPECT_EQ(textOf(file->bind({{"n", n}})), textOf(importC(text, "k.c", {"", {{"n", n}}})));
}

TEST(MlirFile, BoundGraphsAreThoseOfAFreshReading) {
  const Result<MlirFile> file = MlirFile::read(kMatvec, "t.mlir");
  ASSERT_TRUE(file.ok());
  for (std::int64_t m = 1; m < 30; ++m) {
    const kernel::Sizes sizes{{"d0", m}, {"x:0", 31 - m}};
    EXPECT_EQ(textOf(file->bind(sizes)), textOf(importMlirFile(kMatvec, "t.mlir", {"", sizes})));
  }
}

TEST(MlirFile, SizesThatCannotBeAreSaidAndLeaveTheFileAsItWas) {
  const Result<MlirFile> file = MlirFile::read(kMatvec, "t.mlir");
  ASSERT_TRUE(file.ok());
  const std::string before = textOf(file->bind({{"d0", 7}, {"d1", 9}}));
  for (const kernel::Sizes &sizes : {kernel::Sizes{}, kernel::Sizes{{"q", 3}}, kernel::Sizes{{"d0", 0}, {"d1", 1}}}) {
    EXPECT_FALSE(file->bind(sizes).ok());
    EXPECT_EQ(textOf(file->bind({{"d0", 7}, {"d1", 9}})), before);
  }
}

}  // namespace
}  // namespace pimento::frontend
