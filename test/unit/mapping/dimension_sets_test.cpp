// Dimension sets, drafts and tiles: DCC's worked example (Fig. 5), and counts against plain recursion.
#include "pimento/mapping/dimension_sets.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/drafts.h"
#include "pimento/mapping/tiles.h"
#include "test/support/cases.h"
#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

using pimento::test::caseCount;

kernel::Graph parsed(const std::string &text, const kernel::Sizes &sizes) {
  const Result<kernel::Graph> graph = kernel::parseNotation(text, sizes, DType::kF16);
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.diagnostics().front().str());
  return *graph;
}

/// The kernel of Fig. 5, whose listing the paper does not print: what its text says of it, and no more. C has the
/// twelve rows of A.
kernel::Graph figure5() {
  kernel::Graph graph = parsed("D[b,i] += A[b,i] * A[b+1,i*2] + B[i,k] * C[b,k]", {{"b", 11}, {"i", 8}, {"k", 16}});
  const auto c = static_cast<std::size_t>(graph.tensorNamed("C"));
  graph.tensors[c].shape[0] = 12;
  return graph;
}

const SetMember *memberNamed(const DimensionSet &set, const kernel::Graph &graph, const std::string &tensor, int axis) {
  for (const SetMember &m : set.members)
    if (m.tensor == graph.tensorNamed(tensor) && m.axis == axis) return &m;
  return nullptr;
}

std::string setsOf(const kernel::Graph &graph) {
  return print(dimensionSetsOf(graph), graph);
}

TEST(DimensionSets, OfFigure5) {
  const kernel::Graph graph = figure5();
  const DimensionSets sets = dimensionSetsOf(graph);
  ASSERT_EQ(sets.sets.size(), 3u);
  using Functions = std::vector<MappingFunction>;
  const auto functionsOf = [&](int set, const char *tensor, int axis) {
    const SetMember *m = memberNamed(sets.sets[static_cast<std::size_t>(set)], graph, tensor, axis);
    return m == nullptr ? Functions{} : m->functions;
  };
  EXPECT_EQ(functionsOf(0, "A", 0), (Functions{{1, 0}, {1, 1}}));
  EXPECT_EQ(functionsOf(0, "C", 0), (Functions{{1, 0}}));
  EXPECT_EQ(functionsOf(0, "D", 0), (Functions{{1, 0}}));  // of our completion
  EXPECT_EQ(functionsOf(1, "A", 1), (Functions{{1, 0}, {2, 0}}));
  EXPECT_EQ(functionsOf(1, "B", 0), (Functions{{1, 0}}));
  EXPECT_EQ(functionsOf(2, "B", 1), (Functions{{1, 0}}));
  EXPECT_EQ(functionsOf(2, "C", 1), (Functions{{1, 0}}));
  EXPECT_TRUE(sets.sets[2].isReduced);
  EXPECT_TRUE(sets.following.empty());
  EXPECT_EQ(sets.sets[0].members.size() + sets.sets[1].members.size() + sets.sets[2].members.size(), 8u);
}

TEST(DimensionSets, LoopsOfSeveralNestsThatAreOneMerge) {
  const Result<kernel::Graph> attention =
      kernel::makeZooKernel("attn", {{"heads", 2}, {"dhead", 16}, {"len", 8}}, DType::kF16);
  ASSERT_TRUE(attention.ok());
  const DimensionSets sets = dimensionSetsOf(*attention);
  std::vector<std::string> names;
  for (const DimensionSet &s : sets.sets) names.push_back(s.name);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end()) << print(sets, *attention);
  for (const DimensionSet &s : sets.sets) {
    std::set<int> kernels;
    for (const LoopVariable &v : s.variables) EXPECT_TRUE(kernels.insert(v.kernel).second);
  }
}

TEST(DimensionSets, EqualNamesThatWalkADimensionOtherwiseStayApart) {
  const kernel::Graph graph = parsed("y[i] = x[i] + 1; z[i] = y[i+1] * 2", {{"i", 9}});
  // The second loop ends one earlier.
  EXPECT_EQ(dimensionSetsOf(graph).sets.size(), 2u) << setsOf(graph);
}

TEST(DimensionSets, SubscriptsOfSeveralVariablesFollow) {
  const kernel::Graph graph = parsed("y[o] += x[o+k] * w[k]", {{"o", 30}, {"k", 3}});
  EXPECT_EQ(setsOf(graph),
            "set o in 0..30: y0 = {o}\n"
            "set k in 0..3, summed: w0 = {k}\n"
            "x0 = {o + k} follows the tiles of its variables\n");
}

