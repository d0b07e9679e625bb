// The files of kernels/: what the graph computes is what the host's compiler makes of the same text.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "pimento/base/file.h"
#include "test/unit/frontend/c_support.h"

// Built from kernels/*.c with this test.
extern "C" {
void va(int, const void *, const void *, void *);
void va_f16(int, const void *, const void *, void *);
void mul_f16(int, const void *, const void *, void *);
void relu_f16(int, const void *, void *);
void gemv(int, int, const void *, const void *, void *);
void gemv_f16(int, int, const void *, const void *, void *);
void gemm(int, int, int, const void *, const void *, void *);
std::int32_t red(int, const void *);
std::uint32_t sel(int, const void *, void *);
void hst(int, const void *, void *);
void scan(int, const void *, void *);
void conv(int, int, const void *, const void *, void *);
void spmv(int, int, int, const void *, const void *, const void *, const void *, void *);
void stencil(int, void *, void *);
void triangular(int, const void *, const void *, void *);
void mlp(int, int, int, const void *, const void *, const void *, const void *, const void *, void *);
}

namespace pimento::frontend {
namespace {

kernel::Graph load(const std::string &name, const kernel::Sizes &sizes) {
  const Result<std::string> text = readFile(std::string(PIMENTO_SOURCE_DIR) + "/kernels/" + name + ".c");
  EXPECT_TRUE(text.ok());
  return text ? importGoodC(*text, {{}, sizes}) : kernel::Graph{};
}

std::vector<kernel::Role> rolesOf(const kernel::Graph &graph) {
  std::vector<kernel::Role> roles;
  for (const kernel::Tensor &t : graph.tensors) roles.push_back(t.role);
  return roles;
}

using kernel::DimKind;
using kernel::Role;

TEST(CZoo, AdditionIsOneParallelKernel) {
  const kernel::Graph g = load("va", {{"n", 37}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].dims[0].kind, DimKind::kParallel);
  EXPECT_EQ(rolesOf(g), (std::vector{Role::kInput, Role::kInput, Role::kOutput}));
  expectSameAsHost(g, [](const HostArrays &a) { va(37, a.at("a"), a.at("b"), a.at("y")); });
}

TEST(CZoo, HalfPrecisionIsRoundedByEachOperation) {
  const kernel::Graph sum = load("va_f16", {{"n", 50}});
  expectSameAsHost(sum, [](const HostArrays &a) { va_f16(50, a.at("a"), a.at("b"), a.at("y")); });
  const kernel::Graph product = load("mul_f16", {{"n", 50}});
  expectSameAsHost(product, [](const HostArrays &a) { mul_f16(50, a.at("a"), a.at("b"), a.at("y")); });
}

TEST(CZoo, AChoiceOfPositiveValuesIsRelu) {
  const kernel::Graph g = load("relu_f16", {{"n", 50}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].body.back().op, kernel::Op::kRelu);
  expectSameAsHost(g, [](const HostArrays &a) { relu_f16(50, a.at("x"), a.at("y")); });
}

TEST(CZoo, ASumInALocalVariableGoesStraightIntoItsElement) {
  const kernel::Graph g = load("gemv", {{"m", 7}, {"n", 12}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.tensors[0].shape, (std::vector<std::int64_t>{7, 12})) << "rows of A[i * n + j]";
  EXPECT_EQ(g.kernels[0].dims[1].kind, DimKind::kReduction);
  EXPECT_EQ(g.kernels[0].stores[0].combine, kernel::Combine::kAdd);
  expectSameAsHost(g, [](const HostArrays &a) { gemv(7, 12, a.at("A"), a.at("x"), a.at("y")); });
  const kernel::Graph half = load("gemv_f16", {{"m", 9}, {"n", 20}});
  ASSERT_EQ(half.kernels.size(), 1U);
  expectSameAsHost(half, [](const HostArrays &a) { gemv_f16(9, 20, a.at("A"), a.at("x"), a.at("y")); });
}

TEST(CZoo, AnElementThatIsSetToZeroFirstIsAnOutput) {
  const kernel::Graph g = load("gemm", {{"m", 5}, {"n", 6}, {"k", 7}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.tensors[2].role, Role::kOutput);
  expectSameAsHost(g, [](const HostArrays &a) { gemm(5, 6, 7, a.at("A"), a.at("B"), a.at("C")); });
}

TEST(CZoo, AReturnedValueIsAnOutput) {
  const kernel::Graph g = load("red", {{"n", 100}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.tensors.back().name, "result");
  expectSameAsHost(g, [](const HostArrays &a) { *static_cast<std::int32_t *>(a.at("result")) = red(100, a.at("x")); });
}

TEST(CZoo, AppendingUnderAConditionIsASelection) {
  const kernel::Graph g = load("sel", {{"n", 64}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].form, kernel::Form::kSelect);
  expectSameAsHost(
      g, [](const HostArrays &a) { *static_cast<std::uint32_t *>(a.at("result")) = sel(64, a.at("x"), a.at("y")); });
}

TEST(CZoo, AnIndexFromDataIsAHistogram) {
  const kernel::Graph g = load("hst", {{"n", 200}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].form, kernel::Form::kIndirect);
  kernel::DataSpec spec;
  spec.kind = kernel::DataSpec::Kind::kUniform;
  spec.high = 4095;
  expectSameAsHost(g, [](const HostArrays &a) { hst(200, a.at("x"), a.at("h")); }, spec);
}

TEST(CZoo, ARunningSumIsAScan) {
  const kernel::Graph g = load("scan", {{"n", 77}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].dims[0].kind, DimKind::kSequential);
  EXPECT_EQ(g.kernels[0].stores.size(), 2U);
  expectSameAsHost(g, [](const HostArrays &a) { scan(77, a.at("x"), a.at("y")); });
}

TEST(CZoo, EdgesOfAConvolutionAreGuards) {
  const kernel::Graph g = load("conv", {{"h", 8}, {"w", 9}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].guards.size(), 4U);
  expectSameAsHost(g, [](const HostArrays &a) { conv(8, 9, a.at("image"), a.at("filter"), a.at("out")); });
}

TEST(CZoo, StepsOfAStencilAreRoundsOfALoop) {
  const kernel::Graph g = load("stencil", {{"n", 33}});
  ASSERT_EQ(g.kernels.size(), 2U);
  ASSERT_EQ(g.loops.size(), 1U);
  EXPECT_EQ(g.loops[0].extent, 4);
  for (const kernel::Kernel &k : g.kernels) EXPECT_EQ(k.dims.back().kind, DimKind::kParallel);
  expectSameAsHost(g, [](const HostArrays &a) { stencil(33, a.at("a"), a.at("b")); });
}

TEST(CZoo, ATriangularLoopIsGuarded) {
  const kernel::Graph g = load("triangular", {{"n", 21}});
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].guards.size(), 1U);
  expectSameAsHost(g, [](const HostArrays &a) { triangular(21, a.at("L"), a.at("x"), a.at("y")); });
}

TEST(CZoo, FunctionsThatCallEachOtherMakeAGraph) {
  const kernel::Graph g = load("mlp", {{"in", 12}, {"hidden", 10}, {"out", 6}});
  EXPECT_EQ(g.kernels.size(), 5U);
  expectSameAsHost(g, [](const HostArrays &a) {
    mlp(12, 10, 6, a.at("W1"), a.at("b1"), a.at("W2"), a.at("b2"), a.at("x"), a.at("y"));
  });
}

TEST(CZoo, ASparseProductRunsAlongTheRows) {
  const kernel::Graph g = load("spmv", {{"n", 30}, {"m", 20}, {"entries", 200}});
  ASSERT_FALSE(g.kernels.empty());
  ASSERT_EQ(g.kernels.back().bounds.size(), 1U);
  EXPECT_EQ(g.kernels.back().dims[1].extent, 200);
  EXPECT_EQ(g.kernels.back().dims[1].kind, DimKind::kReduction);
  expectSameAsHost(g, [](const HostArrays &a) {
    spmv(30, 20, 200, a.at("row"), a.at("column"), a.at("value"), a.at("x"), a.at("y"));
  });
}

}  // namespace
}  // namespace pimento::frontend
