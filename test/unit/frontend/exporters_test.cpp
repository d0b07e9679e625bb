// MLIR as exporters print it: what is inlined, looked through, lowered and composed computes what MLIR's lowering does.
#include <gtest/gtest.h>

#include <string>

#include "native_support.h"
#include "pimento/frontend/frontend.h"

namespace pimento::frontend {
namespace {

/// A function of one body over two inputs and one output of 40 elements.
std::string bodyOf(const std::string &type, const std::string &ops) {
  const std::string array = "memref<40x" + type + ">";
  return "func.func @f(%x: " + array + ", %y: " + array + ", %z: " + array +
         ") {\n linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) "
         "-> "
         "(d0)>], iterator_types = [\"parallel\"]} ins(%x, %y : " +
         array + ", " + array + ") outs(%z : " + array + ") {\n^bb0(%a: " + type + ", %b: " + type + ", %o: " + type +
         "):\n" + ops + "\n}\nreturn\n}\n";
}

kernel::DataSpec upTo(double limit) {
  kernel::DataSpec spec{kernel::DataSpec::Kind::kUniform, -limit, limit};
  return spec;
}

TEST(Exporters, RoundingIsThatOfTheSource) {
  for (const std::string type : {"f32", "f64"}) {
    for (const std::string op : {"math.floor", "math.ceil", "math.round", "math.roundeven", "math.trunc"}) {
      const std::string one = "%r = " + op + " %a : " + type + "\nlinalg.yield %r : " + type;
      // Halves, whole numbers beyond the fraction, both signs of 0.
      const std::string halves = "%h = arith.constant 0.5 : " + type + "\n%t = math.trunc %a : " + type +
                                 "\n%s = arith.addf %t, %h : " + type + "\n%r = " + op + " %s : " + type +
                                 "\nlinalg.yield %r : " + type;
      expectMlirReadRight(bodyOf(type, one), {}, upTo(4));
      expectMlirReadRight(bodyOf(type, halves), {}, upTo(4));
      expectMlirReadRight(bodyOf(type, one), {}, upTo(1e9));
      expectMlirReadRight(bodyOf(type, one), {}, upTo(1e30));
      expectMlirReadRight(bodyOf(type, one), {}, {kernel::DataSpec::Kind::kZero});
    }
  }
}

TEST(Exporters, QuotientsThatRoundDownOrUp) {
  for (const std::string op : {"arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"}) {
    const std::string ops = "%c1 = arith.constant 1 : i32\n%d = arith.ori %b, %c1 : i32\n%r = " + op +
                            " %a, %d : i32\nlinalg.yield %r : i32";
    expectMlirReadRight(bodyOf("i32", ops), {}, upTo(40));
  }
}

TEST(Exporters, FunctionsOfDoublePrecisionRoundedOnce) {
  for (const std::string op : {"math.rsqrt", "math.sin", "math.cos"}) {
    const std::string ops = "%s = math.absf %a : f32\n%r = " + op + " %s : f32\nlinalg.yield %r : f32";
    expectMlirReadRight(bodyOf("f32", ops), {}, upTo(100));
  }
  for (const std::string exponent : {"2.0", "3.0", "0.5", "-1.0", "5.0", "0.0", "1.0"}) {
    const std::string ops = "%e = arith.constant " + exponent +
                            " : f32\n%s = math.absf %a : f32\n%r = math.powf %s, %e : f32\nlinalg.yield %r : f32";
    expectMlirReadRight(bodyOf("f32", ops), {}, upTo(3));
  }
}

TEST(Exporters, BitsAreComputedWith) {
  expectMlirReadRight(bodyOf("i8", R"(
    %p = arith.cmpi ult, %a, %b : i8
    %q = arith.cmpi slt, %a, %b : i8
    %s = arith.addi %p, %q : i1
    %t = arith.cmpi sgt, %p, %q : i1
    %u = arith.cmpi ule, %p, %q : i1
    %v = arith.maxsi %s, %t : i1
    %w = arith.minui %v, %u : i1
    %m = arith.muli %w, %s : i1
    %k = arith.ori %m, %t : i1
    %r = arith.select %k, %a, %b : i8
    linalg.yield %r : i8)"));
  expectMlirReadRight(R"(
    func.func @f(%m: tensor<40xi1>, %x: tensor<40xi32>, %e: tensor<40xi32>) -> tensor<40xi32> {
      %r = linalg.select ins(%m, %x, %e : tensor<40xi1>, tensor<40xi32>, tensor<40xi32>)
                         outs(%e : tensor<40xi32>) -> tensor<40xi32>
      return %r : tensor<40xi32>
    })");
}

TEST(Exporters, NansAreSeen) {
  expectMlirReadRight(bodyOf("f32", R"(
    %q = arith.divf %a, %b : f32
    %p = arith.cmpf uno, %q, %a : f32
    %s = arith.cmpf ord, %q, %b : f32
    %u = arith.select %p, %a, %q : f32
    %r = arith.select %s, %u, %b : f32
    linalg.yield %r : f32)"),
                      {}, {kernel::DataSpec::Kind::kZero});
}

TEST(Exporters, ShapesAreOtherNamesForTheSameElements) {
  expectMlirReadRight(R"(
    func.func @f(%x: tensor<4x6xi32>) -> (tensor<3x8xi32>, tensor<1x24xi32>, tensor<2x12xi32>) {
      %s = arith.constant dense<[2, 12]> : tensor<2xindex>
      %a = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xi32> into tensor<24xi32>
      %b = tensor.expand_shape %a [[0, 1]] output_shape [3, 8] : tensor<24xi32> into tensor<3x8xi32>
      %e = tensor.empty() : tensor<3x8xi32>
      %c = linalg.add ins(%b, %b : tensor<3x8xi32>, tensor<3x8xi32>) outs(%e : tensor<3x8xi32>) -> tensor<3x8xi32>
      %d = tensor.expand_shape %a [[0, 1]] output_shape [1, 24] : tensor<24xi32> into tensor<1x24xi32>
      %g = tensor.empty() : tensor<1x24xi32>
      %h = linalg.mul ins(%d, %d : tensor<1x24xi32>, tensor<1x24xi32>) outs(%g : tensor<1x24xi32>) -> tensor<1x24xi32>
      %k = tensor.reshape %x(%s) : (tensor<4x6xi32>, tensor<2xindex>) -> tensor<2x12xi32>
      %l = tensor.empty() : tensor<2x12xi32>
      %m = linalg.add ins(%k, %k : tensor<2x12xi32>, tensor<2x12xi32>) outs(%l : tensor<2x12xi32>) -> tensor<2x12xi32>
      return %c, %h, %m : tensor<3x8xi32>, tensor<1x24xi32>, tensor<2x12xi32>
    })");
}

TEST(Exporters, ContentsOfTheFileAreInputsThatStayAsTheyAre) {
  const std::string text = R"(
    func.func @f(%x: tensor<3xi16>) -> tensor<3xi16> {
      %w = arith.constant dense<[7, -1, 300]> : tensor<3xi16>
      %e = tensor.empty() : tensor<3xi16>
      %r = linalg.mul ins(%x, %w : tensor<3xi16>, tensor<3xi16>) outs(%e : tensor<3xi16>) -> tensor<3xi16>
      return %r : tensor<3xi16>
    })";
  expectMlirReadRight(text);
  const Result<Imported> file = importMlirFile(text, "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  ASSERT_EQ(file->contents.size(), 1u);
  const auto &[tensor, bytes] = *file->contents.begin();
  EXPECT_EQ(file->graph.tensors[static_cast<std::size_t>(tensor)].name, "w");
  EXPECT_TRUE(file->graph.tensors[static_cast<std::size_t>(tensor)].isConstant);
  EXPECT_EQ(bytes, (std::vector<std::byte>{std::byte{7}, std::byte{0}, std::byte{255}, std::byte{255}, std::byte{0x2c},
                                           std::byte{1}}));
}

TEST(Exporters, ElidedConstantsAreSaid) {
  const Result<Imported> file = importMlirFile(R"(
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = arith.constant dense_resource<__elided__> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.mul ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
})",
                                               "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  EXPECT_TRUE(file->contents.empty());
  ASSERT_EQ(file->warnings.size(), 1u);
  EXPECT_EQ(file->warnings[0].code, "elided-constant");
  EXPECT_EQ(file->warnings[0].where.str(), "t.mlir:3:8");
}

TEST(Exporters, WrappersAreLookedThroughAndSaidOnce) {
  const std::string text = R"(func.func @f(%x: tensor<8xi32>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  %a = place.on attributes {device = "dpu"} -> tensor<8xi32> {
    %s = linalg.add ins(%x, %x : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
    %t = place.on -> (tensor<8xi32>) {
      %u = linalg.mul ins(%s, %x : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
      place.yield %u : tensor<8xi32>
    }
    place.yield %t : tensor<8xi32>
  }
  return %a : tensor<8xi32>
})";
  expectMlirReadRight(text);
  const Result<Imported> file = importMlirFile(text, "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  ASSERT_EQ(file->warnings.size(), 1u);
  EXPECT_EQ(file->warnings[0].code, "wrapped-ops");
  EXPECT_EQ(file->warnings[0].severity, Severity::kWarning);
}

TEST(Exporters, TheFunctionThatNoOtherCallsIsMeant) {
  const std::string text = R"(
    func.func @helper(%x: tensor<8xi32>, %e: tensor<8xi32>) -> tensor<8xi32> {
      %r = linalg.add ins(%x, %x : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
      return %r : tensor<8xi32>
    }
    func.func @whole(%x: tensor<8xi32>) -> tensor<8xi32> {
      %e = tensor.empty() : tensor<8xi32>
      %a = call @helper(%x, %e) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      %b = call @helper(%a, %e) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      return %b : tensor<8xi32>
    })";
  expectMlirReadRight(text);
  const Result<Imported> file = importMlirFile(text, "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  EXPECT_EQ(file->graph.name, "whole");
  EXPECT_EQ(file->graph.kernels.size(), 2u);
}

TEST(Exporters, NamesOfTheSourceOutliveMlirsPasses) {
  const Result<Imported> file = importMlirFile(R"(
    func.func @f(%image: tensor<2x4xf32>, %bias: tensor<1x4xf32>) -> tensor<2x4xf32> {
      %sum = tosa.add %image, %bias : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
      %twice = tosa.mul %sum, %sum {shift = 0 : i8} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      return %twice : tensor<2x4xf32>
    })",
                                               "t.mlir", {});
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  std::string names;
  for (const kernel::Tensor &t : file->graph.tensors) names += t.name + " ";
  EXPECT_NE(names.find("image "), std::string::npos) << names;
  EXPECT_NE(names.find("bias "), std::string::npos) << names;
  EXPECT_NE(names.find("sum "), std::string::npos) << names;
}

TEST(Exporters, ReductionsInOrder) {
  expectMlirReadRight(R"(
    func.func @f(%x: memref<4x9xi8>, %y: memref<4xi8>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                      iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x9xi8>) outs(%y : memref<4xi8>) {
      ^bb0(%a: i8, %o: i8):
        %m = arith.maxui %o, %a : i8
        linalg.yield %m : i8
      }
      return
    })");
}

TEST(Exporters, MappingsOfTosaOpsAndOfOpsInLoopsAreKept) {
  const std::string tosa =
      "func.func @f(%a: tensor<4x8xi32>, %b: tensor<4x8xi32>) -> tensor<4x8xi32> {\n"
      "%0 = tosa.add %a, %b {pimento.mapping = \"host\"} : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>\n"
      "return %0 : tensor<4x8xi32>\n}\n";
  const std::string loop =
      "func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {\naffine.for %i = 0 to 4 {\n"
      "%a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>\n"
      "%b = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>\n"
      "linalg.exp {pimento.mapping = \"host\"} ins(%a : memref<8xf32, strided<[1], offset: ?>>) outs(%b : "
      "memref<8xf32, "
      "strided<[1], offset: ?>>)\n}\nreturn\n}\n";
  for (const std::string &text : {tosa, loop}) {
    const Result<Imported> file = importMlirFile(text, "t.mlir", {});
    ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
    ASSERT_FALSE(file->mappings.empty());
    EXPECT_EQ(file->mappings.back(), "host") << text;
  }
}

}  // namespace
}  // namespace pimento::frontend