TEST(DimensionSets, WhatNoDimensionIsAFunctionOfIsNotTiled) {
  const kernel::Graph graph = parsed("y[o] += x[o+k]", {{"o", 30}, {"k", 3}});
  const DimensionSets sets = dimensionSetsOf(graph);
  EXPECT_TRUE(sets.sets[0].whyWhole.empty());
  EXPECT_EQ(sets.sets[1].whyWhole, "no tensor dimension is a function of it alone");
  const kernel::Graph gather = parsed("y[i] = x[p[i]]", {{"i", 8}, {"x", 100}});
  EXPECT_NE(setsOf(gather).find("x0 = {from data} follows the data"), std::string::npos) << setsOf(gather);
}

TEST(DimensionSets, FunctionsPrintAsTheyAreWritten) {
  EXPECT_EQ(print(MappingFunction{1, 0}, "b"), "b");
  EXPECT_EQ(print(MappingFunction{1, 1}, "b"), "b+1");
  EXPECT_EQ(print(MappingFunction{2, -3}, "i"), "i*2-3");
}

/// All drafts of Fig. 5's kernel that some rules keep.
std::set<std::string> draftsOf(const kernel::Graph &graph, const DraftHardware &hardware, const DraftRules &rules) {
  const DimensionSets sets = dimensionSetsOf(graph);
  DraftSpace space(sets, hardware, rules);
  std::set<std::string> out;
  while (const Draft *d = space.next()) EXPECT_TRUE(out.insert(print(*d, sets, graph)).second);
  EXPECT_EQ(static_cast<std::int64_t>(out.size()), space.counts().kept());
  return out;
}

// The drafts that the text names: the second is left out by rule 2, the fifth by rule 1, the sixth by rule 3.
TEST(Drafts, OfFigure5AndThoseThatItsRulesLeaveOut) {
  const kernel::Graph graph = figure5();
  const DraftHardware hardware{2, 4, 16};
  const std::string rest = " [1, 1, A1^(i*2)] [1, 1, B1^k]";
  const std::string first = "[1, 1, A0^(b+1)]" + rest;
  const std::string second = "[1, 1, A0^(b+1)] [1, 1, A1^(i*2)] [1, 4, B1^k]";
  const std::string fourth = "[2, 3, A0^b]" + rest, fifth = "[2, 4, C0^b]" + rest, sixth = "[2, 4, A0^b]" + rest;
  const auto all = draftsOf(graph, hardware, {false, false, false});
  for (const std::string &d : {first, second, fourth, fifth, sixth}) EXPECT_TRUE(all.contains(d)) << d;
  EXPECT_TRUE(all.contains("[1, 4, C0^b]" + rest));  // the seventh, whose tiles the paper shows

  const auto one = draftsOf(graph, hardware, {true, false, false});
  EXPECT_FALSE(one.contains(fifth));
  for (const std::string &d : {first, second, fourth, sixth}) EXPECT_TRUE(one.contains(d)) << d;

  const auto two = draftsOf(graph, hardware, {true, true, false});
  EXPECT_FALSE(two.contains(second));
  for (const std::string &d : {first, fourth, sixth}) EXPECT_TRUE(two.contains(d)) << d;

  for (const bool rounds : {false, true}) {
    const auto three = draftsOf(graph, hardware, {true, true, true, rounds});
    EXPECT_FALSE(three.contains(sixth));
    for (const std::string &d : {first, fourth}) EXPECT_TRUE(three.contains(d)) << d;
  }
}

// 13 elements: on 4 cores the largest tile is 4, on 5 it is 3, and both round to 3.
TEST(Drafts, RoundedTilesMayDropTheBetterDraft) {
  const kernel::Graph graph = parsed("y[i] = x[i] + 1", {{"i", 13}});
  const std::string four = "[1, 4, x0^i]", five = "[1, 5, x0^i]";
  const DraftHardware hardware{1, 5, 1};
  const auto exact = draftsOf(graph, hardware, {}), rounded = draftsOf(graph, hardware, {true, true, true, true});
  EXPECT_TRUE(exact.contains(four) && exact.contains(five));
  EXPECT_TRUE(rounded.contains(four));
  EXPECT_FALSE(rounded.contains(five));
}

TEST(Drafts, SumsAreSplitWhereTheyCanBeMerged) {
  const kernel::Graph graph = gemv(8, 8);
  for (const bool splits : {false, true}) {
    const auto drafts = draftsOf(graph, {1, 4, 1, true, splits}, {});
    EXPECT_EQ(drafts.contains("[1, 1, A0^i] [1, 4, A1^j]"), splits);
    EXPECT_TRUE(drafts.contains("[1, 4, A0^i] [1, 1, A1^j]"));
  }
}

