// What memrefs and tensors become: inputs, outputs, in-outs, temporaries; and that both forms compute the same.
#include <cmath>
#include <tuple>

#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

using kernel::Role;

constexpr const char *kMatvecMemref =
    "linalg.matvec ins(%A, %x : memref<4x6xf32>, memref<6xf32>) outs(%y : memref<4xf32>)\n";

std::string onMemrefs(const std::string &ops) {
  return "func.func @f(%A: memref<4x6xf32>, %x: memref<6xf32>, %b: memref<4xf32>, %y: memref<4xf32>) {\n" + ops +
         " return\n}\n";
}

std::string onTensors(const std::string &ops, const std::string &result) {
  return "func.func @f(%A: tensor<4x6xf32>, %x: tensor<6xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n" + ops +
         " return " + result + " : tensor<4xf32>\n}\n";
}

std::vector<float> product(const Executed &run, std::vector<float> start) {
  const auto A = run.in("A"), x = run.in("x");
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 6; ++j) start[i] += static_cast<float>(A[i * 6 + j]) * static_cast<float>(x[j]);
  }
  return start;
}

std::vector<double> widened(const std::vector<float> &x) {
  return {x.begin(), x.end()};
}
std::vector<float> narrowed(const std::vector<double> &x) {
  std::vector<float> y;
  for (const double e : x) y.push_back(static_cast<float>(e));
  return y;
}

TEST(Buffers, AnAccumulationOntoTheUsersContentsIsInOut) {
  const Executed run(onMemrefs(kMatvecMemref));
  EXPECT_EQ(run.roleOf("y"), Role::kInOut);
  EXPECT_EQ(run.out("y"), widened(product(run, narrowed(run.in("y")))));
}

TEST(Buffers, AnInputMayBeSaidToBeTheSameInEveryRun) {
  const kernel::Graph g = importGood(
      "func.func @f(%A: memref<4x6xf32> {pimento.constant}, %x: memref<6xf32>, %y: memref<4xf32> {pimento.constant = false}) "
      "{\n" +
      std::string(kMatvecMemref) + " return\n}\n");
  for (const kernel::Tensor &t : g.tensors) EXPECT_EQ(t.isConstant, t.name == "A") << t.name;
}

TEST(Buffers, AZeroFillMakesItAnOutput) {
  const Executed run(onMemrefs(std::string("%z = arith.constant 0.0 : f32\n linalg.fill ins(%z : f32) outs(%y : "
                                           "memref<4xf32>)\n") +
                               kMatvecMemref));
  EXPECT_EQ(run.graph.kernels.size(), 1u);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
  EXPECT_EQ(run.out("y"), widened(product(run, std::vector<float>(4, 0))));
}

TEST(Buffers, AnotherFillIsWhereTheSumStarts) {
  const Executed run(onMemrefs(std::string("%z = arith.constant 0.3 : f32\n linalg.fill ins(%z : f32) outs(%y : "
                                           "memref<4xf32>)\n") +
                               kMatvecMemref));
  EXPECT_EQ(run.graph.kernels.size(), 2u);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
  EXPECT_EQ(run.out("y"), widened(product(run, std::vector<float>(4, 0.3f))));
}

TEST(Buffers, TheNeutralElementDependsOnTheOperation) {
  for (const auto &[value, op, kernels] : {std::tuple{"0xff800000", "maximumf", 1},
                                           {"0x7f800000", "maximumf", 2},
                                           {"0x7f800000", "minimumf", 1},
                                           {"1.0", "mulf", 1},
                                           {"0.0", "mulf", 2}}) {
    const Executed run("func.func @f(%a: memref<4x6xf32>, %y: memref<4xf32>) {\n %z = arith.constant " +
                       std::string(value) +
                       " : f32\n linalg.fill ins(%z : f32) outs(%y : memref<4xf32>)\n"
                       "linalg.reduce { arith." +
                       op + " } ins(%a : memref<4x6xf32>) outs(%y : memref<4xf32>) dimensions = [1]\n return }");
    EXPECT_EQ(run.graph.kernels.size(), static_cast<std::size_t>(kernels)) << op << " from " << value;
  }
}

TEST(Buffers, ASecondSumContinuesTheFirst) {
  const Executed run(onMemrefs(std::string(kMatvecMemref) + kMatvecMemref));
  EXPECT_EQ(run.out("y"), widened(product(run, product(run, narrowed(run.in("y"))))));
}

