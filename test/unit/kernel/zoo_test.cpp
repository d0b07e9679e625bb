#include "pimento/kernel/zoo.h"

#include <gtest/gtest.h>

#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

TEST(Zoo, HasTheKernelsOfTheContract) {
  for (const char *name : {"gemv", "va", "relu", "mul", "add", "red", "sel", "hst", "scan", "gemm", "attn", "mlp"}) {
    EXPECT_NE(zooEntry(name), nullptr) << name;
  }
  EXPECT_EQ(zooEntry("gem"), nullptr);
}

TEST(Zoo, EveryEntryVerifiesInEveryTypeAndVariantAtItsDefaults) {
  for (const ZooEntry &entry : zoo()) {
    EXPECT_FALSE(entry.about.empty());
    for (const DType type : entry.types) {
      for (const std::string &variant : entry.variants) {
        const auto graph = makeZooKernel(entry.name, {}, type, variant);
        ASSERT_TRUE(graph) << entry.name << ": " << graph.diagnostics()[0].str();
        EXPECT_EQ(graph->name, entry.name);
      }
    }
  }
}

TEST(Zoo, SizesBecomeExtentsOfDimsOfTheSameName) {
  for (const ZooEntry &entry : zoo()) {
    for (const auto &[size, value] : entry.defaults) {
      if (entry.isNetwork || size == "bins" || (entry.name == "gemv" && size == "batch") ||
          (entry.name == "bgemv" && (size == "batch" || size == "heads")))  // one dim for both
        continue;
      const Graph graph = fromZoo(entry.name, {{size, 3}}, entry.types.front());
      bool isFound = false;
      for (const Kernel &kernel : graph.kernels) {
        const int d = kernel.dimNamed(size);
        isFound |= d >= 0 && kernel.dims[static_cast<std::size_t>(d)].extent == 3;
      }
      EXPECT_TRUE(isFound) << entry.name << " " << size;
    }
  }
}

TEST(Zoo, ABatchOfOneIsAPlainMatrixVectorProduct) {
  EXPECT_EQ(fromZoo("gemv", {{"batch", 1}}, DType::kF16).kernels[0].dims.size(), 2u);
  EXPECT_EQ(fromZoo("gemv", {{"batch", 2}}, DType::kF16).kernels[0].dims.size(), 3u);
}

TEST(Zoo, TheTreeVariantIsTheSameGraph) {
  EXPECT_EQ(print(fromZoo("gemv", {}, DType::kF16, "tree")), print(fromZoo("gemv", {}, DType::kF16, "plain")));
}

TEST(Zoo, ScalarOperationsCountReductionsAndArithmetic) {
  EXPECT_EQ(scalarOperations(fromZoo("gemv", {{"m", 10}, {"n", 20}}, DType::kF16)), 2 * 10 * 20);
  EXPECT_EQ(scalarOperations(fromZoo("va", {{"n", 10}}, DType::kF16)), 10);
  EXPECT_EQ(scalarOperations(fromZoo("gemvrelu", {{"m", 10}, {"n", 20}}, DType::kF16)), 2 * 200 + 2 * 10);
}

}  // namespace
}  // namespace pimento::kernel
