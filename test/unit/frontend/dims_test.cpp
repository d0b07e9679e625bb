// Extents of dynamic dimensions: how they are named, and what follows from what.
#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

constexpr const char *kDynamic =
    "func.func @f(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {\n linalg.matvec ins(%A, %x : "
    "memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)\n return\n}\n";

std::vector<std::int64_t> shapeOf(const kernel::Graph &g, const char *name) {
  const int t = g.tensorNamed(name);
  return t < 0 ? std::vector<std::int64_t>{} : g.tensors[static_cast<std::size_t>(t)].shape;
}

TEST(Dims, LoopsOfTheFirstOpNameTheExtents) {
  const kernel::Graph g = importGood(kDynamic, {{"d0", 3}, {"d1", 5}});
  EXPECT_EQ(shapeOf(g, "A"), (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(shapeOf(g, "x"), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(shapeOf(g, "y"), (std::vector<std::int64_t>{3}));
}

TEST(Dims, SoDoDimensionsOfArguments) {
  const kernel::Graph g = importGood(kDynamic, {{"y:0", 3}, {"A:1", 5}});
  EXPECT_EQ(shapeOf(g, "A"), (std::vector<std::int64_t>{3, 5}));
}

TEST(Dims, AStaticExtentDecidesTheOthers) {
  const kernel::Graph g = importGood(
      "func.func @f(%A: memref<?x?xf32>, %x: memref<5xf32>, %y: memref<3xf32>) {\n linalg.matvec ins(%A, %x : "
      "memref<?x?xf32>, memref<5xf32>) outs(%y : memref<3xf32>)\n return\n}\n");
  EXPECT_EQ(shapeOf(g, "A"), (std::vector<std::int64_t>{3, 5}));
}

TEST(Dims, StatingAStaticExtentAgainIsFine) {
  const kernel::Graph g = importGood(
      "func.func @f(%x: memref<5xf32>, %y: memref<5xf32>) { linalg.copy ins(%x : memref<5xf32>) outs(%y : "
      "memref<5xf32>)\n return }",
      {{"d0", 5}});
  EXPECT_EQ(shapeOf(g, "x"), (std::vector<std::int64_t>{5}));
}

TEST(Dims, TheyFlowThroughTensorDimAndEmpty) {
  const kernel::Graph g = importGood(
      "func.func @f(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {\n %c = arith.constant 1 : index\n %n = tensor.dim %x, %c "
      ": "
      "tensor<2x?xf32>\n %e = tensor.empty(%n) : tensor<2x?xf32>\n %r = linalg.exp ins(%x : tensor<2x?xf32>) outs(%e : "
      "tensor<2x?xf32>) -> tensor<2x?xf32>\n return %r : tensor<2x?xf32> }",
      {{"x:1", 7}});
  EXPECT_EQ(shapeOf(g, "r"), (std::vector<std::int64_t>{2, 7}));
}

TEST(Dims, AnIndexArgumentNamesASize) {
  const Executed run(
      "#i = affine_map<(d0) -> (d0)>\nfunc.func @f(%n: index) -> tensor<?xi64> {\n %e = tensor.empty(%n) : "
      "tensor<?xi64>\n %r = linalg.generic {indexing_maps = [#i], iterator_types = [\"parallel\"]} outs(%e : "
      "tensor<?xi64>) {\n ^bb0(%o: i64):\n %k = arith.index_cast %n : index to i64\n linalg.yield %k : i64\n } -> "
      "tensor<?xi64>\n return %r : tensor<?xi64> }",
      {{"n", 3}});
  EXPECT_EQ(run.out("r"), (std::vector<double>{3, 3, 3}));
}

TEST(Dims, ALaterOpMayBeNamedByItsArgument) {
  const kernel::Graph g = importGood(
      "func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %u: memref<?xf32>, %v: memref<?xf32>) {\n linalg.exp ins(%x "
      ": "
      "memref<?xf32>) outs(%y : memref<?xf32>)\n linalg.exp ins(%u : memref<?xf32>) outs(%v : memref<?xf32>)\n return "
      "}",
      {{"d0", 3}, {"u:0", 4}});
  EXPECT_EQ(shapeOf(g, "y"), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(shapeOf(g, "v"), (std::vector<std::int64_t>{4}));
}

TEST(Dims, DynamicGivesTheSameGraphAsStatic) {
  const kernel::Graph dynamic = importGood(kDynamic, {{"d0", 3}, {"d1", 5}});
  const kernel::Graph fixed = importGood(
      "func.func @f(%A: memref<3x5xf32>, %x: memref<5xf32>, %y: memref<3xf32>) {\n linalg.matvec ins(%A, %x : "
      "memref<3x5xf32>, memref<5xf32>) outs(%y : memref<3xf32>)\n return\n}\n");
  EXPECT_EQ(kernel::print(dynamic), kernel::print(fixed));
}

}  // namespace
}  // namespace pimento::frontend