TEST(Drafts, OfAMachine) {
  machine::Machine machine = hbmPim();
  machine.levels[0].mustFill = machine.levels[1].mustFill = false;
  const DraftHardware h = draftHardware(machine);
  EXPECT_EQ(h.groups, 64);
  EXPECT_EQ(h.cores, 8);
  EXPECT_EQ(h.lanes, 16);
  EXPECT_FALSE(h.coresSplitSums);
  EXPECT_EQ(draftHardware(upmem()).groups, 18 * 64);
}

/// Counts by plain recursion over sets, with the rules applied to complete drafts.
DraftCounts plainCounts(const DimensionSets &sets, const DraftHardware &hardware, const DraftRules &rules) {
  std::vector<Draft> all;
  DraftSpace space(sets, hardware, {false, false, false});
  while (const Draft *d = space.next()) all.push_back(*d);
  const auto cutOf = [&](std::size_t s, const DraftPart &p) {
    if (p.representative.member < 0) return std::array<std::int64_t, 3>{};
    const SetMember &m = sets.sets[s].members[static_cast<std::size_t>(p.representative.member)];
    const MappingFunction &f = m.functions[static_cast<std::size_t>(p.representative.function)];
    return std::array<std::int64_t, 3>{m.size, f.scale, f.offset};
  };
  DraftCounts out;
  out.all = static_cast<std::int64_t>(all.size());
  std::set<std::vector<std::array<std::int64_t, 5>>> seen;
  std::set<std::vector<std::array<std::int64_t, 5>>> worst;
  const auto asks = [&](std::size_t s) {
    bool isAny = false, isLast = false;
    for (const Draft &d : all) isAny |= d[s].tile % hardware.lanes == 0;
    for (const SetMember &m : sets.sets[s].members)
      isLast |= m.axis == 1 && std::any_of(m.functions.begin(), m.functions.end(),
                                           [](const MappingFunction &f) { return f.scale == 1; });
    return isAny && isLast;
  };
  std::vector<bool> asksLanes;
  for (std::size_t s = 0; s < sets.sets.size(); ++s) asksLanes.push_back(asks(s));
  for (const Draft &d : all) {
    std::vector<std::array<std::int64_t, 5>> cuts, tiles;
    bool isWide = true;
    for (std::size_t s = 0; s < d.size(); ++s) {
      const auto c = cutOf(s, d[s]);
      cuts.push_back({d[s].groups, d[s].cores, c[0], c[1], c[2]});
      tiles.push_back({d[s].groups, d[s].tile, c[0], c[1], c[2]});
      isWide = isWide && (!asksLanes[s] || d[s].tile % hardware.lanes == 0);
    }
    if (rules.equivalent && !seen.insert(cuts).second)
      ++out.rule1;
    else if (rules.lanes && !isWide)
      ++out.rule2;
    else if (rules.largestTile && !worst.insert(tiles).second)
      ++out.rule3;
  }
  return out;
}

TEST(Drafts, AreCountedAsPlainRecursionCountsThem) {
  Random random(7);
  for (std::int64_t n = 0; n < caseCount(60); ++n) {
    const kernel::Graph graph = parsed("D[b,i] += A[b,i] * A[b+1,i*2] + B[i,k] * C[b,k]",
                                       {{"b", pick(random, 12)}, {"i", pick(random, 20)}, {"k", 4 * pick(random, 6)}});
    const DimensionSets sets = dimensionSetsOf(graph);
    const DraftHardware hardware{pick(random, 3), pick(random, 6), std::int64_t{1} << (random() % 4)};
    const DraftRules rules{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
    const DraftCounts ours = DraftSpace(sets, hardware, rules).counts(), plain = plainCounts(sets, hardware, rules);
    ASSERT_EQ(ours.all, plain.all) << n;
    ASSERT_EQ(ours.rule1, plain.rule1) << n;
    ASSERT_EQ(ours.rule2, plain.rule2) << n;
    ASSERT_EQ(ours.rule3, plain.rule3) << n;
    ASSERT_EQ(static_cast<std::int64_t>(draftsOf(graph, hardware, rules).size()), plain.kept()) << n;
  }
}

// The seventh draft, [1, 4, C0^b]: tiles of three rows; core 0 runs b in [0, 3) and needs A0 in [0, 4). Where A1 is cut
// by i*2 so that a core has i in [0, 2), the references through i*2 touch 0 and 2.
TEST(Tiles, OfFigure5) {
  const kernel::Graph graph = figure5();
  const DimensionSets sets = dimensionSetsOf(graph);
  const DimensionSet &b = sets.sets[0], &i = sets.sets[1];
  const auto memberOf = [&](const DimensionSet &set, const char *tensor) {
    for (std::size_t m = 0; m < set.members.size(); ++m)
      if (set.members[m].tensor == graph.tensorNamed(tensor)) return static_cast<int>(m);
    return -1;
  };
  const std::vector<SetTile> rows = tilesOf(b, {1, 4, {memberOf(b, "C"), 0}});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].data, (Stretch{0, 3}));
  EXPECT_EQ(rows[0].compute, (Stretch{0, 3}));
  EXPECT_EQ(rows[3].data, (Stretch{9, 12}));
  EXPECT_EQ(rows[3].compute, (Stretch{9, 11}));  // b ends there
  const TensorTile a = tensorTile(b.members[static_cast<std::size_t>(memberOf(b, "A"))], rows[0].compute);
  EXPECT_EQ(a.whole, (Stretch{0, 4}));
  EXPECT_EQ(a.needed, (std::vector<Stretch>{{0, 4}}));

  SetMember twice = i.members[static_cast<std::size_t>(memberOf(i, "A"))];
  ASSERT_EQ(twice.functions.size(), 2u);
  twice.functions.erase(twice.functions.begin());
  const TensorTile columns = tensorTile(twice, {0, 2});
  EXPECT_EQ(columns.whole, (Stretch{0, 3}));
  EXPECT_EQ(columns.needed, (std::vector<Stretch>{{0, 3, 2}}));  // 0 and 2
  EXPECT_EQ(columns.count(), 2);
  EXPECT_FALSE(columns.isContiguous());
}