TEST(Buffers, AnOverwrittenIntermediateIsATemporary) {
  const Executed run(onMemrefs(std::string("%z = arith.constant 0.0 : f32\n linalg.fill ins(%z : f32) outs(%y : "
                                           "memref<4xf32>)\n") +
                               kMatvecMemref +
                               "linalg.add ins(%y, %b : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)\n"));
  ASSERT_EQ(run.graph.kernels.size(), 2u);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
  EXPECT_EQ(run.roleOf("y_1"), Role::kTemporary);
  const auto sums = product(run, std::vector<float>(4, 0));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("y")[i], sums[i] + static_cast<float>(run.in("b")[i]));
}

TEST(Buffers, AnUpdateInPlaceIsOneInOutTensor) {
  const Executed run(
      "func.func @f(%y: memref<4xf32>) { linalg.exp ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)\n"
      "linalg.negf ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)\n return }");
  EXPECT_EQ(run.roleOf("y"), Role::kInOut);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("y")[i], -static_cast<float>(std::exp(run.in("y")[i])));
}

TEST(Buffers, AllocationsAreTemporaries) {
  const Executed run(
      "func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {\n %t = memref.alloc() : memref<4xf32>\n linalg.exp ins(%x "
      ": "
      "memref<4xf32>) outs(%t : memref<4xf32>)\n memref.copy %t, %y : memref<4xf32> to memref<4xf32>\n memref.dealloc "
      "%t : memref<4xf32>\n return }");
  EXPECT_EQ(run.roleOf("t"), Role::kTemporary);
  EXPECT_EQ(run.roleOf("y"), Role::kOutput);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("y")[i], static_cast<float>(std::exp(run.in("x")[i])));
}

TEST(Buffers, AReturnedAllocationIsAnOutput) {
  const Executed run(
      "func.func @f(%x: memref<4xf32>) -> memref<4xf32> {\n %t = memref.alloc() : memref<4xf32>\n linalg.exp ins(%x : "
      "memref<4xf32>) outs(%t : memref<4xf32>)\n return %t : memref<4xf32> }");
  EXPECT_EQ(run.roleOf("t"), Role::kOutput);
}

TEST(Buffers, WhatNoResultNeedsIsDropped) {
  const Executed run(
      "func.func @f(%x: memref<4xf32>, %unused: memref<9xf32>, %y: memref<4xf32>) {\n %t = memref.alloc() : "
      "memref<4xf32>\n linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)\n linalg.copy ins(%x : "
      "memref<4xf32>) "
      "outs(%y : memref<4xf32>)\n return }");
  EXPECT_EQ(run.graph.kernels.size(), 1u);
  EXPECT_EQ(run.graph.tensors.size(), 2u);
}

const std::string kZero =
    "%z = arith.constant 0.0 : f32\n %e = tensor.empty() : tensor<4xf32>\n %s = linalg.fill ins(%z : f32) outs(%e : "
    "tensor<4xf32>) -> tensor<4xf32>\n";
const std::string kMatvecTensor =
    "%r = linalg.matvec ins(%A, %x : tensor<4x6xf32>, tensor<6xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>\n";

TEST(Buffers, TensorsAndMemrefsGiveTheSameKernel) {
  const kernel::Graph tensors = importGood(onTensors(kZero + kMatvecTensor, "%r"));
  const kernel::Graph memrefs =
      importGood(onMemrefs(std::string("%z = arith.constant 0.0 : f32\n linalg.fill ins(%z : f32) outs(%y : "
                                       "memref<4xf32>)\n") +
                           kMatvecMemref));
  std::string a = kernel::print(tensors);
  const std::string b = kernel::print(memrefs);
  for (std::size_t at = 0; (at = a.find(" r ", at)) != std::string::npos;) a.replace(at, 3, " y ");
  a.replace(a.find(" r["), 3, " y[");
  EXPECT_EQ(a, b);
}

TEST(Buffers, AReturnedTensorIsAnOutputByItsName) {
  const Executed run(onTensors(kZero + kMatvecTensor, "%r"));
  EXPECT_EQ(run.roleOf("r"), Role::kOutput);
  EXPECT_EQ(run.out("r"), widened(product(run, std::vector<float>(4, 0))));
}

TEST(Buffers, AReturnedUpdateOfAnArgumentIsInOut) {
  const Executed run(onTensors(
      "%r = linalg.matvec ins(%A, %x : tensor<4x6xf32>, tensor<6xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>\n",
      "%r"));
  EXPECT_EQ(run.roleOf("b"), Role::kInOut);
  EXPECT_EQ(run.out("b"), widened(product(run, narrowed(run.in("b")))));
}

