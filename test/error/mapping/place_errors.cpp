#include <gtest/gtest.h>

#include <string>

#include "pimento/kernel/notation.h"
#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

using kernel::DimKind;

/// The one diagnostic of a mapping that does not fit, with the parts it must say.
void expectError(const Result<PlacedMapping> &result, const std::string &code, const std::string &where,
                 const std::string &message, const std::string &hint) {
  ASSERT_FALSE(result);
  ASSERT_EQ(result.diagnostics().size(), 1u) << result.diagnostics()[1].str();
  const Diagnostic &d = result.diagnostics().front();
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_EQ(d.where.str(), where) << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty());
}

Result<PlacedMapping> onGemv(const std::string &map, const machine::Machine &machine = upmem()) {
  return place(parsed(map), gemv(512, 1152).kernels[0], machine);
}

TEST(PlaceErrors, AMappingNeedsASubspace) {
  expectError(place(Mapping(), gemv(8, 8).kernels[0], flat()), "mapping-no-subspace", "", "no subspace", "M1:{");
}

TEST(PlaceErrors, OneTuplePerLevelAndTheRange) {
  expectError(onGemv("M1:{(2,9),(64,1),(4,128)}"), "mapping-levels", "<map>:1:1", "M1 has 3 tuples, but upmem needs 4",
              "rank (18), dpu (64), tasklet (24), range");
}

TEST(PlaceErrors, OneElementPerDim) {
  expectError(onGemv("M1:{(2),(64),(2),(2)}"), "mapping-dims", "<map>:1:5", "1 elements, but kernel gemv has 2 dims",
              "i (512), j (1152)");
}

TEST(PlaceErrors, FactorsAreAtLeastOne) {
  Mapping mapping = parsed("M1:{(2,9),(64,1),(2,4),(2,32)}");
  mapping.subspaces[0].factors[1][1] = 0;
  expectError(place(mapping, gemv(512, 1152).kernels[0], upmem()), "mapping-factor", "<map>:1:11", "below 1",
              "for an unsplit dim");
}

TEST(PlaceErrors, ASpaceThatCannotBeCountedIsRefused) {
  expectError(onGemv("M1:{(1,1),(1,1),(1,1),(1099511627776,1099511627776)}"), "mapping-too-large", "<map>:1:1",
              "too many points", "i (512)");
  Mapping mapping = parsed("M1:{(2,9),(64,1),(2,4),(2,32)}");
  mapping.subspaces[0].factors[3][0] = std::int64_t{1} << 62;
  expectError(place(mapping, gemv(512, 1152).kernels[0], upmem()), "mapping-too-large", "<map>:1:1", "too many points",
              "along a dim");
}

TEST(PlaceErrors, TwoSubspacesCannotShareAnIndex) {
  Mapping mapping = parsed("M1:{(1),(4)},M2:{(1),(4)}");
  mapping.subspaces[1].index = 1;
  expectError(place(mapping, nest({{"i", 8, DimKind::kParallel}}), flat()), "mapping-duplicate-index", "<map>:1:14",
              "M1", "order of execution");
}

TEST(PlaceErrors, ALevelHasOnlySoManyInstances) {
  machine::Machine machine = upmem();
  machine.levels[0].count = 16;
  expectError(onGemv("M1:{(2,9),(64,1),(2,4),(2,32)}", machine), "mapping-count", "<map>:1:5",
              "M1 uses 2x9 = 18 instances of level rank, upmem has 16: 2 too many", "at most its count");
}

TEST(PlaceErrors, ALockStepLevelMustBeFull) {
  expectError(onGemv("M1:{(64,1),(4,1),(1,16),(2,72)}", hbmPim()), "mapping-not-full", "<map>:1:12",
              "M1 uses 4x1 = 4 instances of level block, but all 8 work in lock step", "multiply to 8");
}

TEST(PlaceErrors, ASequentialDimIsNotSplit) {
  const kernel::Kernel k = nest({{"t", 8, DimKind::kSequential}});
  expectError(place(parsed("M1:{(2),(4)}"), k, flat()), "mapping-sequential-split", "<map>:1:5",
              "splits sequential dim t at level part", "factor 1");
  expectError(place(parsed("M1:{(1),(4)},M2:{(1),(4)}"), k, flat()), "mapping-sequential-split", "<map>:1:1",
              "M1 covers 4 of the 8 points of sequential dim t", "whole range");
}

TEST(PlaceErrors, ADimThatDataBoundIsNotSplit) {
  kernel::Kernel k = nest({{"i", 4, DimKind::kParallel}, {"e", 8, DimKind::kReduction}});
  k.bounds.push_back({1, 0, 1});
  expectError(place(parsed("M1:{(1,2),(4,4)}"), k, flat()), "mapping-bounded-split", "<map>:1:5",
              "splits dim e, whose bounds come from data, at level part", "factor 1");
  expectError(place(parsed("M1:{(1,1),(4,4)},M2:{(1,1),(4,4)}"), k, flat()), "mapping-bounded-split", "<map>:1:1",
              "M1 covers 4 of the 8 points of dim e", "whole range");
}

