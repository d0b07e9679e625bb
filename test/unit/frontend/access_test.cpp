// Indexing maps: permutations, strides, offsets, constants.
#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

/// A copy from %a through `from` to %c through `to`.
std::string moved(const std::string &a, const std::string &c, const std::string &from, const std::string &to,
                  const std::string &loops = "\"parallel\", \"parallel\"") {
  return "#from = affine_map<" + from + ">\n#to = affine_map<" + to + ">\nfunc.func @f(%a: memref<" + a +
         ">, %c: memref<" + c + ">) {\n linalg.generic {indexing_maps = [#from, #to], iterator_types = [" + loops +
         "]} ins(%a : memref<" + a + ">) outs(%c : memref<" + c +
         ">) {\n ^bb0(%x: f32, %o: f32):\n linalg.yield %x : f32\n }\n return\n}\n";
}

TEST(Access, APermutationSwapsTheIndices) {
  const Executed run(moved("4x3xf32", "3x4xf32", "(d0, d1) -> (d1, d0)", "(d0, d1) -> (d0, d1)"));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(run.out("c")[i * 4 + j], run.in("a")[j * 3 + i]);
  }
}

TEST(Access, StridesAndOffsetsAreKept) {
  const Executed run(moved("17x9xf32", "4x3xf32", "(d0, d1) -> (d0 * 3 + d1 * 2 + 1, 8 - d1)", "(d0, d1) -> (d0, d1)"));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(run.out("c")[i * 3 + j], run.in("a")[(3 * i + 2 * j + 1) * 9 + 8 - j]);
    }
  }
}

TEST(Access, AConstantIndexReadsOnePlace) {
  const Executed run(moved("3x4xf32", "4xf32", "(d0) -> (2, d0)", "(d0) -> (d0)", "\"parallel\""));
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(run.out("c")[j], run.in("a")[8 + j]);
}

TEST(Access, AWriteBesideTheOthersLeavesThemAlone) {
  const Executed run(moved("3xf32", "7xf32", "(d0) -> (d0)", "(d0) -> (d0 * 2 + 1)", "\"parallel\""));
  EXPECT_EQ(run.roleOf("c"), kernel::Role::kInOut) << "elements that are not written keep the user's contents";
  for (std::size_t e = 0; e < 7; ++e) EXPECT_EQ(run.out("c")[e], e % 2 ? run.in("a")[e / 2] : run.in("c")[e]);
}

TEST(Access, AWriteBesideAFillKeepsTheFill) {
  const Executed run(
      "#from = affine_map<(d0) -> (d0)>\n#to = affine_map<(d0) -> (d0 + 1)>\n"
      "func.func @f(%a: memref<3xf32>, %c: memref<5xf32>) {\n %k = arith.constant 7.0 : f32\n"
      "linalg.fill ins(%k : f32) outs(%c : memref<5xf32>)\n"
      "linalg.generic {indexing_maps = [#from, #to], iterator_types = [\"parallel\"]} ins(%a : memref<3xf32>) outs(%c "
      ": "
      "memref<5xf32>) {\n ^bb0(%x: f32, %o: f32):\n linalg.yield %x : f32\n }\n return }");
  EXPECT_EQ(run.roleOf("c"), kernel::Role::kOutput);
  const auto a = run.in("a");
  EXPECT_EQ(run.out("c"), (std::vector<double>{7, a[0], a[1], a[2], 7}));
}

TEST(Access, ExtentOneDimensionsMayBeIndexedByZero) {
  const Executed run(moved("4xf32", "1x4xf32", "(d0) -> (d0)", "(d0) -> (0, d0)", "\"parallel\""));
  EXPECT_EQ(run.roleOf("c"), kernel::Role::kOutput);
  EXPECT_EQ(run.out("c"), run.in("a"));
}

}  // namespace
}  // namespace pimento::frontend
