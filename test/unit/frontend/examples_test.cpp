// The shipped examples, and that index notation and MLIR are two spellings of one kernel.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "pimento/kernel/notation.h"
#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

std::string example(const std::string &name) {
  std::ifstream in(PIMENTO_SOURCE_DIR "/examples/" + name);
  EXPECT_TRUE(in.good()) << name;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The graph with tensors, dims and kernels renamed by where they first occur in its kernels.
std::string anonymous(kernel::Graph g) {
  g.name = "g";
  std::vector<int> to(g.tensors.size(), -1);
  std::vector<kernel::Tensor> tensors;
  auto meet = [&](int &t) {
    int &number = to[static_cast<std::size_t>(t)];
    if (number < 0) {
      number = static_cast<int>(tensors.size());
      tensors.push_back(g.tensors[static_cast<std::size_t>(t)]);
      tensors.back().name = "t" + std::to_string(number);
    }
    t = number;
  };
  int kernels = 0;
  for (kernel::Kernel &k : g.kernels) {
    k.name = "k" + std::to_string(kernels++);
    for (std::size_t d = 0; d < k.dims.size(); ++d) k.dims[d].name = "d" + std::to_string(d);
    for (kernel::Access &a : k.loads) meet(a.tensor);
    for (kernel::Store &s : k.stores) meet(s.target.tensor);
  }
  g.tensors = std::move(tensors);
  return kernel::print(g);
}

void expectSame(const std::string &notation, const kernel::Sizes &sizes, DType type, const kernel::Graph &imported) {
  const Result<kernel::Graph> written = kernel::parseNotation(notation, sizes, type);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(anonymous(*written), anonymous(imported));
}

TEST(Examples, GemvIsTheNotationsGemv) {
  expectSame("y[i] += A[i,j] * x[j]", {{"i", 4096}, {"j", 4096}}, DType::kF16, importGood(example("gemv.mlir")));
}

TEST(Examples, GemvAsAffineLoopsIsTheNotationsGemv) {
  expectSame("y[i] += A[i,j] * x[j]", {{"i", 4096}, {"j", 4096}}, DType::kF16, importGood(example("gemv_affine.mlir")));
}

TEST(Examples, GemvReluIsTheNotations) {
  expectSame("y[i] += A[i,j] * x[j]; z[i] = relu(y[i] + b[i])", {{"i", 4096}, {"j", 1024}}, DType::kF16,
             importGood(example("gemv_relu.mlir")));
}

TEST(Examples, AxpyUpdatesInPlace) {
  const Executed run(example("axpy.mlir"), {{"d0", 100}});
  EXPECT_EQ(run.roleOf("y"), kernel::Role::kInOut);
  const auto round = [](double x) { return decodeFloat(DType::kF16, encodeFloat(DType::kF16, x)); };
  for (std::size_t e = 0; e < 100; ++e) {
    EXPECT_EQ(run.out("y")[e], round(run.in("y")[e] + round(run.in("alpha")[0] * run.in("x")[e])));
  }
}

TEST(Examples, AMatvecIsImportedInUnder30Milliseconds) {
  const std::string text = example("gemv.mlir");
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Result<kernel::Graph> g = importMlir(text, "gemv.mlir", {});
    best = std::min(best, std::chrono::steady_clock::now() - start);
    ASSERT_TRUE(g.ok());
  }
  EXPECT_LT(std::chrono::duration<double>(best).count(), 0.030);
}

TEST(Examples, TheFirstPublicFunctionIsTakenUnlessOneIsNamed) {
  const std::string two =
      "func.func private @helper(%x: memref<2xf32>, %y: memref<2xf32>) { linalg.exp ins(%x : memref<2xf32>) outs(%y : "
      "memref<2xf32>)\n return }\nfunc.func @main(%x: memref<2xf32>, %y: memref<2xf32>) { linalg.log ins(%x : "
      "memref<2xf32>) outs(%y : memref<2xf32>)\n return }\n";
  EXPECT_EQ(importGood(two).name, "main");
  const Result<kernel::Graph> named = importMlir(two, "t.mlir", {"helper", {}});
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->kernels[0].name, "exp");
}

TEST(Examples, KernelsKnowTheirLine) {
  const kernel::Graph g = importGood(example("gemv.mlir"));
  EXPECT_EQ(g.kernels[0].where.str(), "t.mlir:7:3");
}

}  // namespace
}  // namespace pimento::frontend
