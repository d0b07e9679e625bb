// Tiles whose borders lie in a tensor: every unit has what the definition says, and all is there once.
#include "pimento/mapping/borders.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "pimento/mapping/neighbours.h"
#include "pimento/mapping/random.h"
#include "test/support/cases.h"
#include "test/support/random_affine_graph.h"
#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

using pimento::test::caseCount;

/// Two groups of eight units.
machine::Machine groups() {
  machine::Machine m;
  m.name = "groups";
  m.levels = {{"group", 2, true, "host", false, machine::LevelRole::kGroup},
              {"core", 8, true, "host", false, machine::LevelRole::kUnit}};
  return m;
}

/// Units with threads.
machine::Machine threads() {
  machine::Machine m;
  m.name = "threads";
  m.levels = {{"rank", 2, true, "host", false, machine::LevelRole::kGroup},
              {"dpu", 4, true, "host", false, machine::LevelRole::kUnit},
              {"tasklet", 3, true, "host", false, machine::LevelRole::kThread}};
  return m;
}

kernel::Graph notation(const std::string &text, const kernel::Sizes &sizes) {
  const auto g = kernel::parseNotation(text, sizes, DType::kI32);
  if (!g) throw std::runtime_error(g.diagnostics().front().str());
  return *g;
}

/// Fig. 5 of the paper, as far as its text gives it.
kernel::Graph figure5() {
  return notation("D[b,i] += A[b,i] * A[b+1,i*2] + B[i,k] * C[b,k]", {{"b", 11}, {"i", 8}, {"k", 16}});
}

std::vector<Stretch> tilesOf(const std::string &map, const kernel::Graph &graph, const std::string &dim,
                             const machine::Machine &machine = groups()) {
  const Result<PlacedMapping> p = place(parsed(map), graph, 0, machine);
  EXPECT_TRUE(p) << p.diagnostics().front().str();
  return p ? p->tiles[static_cast<std::size_t>(graph.kernels[0].dimNamed(dim))] : std::vector<Stretch>{};
}

// 12 rows of A on 4 cores, 3 each: b + 1 is a row of core 0 where b is 0 or 1.
TEST(Borders, AnOffsetMovesThem) {
  EXPECT_EQ(tilesOf("M1:{(1,1,1),(4,1,1),(3,8,16)};by(b: A[0]=b+1)", figure5(), "b"),
            (std::vector<Stretch>{{0, 2}, {2, 5}, {5, 8}, {8, 11}}));
  EXPECT_EQ(tilesOf("M1:{(1,1,1),(4,1,1),(3,8,16)};by(b: A[0]=b)", figure5(), "b"),
            (std::vector<Stretch>{{0, 3}, {3, 6}, {6, 9}, {9, 11}}));
}

// 15 columns on 2 groups of 3 cores, 3 each: two even numbers, or one, and none of the last.
TEST(Borders, AStrideMakesTilesUnequalAndEmpty) {
  EXPECT_EQ(tilesOf("M1:{(1,2,1),(1,3,1),(11,2,16)};by(i: A[1]=2*i)", figure5(), "i"),
            (std::vector<Stretch>{{0, 2}, {2, 3}, {3, 5}, {5, 6}, {6, 8}, {8, 8}}));
}

TEST(Borders, AFunctionThatFallsGivesTheFirstUnitTheLastValues) {
  EXPECT_EQ(tilesOf("M1:{(1),(4),(3)};by(i: x[0]=-i+9)", notation("y[i] = x[9-i]", {{"i", 10}}), "i"),
            (std::vector<Stretch>{{7, 10}, {4, 7}, {1, 4}, {0, 1}}));
}

