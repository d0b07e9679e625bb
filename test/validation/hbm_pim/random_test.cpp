// Random graphs under reference, automatic and random mappings: the device computes the reference interpreter's bits,
// and both evaluators agree. A case is reproduced by its number.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/pattern.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/random_hbm_pim_graph.h"
#include "test/support/random_hbm_pim_mapping.h"
#include "test/support/target_of.h"

namespace pimento::test {
namespace {

/// Kernels in the short and in the long form.
constexpr int kShortCases = 40, kLongCases = 1000;

std::string listed(const std::vector<mapping::MapSpec> &maps) {
  std::string s;
  for (const mapping::MapSpec &m : maps) s += (s.empty() ? "" : " | ") + mapping::print(m);
  return s;
}

/// Large values that cancel and small ones beside them: f32 sums of partial results then round, and show their order.
void spread(kernel::DataSet &data, Rng &rng) {
  for (kernel::TensorData &t : data)
    for (std::int64_t e = 0; t.bytes.size() > 0 && e < t.elements(); ++e) {
      const double sign = rng.below(2) == 0 ? 1 : -1;
      t.setDouble(e, rng.below(2) == 0 ? sign * 128 : rng.real(-1, 1) * 0x1p-6);
    }
}

/// Inputs: mostly uniform; sometimes any bit pattern (NaN, infinities, subnormals, -0),
/// values that cancel, or a wide range.
kernel::DataSet dataFor(const kernel::Graph &graph, Rng &rng) {
  kernel::DataSpec spec;
  spec.seed = rng.next();
  const std::uint64_t dice = rng.below(8);
  if (dice == 0) spec = {kernel::DataSpec::Kind::kUniform, -300, 300, spec.seed};
  kernel::DataSet data = kernel::makeData(graph, spec);
  if (dice == 3 || dice == 4) spread(data, rng);
  if (dice != 1 && dice != 2) return data;
  constexpr std::array<std::uint16_t, 14> kSpecial = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7d01,
                                                      0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3c00};
  for (kernel::TensorData &t : data)
    for (std::size_t at = 0; at + 1 < t.bytes.size(); at += 2) {
      if (dice == 2 && rng.below(100) != 0) continue;
      const auto bits =
          rng.below(2) == 0 ? kSpecial[rng.below(kSpecial.size())] : static_cast<std::uint16_t>(rng.below(65536));
      t.bytes[at] = static_cast<std::byte>(bits & 0xff);
      t.bytes[at + 1] = static_cast<std::byte>(bits >> 8);
    }
  return data;
}

/// One of the first mappings that the enumeration gives, each with the same chance.
std::optional<mapping::Mapping> pick(const kernel::Kernel &kernel, const machine::Machine &machine, Rng &rng) {
  constexpr int kLooked = 400;
  const mapping::MappingSpace::Chunks chunks = {{"channel", {8, 64}}, {"block", {8}}, {"lane", {1}}};
  mapping::MappingSpace space(kernel, machine, rng.below(2) == 0 ? chunks : mapping::MappingSpace::Chunks{});
  std::optional<mapping::Mapping> chosen;
  for (std::uint64_t n = 1; n <= kLooked; ++n) {
    std::optional<mapping::Mapping> m = space.next();
    if (!m) break;
    if (rng.below(n) == 0) chosen = std::move(m);
  }
  return chosen;
}

/// What all cases together have seen.
struct Tally {
  int refusedGraphs = 0, graphs = 0, runs = 0, explicitRuns = 0, severalSubspaces = 0, splitReductions = 0,
      cyclicMaps = 0, direct = 0, ordered = 0, roundedOtherwise = 0, refusedPicks = 0, picks = 0;
  std::set<std::string> mappings;
  std::map<std::string, int> refusals;
};

class Case {
 public:
  Case(int number, Tally &tally) : rng_(static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ull + 1), tally_(tally) {
    constexpr std::array<std::int64_t, 8> kChannels = {1, 1, 1, 2, 4, 4, 16, 64};
    machine_ = hbmPim(kChannels[rng_.below(kChannels.size())], rng_.integer(1, 2),
                      rng_.below(5) == 0 ? "hbm-pim-sound" : "hbm-pim");
  }

