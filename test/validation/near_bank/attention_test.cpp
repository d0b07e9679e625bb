// Attention as one program of a near-bank device, under any mapping: the device computes the reference interpreter's
// bits, within the a-priori bound of an f64 evaluation, and both evaluators agree. A case is reproduced by its number.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "pimento/kernel/zoo.h"
#include "pimento/mapping/random.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/near_bank_run.h"

namespace pimento::test {
namespace {

struct Tally {
  int runs = 0;
  std::set<std::string> mappings;
  std::map<std::string, int> refusals;
};

/// Any legal mapping of the scores; mostly without what softmax units cannot do: length and dhead over channels.
mapping::MapSpec randomMap(const kernel::Graph &graph, const machine::Machine &machine, Rng &rng) {
  mapping::Mapping m = mapping::randomMapping(graph.kernels[0], machine, rng);
  m.program = mapping::ProgramKind::kCompiled;
  if (rng.below(8) == 0) return {mapping::MapSpec::Kind::kExplicit, std::move(m)};
  m.cyclic.clear();
  m.order.clear();
  m.where.clear();
  m.tail = mapping::Tail::kPad;
  std::vector<std::vector<std::int64_t>> factors(3, std::vector<std::int64_t>(4, 1));
  std::int64_t channels = machine.levels[0].count, banks = machine.levels[1].count;
  for (std::size_t d = 0; d < 4; ++d) {
    std::int64_t left = graph.kernels[0].dims[d].extent;
    const auto split = [&](std::size_t level, std::int64_t &there) {
      const std::int64_t share = ceilDiv(left, rng.integer(1, std::min(there, left)));
      factors[level][d] = ceilDiv(left, share);
      there /= factors[level][d];
      left = share;
    };
    if (d < 2) split(0, channels);
    if (rng.below(3) != 0) split(1, banks);
    factors[2][d] = left;
  }
  mapping::Subspace s;
  s.factors = std::move(factors);
  m.subspaces = {std::move(s)};
  return {mapping::MapSpec::Kind::kExplicit, std::move(m)};
}

void check(const kernel::Graph &graph, const machine::Machine &machine, const mapping::MapSpec &map, Rng &rng,
           Tally &tally) {
  SCOPED_TRACE(machine.name + ", " + mapping::print(map) + "\n" + kernel::print(graph));
  kernel::DataSpec spec;
  spec.seed = rng.next();
  if (rng.below(6) == 0) spec = {kernel::DataSpec::Kind::kUniform, -40, 40, spec.seed};
  kernel::DataSet data = kernel::makeData(graph, spec);
  RunOptions options;
  options.maps = {map};
  const Diagnostics refused = runBoth(graph, machine, options, data);
  if (refused.empty()) {
    ++tally.runs;
    tally.mappings.insert(mapping::print(map));
    return expectBound({&graph, 0, static_cast<int>(graph.kernels.size())}, machine, map);
  }
  const std::string code = firstCode(refused);
  ++tally.refusals[code];
  EXPECT_TRUE(code == "illegal-mapping" || code == "capacity" || code == "unsupported-mapping")
      << refused.front().str();
}

std::vector<machine::Override> randomOverrides(Rng &rng) {
  std::vector<machine::Override> all;
  const auto maybe = [&](const char *path, const std::string &value) {
    if (rng.below(3) == 0) all.push_back({path, value});
  };
  maybe("channels", std::to_string(1 << rng.below(4)));
  maybe("near_bank.buffer_entries", std::to_string(rng.integer(1, 9)));
  maybe("near_bank.softmax.entries", std::to_string(rng.integer(20, 300)));
  maybe("near_bank.softmax.passes", std::to_string(rng.integer(1, 3)));
  maybe("timing.nSFM", std::to_string(rng.integer(1, 40)));
  constexpr std::array<const char *, 4> kNodes = {"bank", "bankgroup", "rank", "pseudochannel"};
  maybe("near_bank.softmax.merges", kNodes[rng.below(kNodes.size())]);
  return all;
}

TEST(NearBankAttention, OfAnySizeUnderAnyMappingIsTheInterpretersBits) {
  const int cases = isLongRun() ? 300 : static_cast<int>(caseCount(6));
  const char *only = std::getenv("PIMENTO_CASE");
  Tally tally;
  for (int n = 0; n < cases && !::testing::Test::HasFailure(); ++n) {
    if (only != nullptr && n != std::atoi(only)) continue;
    SCOPED_TRACE("case " + std::to_string(n) + " (PIMENTO_CASE=" + std::to_string(n) + ")");
    Rng rng(static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15ull + 3);
    const bool isPublished = n % 5 == 4;
    std::vector<machine::Override> overrides = randomOverrides(rng);
    if (isPublished) std::erase_if(overrides, [](const auto &o) { return o.path == "timing.nSFM"; });
    const auto machine =
        machine::loadMachine(isPublished ? "attacc-published" : "attacc", {PIMENTO_SOURCE_DIR "/machines"}, overrides);
    ASSERT_TRUE(machine.ok()) << machine.diagnostics().front().str();
    const kernel::Sizes sizes = {{"batch", rng.integer(1, 2)},
                                 {"heads", mapping::spreadEvenly(12, rng)},
                                 {"dhead", mapping::spreadEvenly(90, rng)},
                                 {"len", mapping::spreadEvenly(500, rng)}};
    const auto graph = kernel::makeZooKernel("attn", sizes, machine->nativeType);
    ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
    check(*graph, *machine, withExtensions(mapSpec("reference;program=compiled"), rng), rng, tally);
    for (int i = 0; i < 4; ++i)
      check(*graph, *machine, withExtensions(randomMap(*graph, *machine, rng), rng), rng, tally);
  }
  std::string refusals;
  for (const auto &[code, count] : tally.refusals) refusals += "; " + std::to_string(count) + " refused: " + code;
  std::printf("%d runs, %zu mappings%s\n", tally.runs, tally.mappings.size(), refusals.c_str());
  if (only == nullptr) {
    EXPECT_GE(tally.runs, 2 * cases);
  }
}

// 30 sizes by 10 mappings, as large as the softmax buffer and beyond; a few in the short form.
TEST(NearBankAttention, OfManySizesIsTheInterpretersBits) {
  const bool isLong = isLongRun();
  Tally tally;
  Rng rng(23);
  const auto machine = machine::loadMachine("attacc", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine.ok());
  int number = 0;
  for (int i = 0; i < 30; ++i) {
    const std::int64_t length = mapping::spreadEvenly(1 << 13, rng);
    const std::int64_t dhead = mapping::spreadEvenly(std::min<std::int64_t>(256, (1 << 18) / length), rng);
    const std::int64_t heads = std::max<std::int64_t>(1, mapping::spreadEvenly(1 << 19, rng) / (length * dhead));
    for (int k = 0; k < 10; ++k) {
      if (!isLong && number++ % 49 != 0) continue;
      if (::testing::Test::HasFailure()) return;
      const auto graph = kernel::makeZooKernel(
          "attn", {{"heads", std::min<std::int64_t>(heads, 64)}, {"dhead", dhead}, {"len", length}},
          machine->nativeType);
      ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
      check(*graph, *machine, k == 0 ? mapSpec("reference") : randomMap(*graph, *machine, rng), rng, tally);
    }
  }
  std::printf("%d runs, %zu mappings\n", tally.runs, tally.mappings.size());
  EXPECT_GE(tally.runs, isLong ? 150 : 3);
}

}  // namespace
}  // namespace pimento::test
