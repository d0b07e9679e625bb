#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "pimento/kernel/interpreter.h"
#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

using kernel::Accumulation;
using kernel::DimKind;
using kernel::Terms;
using Points = std::vector<std::int64_t>;

Points pointsOf(const std::vector<Terms> &terms) {
  Points points;
  for (const Terms &t : terms) {
    for (std::int64_t n = 0; n < t.count; ++n) points.push_back(t.first + n * t.step);
  }
  return points;
}

void collectLeaves(const Accumulation &node, std::vector<Points> &out) {
  if (node.children.empty()) out.push_back(pointsOf(node.terms));
  for (const Accumulation &child : node.children) {
    EXPECT_TRUE(node.terms.empty());
    collectLeaves(child, out);
  }
}

std::vector<Points> leavesOf(const Accumulation &node) {
  std::vector<Points> leaves;
  collectLeaves(node, leaves);
  return leaves;
}

/// "((012)(345))": the shape of a tree, leaves as dots.
std::string shapeOf(const Accumulation &node) {
  if (node.children.empty()) return ".";
  std::string s = "(";
  for (const Accumulation &child : node.children) s += shapeOf(child);
  return s + ")";
}

AccumulationRules hbmPimRules() {
  return {DType::kF16, DType::kF32, 8, 0};
}

kernel::Order orderOf(const std::string &map, const kernel::Kernel &k, const machine::Machine &machine,
                      const AccumulationRules &rules) {
  return accumulationOrder(placed(parsed(map), k, machine), k, machine, rules);
}

const std::string kReferenceGemv = "M1:{(64,1),(8,1),(1,16),(8,256)};cyclic(channel,64);cyclic(block,8);cyclic(lane,1)";

TEST(Order, TheReferenceGemvTakesEvenTilesThenOddTilesInEachLane) {
  const kernel::Graph graph = gemv(4096, 4096);
  const kernel::Order order = orderOf(kReferenceGemv, graph.kernels[0], hbmPim(), hbmPimRules());
  ASSERT_EQ(order.regions.size(), 1u);
  EXPECT_EQ(order.regions[0].lower, Points{0});
  EXPECT_EQ(order.regions[0].upper, Points{4096});
  const Accumulation &root = order.regions[0].sum;
  EXPECT_EQ(root.type, DType::kF32);
  ASSERT_EQ(root.children.size(), 16u);
  for (std::int64_t lane = 0; lane < 16; ++lane) {
    const Accumulation &leaf = root.children[static_cast<std::size_t>(lane)];
    EXPECT_EQ(leaf.type, DType::kF16);
    Points expected;
    for (const std::int64_t parity : {0, 1}) {
      for (std::int64_t tile = parity; tile < 32; tile += 2) {
        for (std::int64_t burst = 0; burst < 8; ++burst) expected.push_back(tile * 128 + burst * 16 + lane);
      }
    }
    EXPECT_EQ(pointsOf(leaf.terms), expected);
    EXPECT_EQ(leaf.terms.size(), 32u);  // one closed form per tile
  }
}

TEST(Order, AnInputThatFillsNoWholeTileEndsAtItsExtent) {
  const kernel::Graph graph = gemv(4096, 300);
  const kernel::Order order =
      orderOf("M1:{(64,1),(8,1),(1,16),(8,24)};cyclic(channel,64);cyclic(block,8);cyclic(lane,1)", graph.kernels[0],
              hbmPim(), hbmPimRules());
  const Points lane11 = pointsOf(order.regions[0].sum.children[11].terms);
  const Points lane12 = pointsOf(order.regions[0].sum.children[12].terms);
  EXPECT_EQ(lane11, (Points{11, 27, 43, 59, 75, 91, 107, 123, 267, 283, 299, 139, 155, 171, 187, 203, 219, 235, 251}));
  EXPECT_EQ(lane12.size(), 18u);  // 300 lies outside
}

TEST(Order, TheTreeVariantStoresAPieceAfterEveryTile) {
  const kernel::Graph graph = gemv(4096, 640);
  const AccumulationRules rules{DType::kF16, DType::kF32, 0, 8};
  const kernel::Order order =
      orderOf("M1:{(64,1),(8,1),(1,16),(8,40)};cyclic(channel,64);cyclic(block,8);cyclic(lane,1)", graph.kernels[0],
              hbmPim(), rules);
  const Accumulation &lane = order.regions[0].sum.children[3];
  EXPECT_EQ(shapeOf(lane), "(((..)(..)).)");
  EXPECT_EQ(lane.type, DType::kF32);
  const std::vector<Points> pieces = leavesOf(lane);
  ASSERT_EQ(pieces.size(), 5u);
  for (std::int64_t tile = 0; tile < 5; ++tile) {
    Points expected;
    for (std::int64_t burst = 0; burst < 8; ++burst) expected.push_back(tile * 128 + burst * 16 + 3);
    EXPECT_EQ(pieces[static_cast<std::size_t>(tile)], expected);
  }
}