TEST(PlaceErrors, AReductionIsSplitOnlyWherePartialResultsMerge) {
  expectError(onGemv("M1:{(32,2),(8,1),(1,16),(2,36)}", hbmPim()), "mapping-reduction-split", "<map>:1:5",
              "M1 splits reduction dim j at level channel, where partial results are not merged",
              "levels that may split it: lane");
  expectError(place(parsed("M1:{(1,8),(4,1)}"), gemv(4, 8).kernels[0], flat()), "mapping-reduction-split", "<map>:1:5",
              "splits reduction dim j", "no level of flat merges partial results");
}

TEST(PlaceErrors, CyclicNamesALevel) {
  expectError(onGemv("M1:{(2,8),(64,1),(2,4),(2,36)};cyclic(rnk,2)"), "mapping-unknown-level", "<map>:1:32",
              "upmem has no level 'rnk'", "did you mean 'rank'? choices: rank, dpu, tasklet");
}

TEST(PlaceErrors, AChunkDividesWhatAnInstanceHolds) {
  expectError(onGemv("M1:{(2,8),(64,1),(2,4),(2,36)};cyclic(tasklet,4)"), "mapping-cyclic-chunk", "<map>:1:32",
              "chunk 4 does not divide the 2 elements of i that a tasklet of M1 has", "divisor of 2");
}

TEST(PlaceErrors, OrderNamesTheKernelsDims) {
  expectError(onGemv("M1:{(2,8),(64,1),(2,4),(2,36)};order(i,jj)"), "mapping-unknown-dim", "<map>:1:32",
              "kernel gemv has no dim 'jj'", "did you mean 'j'? choices: i, j");
  expectError(onGemv("M1:{(2,8),(64,1),(2,4),(2,36)};order(j)"), "mapping-order", "<map>:1:32",
              "order(...) names dim 'i' nowhere", "i (512), j (1152)");
}

TEST(PlaceErrors, SubspacesDoNotOverlap) {
  const kernel::Kernel k = nest({{"a", 8, DimKind::kParallel}, {"b", 8, DimKind::kParallel}});
  expectError(place(parsed("M1:{(1,1),(4,8)},M2:{(1,1),(2,4)},M3:{(1,1),(4,4)}"), k, flat()), "mapping-incomplete",
              "<map>:1:35", "cover 48 of 64 points; the first uncovered one is (4,4)", "tail=truncate");
  expectError(place(parsed("M1:{(1,1),(4,4)},M2:{(1,1),(4,8)},M3:{(1,1),(8,4)}"), k, flat()), "mapping-overlap",
              "<map>:1:35", "M3 (8x4 at (0,4)) overlaps M2 (4x8 at (4,0)) in 4x4 at (4,4)", "first uncovered point");
}

TEST(PlaceErrors, TheSubspacesCoverTheSpace) {
  expectError(onGemv("M1:{(2,8),(64,1),(2,4),(2,32)}"), "mapping-incomplete", "<map>:1:1",
              "cover 524288 of 589824 points; the first uncovered one is (0,1024)", "raise a factor or the range");
}

TEST(PlaceErrors, NothingIsLeftForALateSubspace) {
  const kernel::Kernel k = nest({{"i", 8, DimKind::kParallel}});
  expectError(place(parsed("M1:{(8),(1)},M2:{(1),(4)}"), k, flat()), "mapping-unused-subspace", "<map>:1:14",
              "M2 has nothing left to cover", "remove it");
}

TEST(PlaceErrors, AJigsawTooSlowToCheckIsRefused) {
  // Layers of stripes, each across the next dim: their edges cut the space above into 14^4 pieces.
  std::vector<kernel::Dim> dims;
  for (const char *name : {"a", "b", "c", "d"}) dims.push_back({name, 14, DimKind::kParallel});
  dims.push_back({"e", 100, DimKind::kParallel});
  Mapping mapping;
  for (std::size_t layer = 0; layer < 4; ++layer) {
    for (int stripe = 0; stripe < 14; ++stripe) {
      Subspace subspace;
      subspace.index = static_cast<int>(mapping.subspaces.size()) + 1;
      subspace.factors = {{1, 1, 1, 1, 1}, {14, 14, 14, 14, 1}};
      subspace.factors[1][layer] = 1;
      mapping.subspaces.push_back(subspace);
    }
  }
  expectError(place(mapping, nest(dims), flat()), "mapping-too-irregular", "", "more than 16384 pieces", "fewer");
}