TEST(Borders, ThreadsShareATileOfTheirUnit) {
  const kernel::Graph graph = notation("y[i] = x[2*i+1]", {{"i", 20}});
  const Result<PlacedMapping> p = place(parsed("M1:{(1),(3),(3),(3)};by(i: x[0]=2*i+1)"), graph, 0, threads());
  ASSERT_TRUE(p) << p.diagnostics().front().str();
  // 40 elements, 14 each: the odd ones below 14, below 28, and the rest.
  EXPECT_EQ(p->tiles[0], (std::vector<Stretch>{{0, 7}, {7, 14}, {14, 20}}));
  const DimPosition at = locate(*p, 0, threads().levels, 0, 13);
  EXPECT_EQ(at.instance, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(at.local, 0);
  EXPECT_EQ(globalIndex(*p, 0, threads().levels, 0, at), 13);
}

TEST(Borders, AProductHasNoOtherThanTheLoops) {
  EXPECT_TRUE(BorderChoices(gemv(64, 32), 0, groups()).isEmpty());
  EXPECT_TRUE(BorderChoices(gemv(64, 32), 0, groups()).of(parsed("M1:{(2,1),(8,1),(4,32)}")).empty());
}

TEST(Borders, ChoicesAreTheFunctionsThatCutOtherwise) {
  const auto textsOf = [](const kernel::Graph &graph, const std::string &map) {
    const machine::Machine machine = groups();
    std::vector<std::string> out;
    for (const Mapping &m : BorderChoices(graph, 0, machine).of(parsed(map))) out.push_back(m.text);
    return out;
  };
  // Rows b and b + 1 of 12, C and D have 11: of the four ways to cut b into four, by A0^b cuts as the loop does.
  EXPECT_EQ(textsOf(figure5(), "M1:{(1,1,1),(4,1,1),(3,8,16)}"),
            std::vector<std::string>{"M1:{(1,1,1),(4,1,1),(3,8,16)};by(b: A[0]=b+1)"});
  // Two by i: A has 15 columns; both with and without that of b.
  EXPECT_EQ(textsOf(figure5(), "M1:{(1,2,1),(2,3,1),(6,2,16)}"),
            (std::vector<std::string>{"M1:{(1,2,1),(2,3,1),(6,3,16)};by(i: A[1]=i)",
                                      "M1:{(1,2,1),(2,3,1),(6,2,16)};by(i: A[1]=2*i)",
                                      "M1:{(1,2,1),(2,3,1),(6,2,16)};by(b: A[0]=b+1)",
                                      "M1:{(1,2,1),(2,3,1),(6,3,16)};by(b: A[0]=b+1);by(i: A[1]=i)",
                                      "M1:{(1,2,1),(2,3,1),(6,2,16)};by(b: A[0]=b+1);by(i: A[1]=2*i)"}));
  EXPECT_TRUE(textsOf(figure5(), "M1:{(1,1,2),(1,1,8),(11,8,1)}").empty()) << "k has no other function";
  EXPECT_TRUE(textsOf(figure5(), "M1:{(1,1,1),(4,1,1),(3,8,16)};tail=truncate").empty());
}

TEST(Borders, FunctionsThatGuardsKeepInsideAreNoChoices) {
  const kernel::Graph graph = notation("y[i] += x[i-3] * x[2*i] where i >= 3", {{"i", 12}});
  const machine::Machine machine = groups();
  for (const Mapping &m : BorderChoices(graph, 0, machine).of(parsed("M1:{(1),(4),(3)}")))
    EXPECT_NE(m.by.at("i").function, (MappingFunction{1, -3})) << m.text;
}

TEST(Borders, AMappingWithThemHasNoNeighbours) {
  const kernel::Graph graph = figure5();
  const Mapping m = parsed("M1:{(1,1,1),(4,1,1),(3,8,16)};by(b: A[0]=b+1)");
  EXPECT_TRUE(neighbours(m, graph.kernels[0], groups().levels).empty());
  EXPECT_FALSE(fitted(m, graph.kernels[0], groups().levels));
}

/// Is every value of every dim located in one place of one unit, and back? `isDefined`: where the definition puts it.
bool hasAllOnce(const PlacedMapping &p, const kernel::Graph &graph, const machine::Machine &machine, bool &isDefined) {
  const kernel::Kernel &k = graph.kernels[0];
  const Subspace &s = p.mapping.subspaces[0];
  bool isOnce = true;
  isDefined = true;
  for (std::size_t d = 0; d < k.dims.size(); ++d) {
    const int dim = static_cast<int>(d);
    if (p.tiles[d].empty()) continue;
    std::int64_t values = 0;
    for (const Stretch &t : p.tiles[d]) values += t.count();
    if (values != k.dims[d].extent) return false;
    const Borders &b = p.mapping.by.at(k.dims[d].name);
    const std::int64_t size =
        graph.tensors[static_cast<std::size_t>(graph.tensorNamed(b.tensor))].shape[static_cast<std::size_t>(b.axis)];
    std::set<std::vector<std::int64_t>> places;
    for (std::int64_t v = 0; v < k.dims[d].extent; ++v) {
      const DimPosition at = locate(p, 0, machine.levels, dim, v);
      std::int64_t tile = 0, units = 1;
      std::vector<std::int64_t> place = at.instance;
      for (std::size_t l = 0; l < machine.levels.size(); ++l) {
        isOnce &= at.instance[l] >= 0 && at.instance[l] < s.factors[l][d];
        if (machine.levels[l].role > machine::LevelRole::kUnit) continue;
        tile = tile * s.factors[l][d] + at.instance[l];
        units *= s.factors[l][d];
      }
      place.push_back(at.local);
      isOnce &= at.local >= 0 && at.local < s.range(dim) && places.insert(place).second &&
                globalIndex(p, 0, machine.levels, dim, at) == v;
      const std::int64_t element = b.function.scale * v + b.function.offset, length = (size + units - 1) / units;
      isDefined &= tile * length <= element && element < (tile + 1) * length;
    }
  }
  return isOnce;
}

TEST(Borders, OfRandomKernelsGiveEveryUnitWhatTheDefinitionSays) {
  Rng rng(7);
  int checked = 0, withEmpty = 0, falling = 0;
  const auto cases = static_cast<int>(caseCount(600));
  for (int n = 0; n < cases; ++n) {
    const kernel::Graph graph = pimento::test::RandomAffineGraph(rng, DType::kI32).make();
    const machine::Machine machine = n % 2 == 0 ? groups() : threads();
    const BorderChoices choices(graph, 0, machine);
    const Mapping plain = randomMapping(graph.kernels[0], machine, rng);
    std::set<std::vector<std::vector<Stretch>>,
             bool (*)(const std::vector<std::vector<Stretch>> &, const std::vector<std::vector<Stretch>> &)>
        seen([](const auto &a, const auto &b) {
          const auto text = [](const auto &tiles) {
            std::string s;
            for (const auto &of : tiles) {
              for (const Stretch &t : of) s += print(t);
              s += ";";
            }
            return s;
          };
          return text(a) < text(b);
        });
    for (const Mapping &m : choices.of(plain)) {
      SCOPED_TRACE(m.text + "\n" + kernel::print(graph));
      EXPECT_FALSE(m.by.empty());
      const Mapping again = parsed(m.text);
      EXPECT_EQ(again.by, m.by);
      EXPECT_EQ(print(again), m.text);
      const Result<PlacedMapping> p = place(m, graph, 0, machine);
      ASSERT_TRUE(p) << p.diagnostics().front().str();
      bool isDefined = false;
      ASSERT_TRUE(hasAllOnce(*p, graph, machine, isDefined));
      ASSERT_TRUE(isDefined);
      EXPECT_TRUE(seen.insert(p->tiles).second) << "one draft comes twice";
      ++checked;
      for (const auto &[dim, b] : m.by) {
        const auto &tiles = p->tiles[static_cast<std::size_t>(graph.kernels[0].dimNamed(dim))];
        withEmpty += std::ranges::any_of(tiles, [](const Stretch &t) { return t.count() == 0; }) ? 1 : 0;
        falling += b.function.scale < 0 ? 1 : 0;
        // One element short: it shows.
        PlacedMapping wrong = *p;
        auto &short_ = wrong.tiles[static_cast<std::size_t>(graph.kernels[0].dimNamed(dim))];
        const auto longest = std::ranges::max_element(short_, {}, &Stretch::count);
        --longest->end;
        EXPECT_FALSE(hasAllOnce(wrong, graph, machine, isDefined));
      }
    }
  }
  EXPECT_GT(checked, cases / 3);
  EXPECT_GT(withEmpty, cases / 30);
  EXPECT_GT(falling, cases / 30);
}

/// Reduction points by leaf, in the order of leaves.
void leavesOf(const kernel::Accumulation &node, std::vector<std::vector<std::int64_t>> &out) {
  if (node.children.empty()) {
    out.emplace_back();
    for (const kernel::Terms &t : node.terms)
      for (std::int64_t i = 0; i < t.count; ++i) out.back().push_back(t.first + i * t.step);
  }
  for (const kernel::Accumulation &child : node.children) leavesOf(child, out);
}

TEST(Borders, SumsAreTakenUnitByUnitInTheirOrder) {
  const kernel::Graph graph = notation("y[i] += x[i,2*j+1]", {{"i", 3}, {"j", 9}});
  const machine::Machine machine = groups();
  const Result<PlacedMapping> p = place(parsed("M1:{(1,2),(1,3),(3,3)};by(j: x[1]=2*j+1)"), graph, 0, machine);
  ASSERT_TRUE(p) << p.diagnostics().front().str();
  const kernel::Order order = accumulationOrder(*p, graph.kernels[0], machine, {});
  ASSERT_EQ(order.regions.size(), 1u);
  std::vector<std::vector<std::int64_t>> leaves;
  leavesOf(order.regions[0].sum, leaves);
  // 18 elements, three each: one odd number, then two.
  EXPECT_EQ(leaves, (std::vector<std::vector<std::int64_t>>{{0}, {1, 2}, {3}, {4, 5}, {6}, {7, 8}}));
}

TEST(Borders, OrdersOfRandomKernelsTakeEveryReductionPointOnce) {
  Rng rng(8);
  int checked = 0, caught = 0;
  const auto cases = static_cast<int>(caseCount(600));
  for (int n = 0; n < cases; ++n) {
    const kernel::Graph graph = pimento::test::RandomAffineGraph(rng, DType::kI32).make();
    const kernel::Kernel &k = graph.kernels[0];
    std::int64_t points = 1;
    for (const kernel::Dim &d : k.dims) points *= d.kind == kernel::DimKind::kReduction ? d.extent : 1;
    if (points == 1) continue;
    const machine::Machine machine = n % 2 == 0 ? groups() : threads();
    AccumulationRules rules;
    rules.evenOddTile = static_cast<std::int64_t>(rng.below(3));
    rules.tree = rules.evenOddTile == 0 ? static_cast<std::int64_t>(rng.below(5)) : 0;
    for (const Mapping &m : BorderChoices(graph, 0, machine).of(randomMapping(k, machine, rng))) {
      Result<PlacedMapping> p = place(m, graph, 0, machine);
      ASSERT_TRUE(p) << p.diagnostics().front().str();
      const auto takesAllOnce = [&](const PlacedMapping &placed) {
        const kernel::Order order = accumulationOrder(placed, k, machine, rules);
        std::vector<std::vector<std::int64_t>> leaves;
        leavesOf(order.regions.at(0).sum, leaves);
        std::vector<int> times(static_cast<std::size_t>(points));
        for (const auto &leaf : leaves)
          for (const std::int64_t at : leaf) ++times[static_cast<std::size_t>(at)];
        return std::ranges::all_of(times, [](int t) { return t == 1; });
      };
      ASSERT_TRUE(takesAllOnce(*p)) << m.text << "\n" << kernel::print(graph);
      ++checked;
      for (std::size_t d = 0; d < k.dims.size(); ++d) {
        if (k.dims[d].kind != kernel::DimKind::kReduction || p->tiles[d].empty()) continue;
        --std::ranges::max_element(p->tiles[d], {}, &Stretch::count)->end;  // one element short
        ASSERT_FALSE(takesAllOnce(*p)) << m.text;
        ++caught;
        break;
      }
    }
  }
  EXPECT_GT(checked, cases / 20);
  EXPECT_GT(caught, cases / 40);
}

}  // namespace
}  // namespace pimento::mapping::test