TEST(Order, EmptyPiecesAtTheEndDoNotChangeTheTree) {
  const kernel::Graph graph = gemv(4096, 384);  // 3 tiles in a range of 8
  const AccumulationRules rules{DType::kF16, DType::kF32, 0, 8};
  const kernel::Order order =
      orderOf("M1:{(64,1),(8,1),(1,16),(8,64)};cyclic(lane,1)", graph.kernels[0], hbmPim(), rules);
  EXPECT_EQ(shapeOf(order.regions[0].sum.children[0]), "((..).)");
}

TEST(Order, BothRulesTogetherCountPiecesOverThePaddedRange) {
  const kernel::Kernel k = nest({{"j", 7, DimKind::kReduction}});
  const AccumulationRules rules{DType::kF16, DType::kF32, 2, 3};
  const kernel::Order order = orderOf("M1:{(1),(12)}", k, flat(), rules);
  // Visited: 0 1 4 | 5 8 9 | 2 3 6 | 7 10 11, of which 7 and up are padding.
  EXPECT_EQ(leavesOf(order.regions[0].sum), (std::vector<Points>{{0, 1, 4}, {5}, {2, 3, 6}}));
}

TEST(Order, ALongRegularReductionIsAHandfulOfClosedForms) {
  const kernel::Graph graph = gemv(64, 262144);
  const AccumulationRules plain{DType::kI32, DType::kI32, 0, 0};
  const kernel::Order order =
      orderOf("M1:{(1,4),(8,4),(1,16),(8,1024)};cyclic(tasklet,64)", graph.kernels[0], upmem(), plain);
  std::size_t terms = 0;
  const std::vector<Accumulation> &ranks = order.regions[0].sum.children;
  for (const Accumulation &rank : ranks) {
    for (const Accumulation &dpu : rank.children) {
      for (const Accumulation &tasklet : dpu.children) terms += tasklet.terms.size();
    }
  }
  EXPECT_EQ(terms, 4u * 4u * 16u * (1024u / 64u));
  const kernel::Order contiguous = orderOf("M1:{(1,1),(64,1),(1,1),(1,262144)}", graph.kernels[0], upmem(), plain);
  ASSERT_EQ(contiguous.regions[0].sum.terms.size(), 1u);
  EXPECT_EQ(contiguous.regions[0].sum.terms[0].count, 262144);
}

TEST(Order, LevelsMergeFromTheInnermostOutwards) {
  const kernel::Graph graph = gemv(4, 24);
  const AccumulationRules rules{DType::kF32, DType::kF64, 0, 0};
  const kernel::Order order = orderOf("M1:{(1,2),(1,1),(1,3),(4,4)}", graph.kernels[0], upmem(), rules);
  EXPECT_EQ(shapeOf(order.regions[0].sum), "((...)(...))");
  EXPECT_EQ(order.regions[0].sum.type, DType::kF64);
  EXPECT_EQ(leavesOf(order.regions[0].sum)[4], (Points{16, 17, 18, 19}));
}

TEST(Order, SubspacesThatShareOutputsMergeLastInExecutionOrder) {
  // Outputs 0..7 get their first half from M2 and the second from M1; M3 alone makes 8..11.
  const kernel::Kernel k = nest({{"j", 10, DimKind::kReduction}, {"i", 12, DimKind::kParallel}});
  const AccumulationRules rules{DType::kF16, DType::kF32, 0, 0};
  const kernel::Order order = orderOf("M2:{(1,1),(5,8)},M1:{(1,1),(5,8)},M3:{(1,1),(10,4)}", k, flat(), rules);
  ASSERT_EQ(order.regions.size(), 2u);
  EXPECT_EQ(order.regions[0].upper, Points{8});
  EXPECT_EQ(order.regions[0].sum.type, DType::kF32);
  EXPECT_EQ(leavesOf(order.regions[0].sum), (std::vector<Points>{{5, 6, 7, 8, 9}, {0, 1, 2, 3, 4}}));
  EXPECT_EQ(order.regions[1].lower, Points{8});
  EXPECT_EQ(order.regions[1].sum.type, DType::kF16);
  EXPECT_EQ(pointsOf(order.regions[1].sum.terms).size(), 10u);
}

