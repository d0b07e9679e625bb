#include <gtest/gtest.h>

#include "pimento/kernel/zoo.h"

namespace pimento::kernel {
namespace {

void expectError(const Result<Graph> &graph, const std::string &code, const std::string &message,
                 const std::string &hint) {
  ASSERT_FALSE(graph);
  const Diagnostic &d = graph.diagnostics()[0];
  EXPECT_EQ(d.code, code);
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
}

TEST(ZooErrors, AnUnknownKernelSuggestsItsNeighbour) {
  expectError(makeZooKernel("gemw", {}, DType::kF16), "unknown-kernel", "'gemw'", "did you mean 'gemv'");
}

TEST(ZooErrors, AnUnknownSizeListsTheSizes) {
  expectError(makeZooKernel("gemv", {{"k", 3}}, DType::kF16), "unknown-size", "'k'", "batch, m, n");
}

TEST(ZooErrors, ASizeBelowOneIsBad) {
  expectError(makeZooKernel("gemv", {{"m", 0}}, DType::kF16), "bad-extent", "'m' is 0", "at least 1");
}

TEST(ZooErrors, AnUnknownVariantListsTheVariants) {
  expectError(makeZooKernel("gemv", {}, DType::kF16, "treee"), "unknown-variant", "'treee'", "did you mean 'tree'");
}

TEST(ZooErrors, ATypeTheKernelIsNotDefinedForListsTheOthers) {
  expectError(makeZooKernel("sel", {}, DType::kF16), "unsupported-type", "f16", "i32");
  expectError(makeZooKernel("attn", {}, DType::kI32), "unsupported-type", "i32", "bf16");
}

TEST(ZooErrors, SizesBeyondMemoryAreRefused) {
  expectError(makeZooKernel("gemv", {{"m", 1ll << 40}, {"n", 1ll << 40}}, DType::kF16), "too-large", "2^48", "reduce");
}

TEST(ZooErrors, AllMistakesComeAtOnce) {
  const auto graph = makeZooKernel("gemv", {{"k", 3}, {"m", 0}}, DType::kF16, "x");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.diagnostics().size(), 3u);
}

}  // namespace
}  // namespace pimento::kernel