  void run() {
    if (!makeGraph()) return;
    ++tally_.graphs;
    const kernel::DataSet inputs = dataFor(graph_, rng_);
    const std::string variant = rng_.below(4) == 0 ? "tree" : "plain";
    check({mapSpec("reference")}, variant, inputs);
    if (rng_.below(6) == 0) check({mapSpec("auto")}, variant, inputs);
    for (int i = 0; i < 3 && !::testing::Test::HasFailure(); ++i) check(explicitMaps(), variant, inputs);
    for (int i = 0; i < 2 && !::testing::Test::HasFailure(); ++i) check(usualMaps(), "plain", inputs);
    pickedMaps(variant, inputs);
  }

 private:
  /// A graph that the target takes under the reference mapping; deep expressions are refused, for instance.
  bool makeGraph() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      graph_ = RandomHbmPimGraph(rng_.next()).make();
      const Status valid = kernel::verify(graph_);
      if (!valid) {
        ADD_FAILURE() << valid.diagnostics().front().str() << "\n" << kernel::print(graph_);
        return false;
      }
      evaluate::Request r;
      r.graph = &graph_;
      r.machine = &machine_;
      r.target = &targetOf(machine_);
      r.tools.cache = sharedCache();
      r.maps = {mapSpec("reference")};
      const auto compiled = evaluate::compile(r);
      if (compiled) return true;
      ++tally_.refusedGraphs;
      const std::string code = firstCode(compiled.diagnostics());
      ++tally_.refusals[code];
      const std::set<std::string> expected = {"too-deep", "too-long", "capacity", "unsupported-pattern"};
      EXPECT_TRUE(expected.contains(code)) << compiled.diagnostics().front().str() << "\n" << kernel::print(graph_);
    }
    return false;
  }

  std::vector<mapping::MapSpec> explicitMaps() {
    std::vector<mapping::MapSpec> maps;
    for (std::size_t k = 0; k < graph_.kernels.size(); ++k) {
      const auto pattern = targets::hbm_pim::recognise(graph_, static_cast<int>(k), machine_);
      const RandomHbmPimMapping random(graph_.kernels[k], machine_, ofOneInput(*pattern));
      maps.push_back({mapping::MapSpec::Kind::kExplicit, random.make(rng_)});
      count(maps.back().mapping, graph_.kernels[k]);
    }
    return maps;
  }

  void count(const mapping::Mapping &m, const kernel::Kernel &kernel) {
    ++tally_.explicitRuns;
    tally_.mappings.insert(kernel.name + std::to_string(kernel.dims.size()) + m.text);
    tally_.severalSubspaces += m.subspaces.size() > 1 ? 1 : 0;
    tally_.cyclicMaps += m.cyclic.empty() ? 0 : 1;
    tally_.ordered += m.order.empty() ? 0 : 1;
    bool splits = false;
    for (std::size_t d = 0; d < kernel.dims.size(); ++d)
      splits |= kernel.dims[d].kind == kernel::DimKind::kReduction &&
                m.subspaces[0].extentInside(-1, static_cast<int>(d)) > m.subspaces[0].range(static_cast<int>(d));
    tally_.splitReductions += splits ? 1 : 0;
  }

  /// For each kernel one of the mappings that are usual for one of its ways to keep operands in the banks.
  std::vector<mapping::MapSpec> usualMaps() {
    std::vector<mapping::MapSpec> maps;
    for (std::size_t k = 0; k < graph_.kernels.size(); ++k) {
      const auto patterns = targets::hbm_pim::alternatives(graph_, static_cast<int>(k), machine_);
      if (!patterns) ADD_FAILURE() << patterns.diagnostics().front().str();
      std::vector<mapping::Mapping> usual;
      if (patterns && patterns->front().kind != targets::hbm_pim::Pattern::Kind::kElementwise)
        usual = targets::hbm_pim::usualMappings(graph_.kernels[k], *patterns, machine_, {});
      if (usual.empty()) {
        maps.push_back(mapSpec("reference"));
        continue;
      }
      mapping::Mapping &m = usual[rng_.below(usual.size())];
      tally_.direct += m.parameters.contains("direct") ? 1 : 0;
      maps.push_back({mapping::MapSpec::Kind::kExplicit, std::move(m)});
    }
    return maps;
  }

  /// Random legal mappings must be taken; only the kernel's code may outgrow the unit with more tiles than before.
  void check(std::vector<mapping::MapSpec> maps, const std::string &variant, const kernel::DataSet &inputs) {
    SCOPED_TRACE(variant + ", " + listed(maps) + "\n" + kernel::print(graph_));
    kernel::DataSet data = inputs;
    RunOptions options;
    options.maps = std::move(maps);
    options.variant = variant;
    const Diagnostics refused = runBoth(graph_, machine_, options, data);
    if (!refused.empty()) {
      ++tally_.refusals[firstCode(refused)];
      EXPECT_TRUE(firstCode(refused) == "too-long" || firstCode(refused) == "capacity") << refused.front().str();
      return;
    }
    ++tally_.runs;
    remember(data);
  }

  /// Counts cases in which another mapping rounded otherwise: the mapping is part of the answer.
  void remember(const kernel::DataSet &data) {
    std::vector<std::vector<std::byte>> bytes;
    for (const kernel::TensorData &t : data) bytes.push_back(t.bytes);
    if (first_.empty()) first_ = bytes;
    if (first_ == bytes || isCounted_) return;
    isCounted_ = true;
    ++tally_.roundedOtherwise;
  }

  /// The enumeration knows no batch dims, so some of its mappings are illegal here and say so.
  void pickedMaps(const std::string &variant, const kernel::DataSet &inputs) {
    for (int i = 0; i < 2 && !::testing::Test::HasFailure(); ++i) {
      std::vector<mapping::MapSpec> maps;
      for (const kernel::Kernel &k : graph_.kernels) {
        const std::optional<mapping::Mapping> m = pick(k, machine_, rng_);
        ASSERT_TRUE(m.has_value()) << kernel::print(graph_);
        maps.push_back({mapping::MapSpec::Kind::kExplicit, *m});
      }
      evaluate::Request r;
      r.graph = &graph_;
      r.machine = &machine_;
      r.target = &targetOf(machine_);
      r.tools.cache = sharedCache();
      r.maps = maps;
      r.variant = variant;
      ++tally_.picks;
      if (const auto compiled = evaluate::compile(r); !compiled) {
        ++tally_.refusedPicks;
        const std::string code = firstCode(compiled.diagnostics());
        ++tally_.refusals[code];
        EXPECT_TRUE(code == "illegal-mapping" || code == "too-long" || code == "capacity")
            << compiled.diagnostics().front().str();
        continue;
      }
      for (std::size_t k = 0; k < maps.size(); ++k) count(maps[k].mapping, graph_.kernels[k]);
      check(maps, variant, inputs);
    }
  }

  Rng rng_;
  Tally &tally_;
  machine::Machine machine_;
  kernel::Graph graph_;
  std::vector<std::vector<std::byte>> first_;
  bool isCounted_ = false;
};