TEST(Order, ThePublishedFigureMakesThreeRegionsOfOutputs) {
  machine::Machine machine = upmem();
  machine.levels[1].count = 80;
  const kernel::Graph graph = gemv(512, 1152);
  const kernel::Order order = orderOf(
      "M2:{(4,1),(8,8),(1,4),(16,20)},M3:{(1,4),(2,4),(8,1),(12,32)},M1:{(4,4),(5,5),(1,1),(16,16)},"
      "M4:{(1,1),(5,16),(16,1),(4,12)}",
      graph.kernels[0], machine, {DType::kI32, DType::kI32, 0, 0});
  ASSERT_EQ(order.regions.size(), 2u);
  EXPECT_EQ(order.regions[0].upper, Points{192});
  EXPECT_EQ(order.regions[0].sum.children.size(), 2u);  // M2, M3
  EXPECT_EQ(order.regions[1].sum.children.size(), 3u);  // M1, M2, M4
  EXPECT_EQ(leavesOf(order.regions[1].sum)[0].front(), 640);
  for (const kernel::OrderRegion &region : order.regions) {
    Points all;
    for (const Points &leaf : leavesOf(region.sum)) all.insert(all.end(), leaf.begin(), leaf.end());
    std::sort(all.begin(), all.end());
    Points expected(1152);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
  }
}