TEST(PlaceErrors, AllFindingsAreReportedAtOnce) {
  const Result<PlacedMapping> p = onGemv("M1:{(2,10),(65,1),(2,4),(2,32)};order(x);cyclic(bank,4)");
  ASSERT_FALSE(p);
  std::vector<std::string> codes;
  for (const Diagnostic &d : p.diagnostics()) codes.push_back(d.code);
  EXPECT_EQ(codes, (std::vector<std::string>{"mapping-count", "mapping-count", "mapping-unknown-dim",
                                             "mapping-unknown-level"}));
}

// ---- by(...) ----

/// Two groups of four units.
machine::Machine units() {
  machine::Machine m;
  m.name = "units";
  m.levels = {{"group", 2, true, "host", false, machine::LevelRole::kGroup},
              {"core", 4, true, "host", false, machine::LevelRole::kUnit}};
  return m;
}

/// 12 rows of A, of which i walks 10.
Result<PlacedMapping> cut(const std::string &extensions, const std::string &subspaces = "M1:{(1,1),(4,1),(3,8)}") {
  const auto g = kernel::parseNotation("y[i,j] = A[i,j] + A[i+2,j] * B[j]", {{"i", 10}, {"j", 8}}, DType::kF32);
  if (!g) throw std::runtime_error(g.diagnostics().front().str());
  return place(parsed(subspaces + extensions), *g, 0, units());
}

TEST(PlaceErrors, BordersAreOfADimOfTheKernel) {
  ASSERT_TRUE(cut(";by(i: A[0]=i+2)"));
  expectError(cut(";by(ii: A[0]=ii+2)"), "mapping-unknown-dim", "<map>:1:24", "no dim 'ii'", "did you mean 'i'?");
}

TEST(PlaceErrors, BordersLieInATensorOfTheKernel) {
  expectError(cut(";by(i: AA[0]=i+2)"), "mapping-unknown-tensor", "<map>:1:30", "no tensor 'AA'", "did you mean 'A'?");
  expectError(cut(";by(i: A[2]=i+2)"), "mapping-unknown-axis", "<map>:1:32", "'A' has no axis 2", "0 to 1");
}

TEST(PlaceErrors, BordersAreOfAFunctionThatTheDimHas) {
  expectError(cut(";by(i: A[0]=i+1)"), "mapping-unknown-function", "<map>:1:35", "does not walk A[0] by i+1",
              "choices: A[0]=i, A[0]=i+2");
  expectError(cut(";by(i: B[0]=i)"), "mapping-unknown-function", "<map>:1:30", "B[0] is not in the set of dim 'i'",
              "choices: A[0]=i, A[0]=i+2, y[0]=i");
}

TEST(PlaceErrors, BordersNeedOneSubspaceThatCoversAll) {
  expectError(cut(";by(i: A[0]=i+2)", "M1:{(1,1),(4,1),(2,8)},M2:{(1,1),(2,1),(1,8)}"), "mapping-by", "<map>:1:47",
              "2 subspaces", "one subspace");
  expectError(cut(";by(i: A[0]=i+2);tail=truncate"), "mapping-by", "<map>:1:24", "tail=truncate", "omit tail");
}

TEST(PlaceErrors, BordersAreNotDealtOutInChunks) {
  expectError(cut(";by(i: A[0]=i+2);cyclic(core,1)"), "mapping-by", "<map>:1:24", "cyclic(core, ...)", "omit one");
}

TEST(PlaceErrors, SequentialDimsHaveNoBorders) {
  const auto g = kernel::parseNotation("y[i+1] = y[i] + x[i]", {{"i", 10}}, DType::kF32);
  ASSERT_TRUE(g);
  expectError(place(parsed("M1:{(1),(1),(10)};by(i: x[0]=i)"), *g, 0, units()), "mapping-by", "<map>:1:19", "not tiled",
              "omit by(i");
}

TEST(PlaceErrors, ValuesWithoutAnElementAreInNoTile) {
  const auto g = kernel::parseNotation("y[i] = x[i-3] where i >= 3", {{"i", 10}}, DType::kF32);
  ASSERT_TRUE(g);
  expectError(place(parsed("M1:{(1),(4),(3)};by(i: x[0]=i-3)"), *g, 0, units()), "mapping-uncovered", "<map>:1:29",
              "runs over -3..6", "every value");
}

TEST(PlaceErrors, TheRangeHoldsTheLongestTile) {
  expectError(cut(";by(i: A[0]=i+2)", "M1:{(1,1),(4,1),(2,8)}"), "mapping-tile", "<map>:1:24",
              "has 3 values, and a unit has room for 2", "to 3 at least");
}

TEST(PlaceErrors, ProgramsWithSharesOfOneSizeHaveNoBorders) {
  const auto g = kernel::parseNotation("y[i] = x[i+1]", {{"i", 10}}, DType::kF32);
  ASSERT_TRUE(g);
  expectError(place(parsed("M1:{(1),(4),(3)};by(i: x[0]=i+1)"), g->kernels[0], units()), "unsupported-mapping",
              "<map>:1:18", "not available for kernel", "omit by(...)");
}

}  // namespace
}  // namespace pimento::mapping::test