TEST(Tiles, StretchesPrintAsSlices) {
  EXPECT_EQ(print(Stretch{0, 3}), "[0:3]");
  EXPECT_EQ(print(Stretch{0, 5, 2}), "[0:5:2]");
  EXPECT_EQ(print(Stretch{4, 5}), "[4]");
  EXPECT_EQ(print(Stretch{4, 4}), "[]");
  EXPECT_EQ(stretchesOf({0, 1, 2, 5, 7, 9, 20}), (std::vector<Stretch>{{0, 3}, {5, 10, 2}, {20, 21}}));
}

// Whatever the representative: every value of the loop is in one compute tile, and a tensor tile holds exactly the
// indices that are touched.
TEST(Tiles, CoverTheLoopOnceAndHoldWhatIsTouched) {
  Random random(3);
  for (std::int64_t n = 0; n < caseCount(400); ++n) {
    const std::int64_t extent = pick(random, 40);
    const auto functionIn = [&](std::int64_t &size) {
      MappingFunction f{pick(random, 3), static_cast<std::int64_t>(random() % 5)};
      if (random() % 4 == 0) f = {-f.scale, f.scale * (extent - 1) + f.offset};
      size = std::max({size, f.offset + 1, f.scale * (extent - 1) + f.offset + 1});
      return f;
    };
    SetMember m{0, 0, 1, {}};
    for (std::int64_t i = pick(random, 3); i > 0; --i) m.functions.push_back(functionIn(m.size));
    m.size += static_cast<std::int64_t>(random() % 4);
    const DimensionSet set{"v", extent, {{0, 0}}, {m}, false, {}};
    const DraftPart part{pick(random, 3), pick(random, 5), {0, static_cast<int>(random() % m.functions.size())}};
    const MappingFunction &f = m.functions[static_cast<std::size_t>(part.representative.function)];
    std::vector<int> times(static_cast<std::size_t>(extent));
    for (const SetTile &t : tilesOf(set, part)) {
      std::set<std::int64_t> touched, held;
      for (std::int64_t v = t.compute.first; v < t.compute.end; ++v) {
        ++times[static_cast<std::size_t>(v)];
        const std::int64_t at = f.scale * v + f.offset;
        EXPECT_TRUE(t.data.first <= at && at < t.data.end);
        for (const MappingFunction &g : m.functions) touched.insert(g.scale * v + g.offset);
      }
      const TensorTile tile = tensorTile(m, t.compute);
      for (const Stretch &s : tile.needed)
        for (std::int64_t x = s.first; x < s.end; x += s.step) EXPECT_TRUE(held.insert(x).second);
      ASSERT_EQ(held, touched) << "case " << n;
      EXPECT_EQ(tile.count(), static_cast<std::int64_t>(touched.size()));
      const Stretch hull = touched.empty() ? Stretch{} : Stretch{*touched.begin(), *touched.rbegin() + 1};
      EXPECT_EQ(tile.whole, hull);
    }
    for (const int t : times) ASSERT_EQ(t, 1) << "case " << n;
  }
}

}  // namespace
}  // namespace pimento::mapping::test