TEST(Order, TheOrderExtensionNestsTheReductionDims) {
  const kernel::Kernel k =
      nest({{"r", 2, DimKind::kReduction}, {"i", 3, DimKind::kParallel}, {"s", 3, DimKind::kReduction}});
  const AccumulationRules rules;
  EXPECT_EQ(pointsOf(orderOf("M1:{(1,1,1),(2,3,3)}", k, flat(), rules).regions[0].sum.terms),
            (Points{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(pointsOf(orderOf("M1:{(1,1,1),(2,3,3)};order(s,i,r)", k, flat(), rules).regions[0].sum.terms),
            (Points{0, 3, 1, 4, 2, 5}));
}

TEST(Order, PaddingOfAnInnerReductionDimIsLeftOut) {
  const kernel::Kernel k = nest({{"r", 2, DimKind::kReduction}, {"s", 3, DimKind::kReduction}});
  const kernel::Order order = orderOf("M1:{(1,2),(2,2)}", k, flat(true), {});
  ASSERT_EQ(order.regions.size(), 1u);
  EXPECT_TRUE(order.regions[0].lower.empty());  // no parallel dim: one output
  EXPECT_EQ(leavesOf(order.regions[0].sum), (std::vector<Points>{{0, 1, 3, 4}, {2, 5}}));
}

TEST(Order, AKernelWithoutReductionHasAnEmptyOrder) {
  const kernel::Kernel k = nest({{"i", 8, DimKind::kParallel}});
  EXPECT_TRUE(orderOf("M1:{(8),(1)}", k, flat(), {}).regions.empty());
}

TEST(Order, OutputsLeftUncomputedHaveNoTerms) {
  const kernel::Kernel k = nest({{"i", 10, DimKind::kParallel}, {"j", 4, DimKind::kReduction}});
  const kernel::Order order = orderOf("M1:{(8,1),(1,4)};tail=truncate", k, flat(), {});
  ASSERT_EQ(order.regions.size(), 2u);
  EXPECT_EQ(order.regions[1].lower, Points{8});
  EXPECT_TRUE(order.regions[1].sum.terms.empty());
  EXPECT_TRUE(order.regions[1].sum.children.empty());
}

TEST(Order, TheInterpreterSumsIntegersAlikeInEveryOrder) {
  const kernel::Graph graph = gemv(512, 1152, DType::kI32);
  const kernel::Kernel &k = graph.kernels[0];
  machine::Machine machine = upmem();
  machine.levels[1].count = 80;
  const kernel::DataSet inputs = kernel::makeData(graph, {});
  kernel::DataSet plain = inputs;
  ASSERT_TRUE(kernel::interpret(graph, plain));
  const std::vector<std::string> maps = {
      "M1:{(2,9),(64,1),(2,4),(2,32)}", "M1:{(2,9),(64,1),(2,4),(3,33)};cyclic(tasklet,3);order(j,i)",
      "M2:{(4,1),(8,8),(1,4),(16,20)},M3:{(1,4),(2,4),(8,1),(12,32)},M1:{(4,4),(5,5),(1,1),(16,16)},"
      "M4:{(1,1),(5,16),(16,1),(4,12)}"};
  for (const std::string &map : maps) {
    for (const std::int64_t spill : {0, 3}) {
      kernel::DataSet ordered = inputs;
      const kernel::Order order = orderOf(map, k, machine, {DType::kI32, DType::kI32, 4, spill});
      ASSERT_TRUE(kernel::interpret(graph, ordered, {order}));
      EXPECT_EQ(ordered[2].bytes, plain[2].bytes) << map;
    }
  }
}

/// The leaves as locate() gives them: reduction points gathered per unit, sorted by local position as visited.
std::vector<Points> leavesByLocate(const Case &c, std::int64_t evenOddTile) {
  std::vector<std::size_t> dims, nesting;
  for (std::size_t d = 0; d < c.kernel.dims.size(); ++d) {
    if (c.kernel.dims[d].kind == DimKind::kReduction) dims.push_back(d);
  }
  nesting = dims;
  if (!c.mapping.order.empty()) {
    nesting.clear();
    for (const std::string &name : c.mapping.order) {
      const std::size_t d = static_cast<std::size_t>(name[1] - '0');
      if (c.kernel.dims[d].kind == DimKind::kReduction) nesting.push_back(d);
    }
  }
  const Subspace &subspace = c.mapping.subspaces[0];
  std::map<Points, std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>> units;
  // Every unit exists, even one whose points are all padding.
  std::int64_t padded = 1;
  for (const std::size_t d : dims) padded *= subspace.extent(static_cast<int>(d));
  for (std::int64_t n = 0; n < padded; ++n) {
    std::int64_t rest = n, point = 0, position = 0;
    std::map<std::size_t, DimPosition> at;
    Points coordinates(c.kernel.dims.size());
    bool isPadding = false;
    for (std::size_t k = dims.size(); k-- > 0;) {
      const int dim = static_cast<int>(dims[k]);
      coordinates[dims[k]] = rest % subspace.extent(dim);
      rest /= subspace.extent(dim);
      isPadding = isPadding || coordinates[dims[k]] >= c.kernel.dims[dims[k]].extent;
      at[dims[k]] = locate(c.mapping, subspace, c.machine.levels, dim, coordinates[dims[k]]);
    }
    for (const std::size_t d : dims) point = point * c.kernel.dims[d].extent + coordinates[d];
    for (const std::size_t d : nesting) position = position * subspace.range(static_cast<int>(d)) + at[d].local;
    Points unit;
    for (std::size_t l = 0; l < c.machine.levels.size(); ++l) {
      for (const std::size_t d : dims) unit.push_back(at[d].instance[l]);
    }
    const std::int64_t pass = evenOddTile > 0 ? position / evenOddTile % 2 : 0;
    auto &visited = units[unit];
    if (!isPadding) visited[{pass, position}] = point;
  }
  std::vector<Points> leaves;
  for (const auto &[unit, visited] : units) {
    leaves.emplace_back();
    for (const auto &[when, point] : visited) leaves.back().push_back(point);
  }
  return leaves;
}

TEST(Order, RandomMappingsTakeEveryReductionPointOnceAndAsLocateSays) {
  Random random(4);
  int reductions = 0;
  for (int i = 0; i < 1000; ++i) {
    const Case c = randomCase(random);
    AccumulationRules rules;
    rules.evenOddTile = static_cast<std::int64_t>(random() % 4);
    const kernel::Order order = accumulationOrder(placed(c.mapping, c.kernel, c.machine), c.kernel, c.machine, rules);
    std::int64_t points = 1;
    bool hasReduction = false;
    for (const kernel::Dim &dim : c.kernel.dims) {
      if (dim.kind == DimKind::kReduction) {
        points *= dim.extent;
        hasReduction = true;
      }
    }
    if (!hasReduction) {
      EXPECT_TRUE(order.regions.empty());
      continue;
    }
    ++reductions;
    ASSERT_EQ(order.regions.size(), 1u);
    const std::vector<Points> leaves = leavesOf(order.regions[0].sum);
    ASSERT_EQ(leaves, leavesByLocate(c, rules.evenOddTile)) << print(c.mapping);
    Points all;
    for (const Points &leaf : leaves) all.insert(all.end(), leaf.begin(), leaf.end());
    std::sort(all.begin(), all.end());
    Points expected(static_cast<std::size_t>(points));
    std::iota(expected.begin(), expected.end(), 0);
    ASSERT_EQ(all, expected);
  }
  EXPECT_GT(reductions, 400);
}

TEST(Order, SpilledPiecesAreConsecutiveStretchesOfTheUnsplitLeaf) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Case c = randomCase(random);
    AccumulationRules rules;
    rules.spill = pick(random, 5);
    const PlacedMapping p = placed(c.mapping, c.kernel, c.machine);
    const kernel::Order order = accumulationOrder(p, c.kernel, c.machine, rules);
    rules.spill = 0;
    const kernel::Order whole = accumulationOrder(p, c.kernel, c.machine, rules);
    ASSERT_EQ(order.regions.size(), whole.regions.size());
    if (order.regions.empty()) continue;
    Points a, b;
    for (const Points &leaf : leavesOf(order.regions[0].sum)) a.insert(a.end(), leaf.begin(), leaf.end());
    for (const Points &leaf : leavesOf(whole.regions[0].sum)) b.insert(b.end(), leaf.begin(), leaf.end());
    EXPECT_EQ(a, b);
  }
}

}  // namespace
}  // namespace pimento::mapping::test