TEST(Buffers, AnArgumentThatIsReadAgainKeepsItsValue) {
  const Executed run(onTensors(
      "%r = linalg.matvec ins(%A, %x : tensor<4x6xf32>, tensor<6xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>\n"
      "%e = tensor.empty() : tensor<4xf32>\n"
      "%q = linalg.add ins(%r, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n",
      "%q"));
  EXPECT_EQ(run.roleOf("b"), Role::kInput);
  const auto b = narrowed(run.in("b"));
  const auto sums = product(run, b);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("q")[i], sums[i] + b[i]);
}

TEST(Buffers, AnIntermediateThatIsReadAgainKeepsItsValue) {
  const Executed run(onTensors(
      kZero + kMatvecTensor +
          "%t = linalg.matvec ins(%A, %x : tensor<4x6xf32>, tensor<6xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>\n"
          "%q = linalg.sub ins(%t, %r : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n",
      "%q"));
  const auto once = product(run, std::vector<float>(4, 0));
  const auto twice = product(run, once);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("q")[i], twice[i] - once[i]);
}

TEST(Buffers, ACastValueIsNotUpdatedUnderItsOtherName) {
  const Executed run(onTensors(
      kZero + kMatvecTensor +
          "%c = tensor.cast %r : tensor<4xf32> to tensor<?xf32>\n"
          "%t = linalg.matvec ins(%A, %x : tensor<4x6xf32>, tensor<6xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>\n"
          "%q = linalg.sub ins(%t, %r : tensor<?xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n",
      "%q"));
  const auto once = product(run, std::vector<float>(4, 0));
  const auto twice = product(run, once);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("q")[i], twice[i] - once[i]);
}

TEST(Buffers, AReturnedArgumentIsCopied) {
  const Executed run("func.func @f(%b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }");
  EXPECT_EQ(run.roleOf("b"), Role::kInput);
  EXPECT_EQ(run.out("out"), run.in("b"));
}

TEST(Buffers, ADenseConstantOfOneValueIsFoldedIn) {
  const Executed run(onTensors(
      "%k = arith.constant dense<2.5> : tensor<4xf32>\n %e = tensor.empty() : tensor<4xf32>\n"
      "%q = linalg.mul ins(%b, %k : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n",
      "%q"));
  EXPECT_EQ(run.graph.kernels.size(), 1u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.out("q")[i], static_cast<float>(run.in("b")[i]) * 2.5f);
}

TEST(Buffers, ASubtractionFromTheSumAddsTheNegative) {
  const Executed run(
      "#ij = affine_map<(d0, d1) -> (d0, d1)>\n#i = affine_map<(d0, d1) -> (d0)>\n"
      "func.func @f(%a: memref<2x3xf32>, %y: memref<2xf32>) {\n linalg.generic {indexing_maps = [#ij, #i], "
      "iterator_types = [\"parallel\", \"reduction\"]} ins(%a : memref<2x3xf32>) outs(%y : memref<2xf32>) {\n ^bb0(%x: "
      "f32, %o: f32):\n %r = arith.subf %o, %x : f32\n linalg.yield %r : f32\n }\n return }");
  for (std::size_t i = 0; i < 2; ++i) {
    float sum = static_cast<float>(run.in("y")[i]);
    for (std::size_t j = 0; j < 3; ++j) sum -= static_cast<float>(run.in("a")[i * 3 + j]);
    EXPECT_EQ(run.out("y")[i], sum);
  }
}

TEST(Buffers, AnyOtherUseOfTheOldElementReadsIt) {
  const Executed run(
      "#i = affine_map<(d0) -> (d0)>\nfunc.func @f(%a: memref<4xf32>, %y: memref<4xf32>) {\n linalg.generic "
      "{indexing_maps = [#i, #i], iterator_types = [\"parallel\"]} ins(%a : memref<4xf32>) outs(%y : memref<4xf32>) "
      "{\n "
      "^bb0(%x: f32, %o: f32):\n %s = arith.mulf %o, %o : f32\n %r = arith.addf %s, %x : f32\n linalg.yield %r : f32\n "
      "}\n return }");
  EXPECT_EQ(run.roleOf("y"), Role::kInOut);
  for (std::size_t i = 0; i < 4; ++i) {
    const float o = static_cast<float>(run.in("y")[i]);
    EXPECT_EQ(run.out("y")[i], o * o + static_cast<float>(run.in("a")[i]));
  }
}

}  // namespace
}  // namespace pimento::frontend