TEST(HbmPimRandom, GraphsUnderAnyMappingMatchTheReferenceInterpreter) {
  const int cases = isLongRun() ? kLongCases : static_cast<int>(caseCount(kShortCases));
  const char *only = std::getenv("PIMENTO_CASE");
  Tally tally;
  for (int n = 0; n < cases; ++n) {
    if (only != nullptr && n != std::atoi(only)) continue;
    SCOPED_TRACE("case " + std::to_string(n) + " (PIMENTO_CASE=" + std::to_string(n) + ")");
    Case(n, tally).run();
    if (::testing::Test::HasFailure()) return;
  }
  std::string refusals;
  for (const auto &[code, n] : tally.refusals) refusals += " " + code + " " + std::to_string(n);
  std::printf(
      "%d graphs, %d runs, %zu distinct explicit mappings of %d; %d split reductions, %d several subspaces, "
      "%d cyclic, %d ordered; %d graphs rounded otherwise under another mapping; refused:%s\n",
      tally.graphs, tally.runs, tally.mappings.size(), tally.explicitRuns, tally.splitReductions,
      tally.severalSubspaces, tally.cyclicMaps, tally.ordered, tally.roundedOtherwise, refusals.c_str());
  if (only != nullptr) return;
  EXPECT_EQ(tally.graphs, cases);
  EXPECT_GE(tally.runs, 4 * cases);
  EXPECT_GE(static_cast<int>(tally.mappings.size()), 5 * cases);
  EXPECT_GE(static_cast<int>(tally.mappings.size()), tally.explicitRuns * 9 / 10);
  EXPECT_GE(tally.splitReductions, cases);
  EXPECT_GE(tally.severalSubspaces, cases);
  EXPECT_GE(tally.cyclicMaps, cases);
  EXPECT_GE(tally.ordered, cases);
  EXPECT_GE(tally.direct, cases / 20);
  EXPECT_GE(tally.roundedOtherwise, cases / 4);
  EXPECT_LE(tally.refusedPicks, tally.picks / 2);
}

}  // namespace
}  // namespace pimento::test
