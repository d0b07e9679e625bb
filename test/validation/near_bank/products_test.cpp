// Sums of products on near-bank machines under any mapping: the device computes the reference interpreter's bits,
// within the a-priori bound of an f64 evaluation, and both evaluators agree. A case is reproduced by its number.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/random.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

machine::Machine nearBank(const std::string &name, const std::vector<machine::Override> &overrides = {}) {
  const auto m = machine::loadMachine(name, {PIMENTO_SOURCE_DIR "/machines"}, overrides);
  EXPECT_TRUE(m.ok()) << m.diagnostics().front().str();
  return *m;
}

kernel::Graph parsed(const std::string &text, const std::map<std::string, std::int64_t> &sizes, DType type) {
  const auto g = kernel::parseNotation(text, sizes, type, "<test>");
  EXPECT_TRUE(g.ok()) << text << ": " << g.diagnostics().front().str();
  return *g;
}

/// Mostly uniform values; sometimes wide ranges, and sometimes any bits: NaN, infinities, subnormals, -0.
kernel::DataSet dataFor(const kernel::Graph &graph, Rng &rng) {
  kernel::DataSpec spec;
  spec.seed = rng.next();
  const std::uint64_t dice = rng.below(8);
  if (dice == 0) spec = {kernel::DataSpec::Kind::kUniform, -300, 300, spec.seed};
  kernel::DataSet data = kernel::makeData(graph, spec);
  if (dice != 1) return data;
  for (kernel::TensorData &t : data)
    for (std::size_t at = 0; at + 1 < t.bytes.size(); at += 2) {
      if (rng.below(20) != 0) continue;
      const auto bits = static_cast<std::uint16_t>(rng.below(65536));
      t.bytes[at] = static_cast<std::byte>(bits & 0xff);
      t.bytes[at + 1] = static_cast<std::byte>(bits >> 8);
    }
  return data;
}

struct Tally {
  int runs = 0, refused = 0;
  std::set<std::string> mappings;
  std::map<std::string, int> refusals;
};

void check(const kernel::Graph &graph, const machine::Machine &machine, const mapping::MapSpec &map, Rng &rng,
           Tally &tally) {
  SCOPED_TRACE(machine.name + ", " + mapping::print(map) + "\n" + kernel::print(graph));
  kernel::DataSet data = dataFor(graph, rng);
  RunOptions options;
  options.maps = {map};
  const Diagnostics refused = runBoth(graph, machine, options, data);
  if (refused.empty()) {
    ++tally.runs;
    tally.mappings.insert(mapping::print(map));
    return;
  }
  ++tally.refused;
  ++tally.refusals[firstCode(refused)];
  EXPECT_TRUE(firstCode(refused) == "illegal-mapping" || firstCode(refused) == "capacity" ||
              firstCode(refused) == "mapping-too-irregular")
      << refused.front().str();
}

mapping::MapSpec randomMap(const kernel::Graph &graph, const machine::Machine &machine, Rng &rng) {
  return {mapping::MapSpec::Kind::kExplicit, mapping::randomMapping(graph.kernels[0], machine, rng)};
}

std::string told(const Tally &tally) {
  std::string text = std::to_string(tally.runs) + " runs, " + std::to_string(tally.mappings.size()) + " mappings";
  for (const auto &[code, n] : tally.refusals) text += "; " + std::to_string(n) + " refused: " + code;
  return text;
}

/// What a product may look like: groups, outputs, batches and sums in any number, permuted, packed, shifted.
constexpr std::array<const char *, 10> kTexts = {
    "y[a] += w[a,b] * x[b]",
    "y[a,c] += w[a,b] * x[c,b]",
    "y[c,a] += x[b,c] * w[b,a]",
    "y[a,b] += w[a,c,b] * x[a,c]",
    "y[a,b] += w[a,b,c,d] * x[a,d,c]",
    "y[a] += w[a,b]",
    "s += w[a] * x[a]",
    "y[b] += w[a,b]",
    "y[a,b] += w[2*a,c] * x[b,c+1]",
    "y[a,b] += w[a+c] * x[b,c]",
};

TEST(NearBankProducts, OfAnyShapeUnderAnyMappingAreTheInterpretersBits) {
  const int cases = isLongRun() ? 1000 : static_cast<int>(caseCount(40));
  const char *only = std::getenv("PIMENTO_CASE");
  Tally tally;
  for (int n = 0; n < cases && !::testing::Test::HasFailure(); ++n) {
    if (only != nullptr && n != std::atoi(only)) continue;
    SCOPED_TRACE("case " + std::to_string(n) + " (PIMENTO_CASE=" + std::to_string(n) + ")");
    Rng rng(static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15ull + 5);
    constexpr std::array<const char *, 3> kMachines = {"attacc", "aim", "attacc"};
    std::vector<machine::Override> overrides;
    if (rng.below(2) == 0) overrides.push_back({"channels", std::to_string(1 << rng.below(4))});
    const std::string name = kMachines[rng.below(kMachines.size())];
    if (name == "attacc" && rng.below(3) == 0)
      overrides.push_back({"near_bank.buffer_entries", std::to_string(rng.integer(1, 9))});
    if (name == "attacc" && rng.below(3) == 0)
      overrides.push_back({"near_bank.accumulators", std::to_string(rng.integer(1, 16))});
    const machine::Machine machine = nearBank(name, overrides);
    const std::string text = kTexts[rng.below(kTexts.size())];
    std::map<std::string, std::int64_t> sizes;
    for (const char *dim : {"a", "b", "c", "d"})
      if (text.find(std::string(dim) + ",") != std::string::npos ||
          text.find(std::string(dim) + "]") != std::string::npos ||
          text.find(std::string(dim) + "+") != std::string::npos)
        sizes[dim] = *dim == 'd' ? rng.integer(1, 9) : mapping::spreadEvenly(90, rng);
    const kernel::Graph graph = parsed(text, sizes, machine.nativeType);
    check(graph, machine, mapSpec("reference"), rng, tally);
    for (int i = 0; i < 4; ++i) check(graph, machine, randomMap(graph, machine, rng), rng, tally);
  }
  std::printf("%s\n", told(tally).c_str());
  if (only == nullptr) {
    EXPECT_GE(tally.runs, 3 * cases);
  }
}

// The kernels of the zoo that the units compute, 30 sizes by 10 mappings each; one in 50 in the short form.
TEST(NearBankProducts, OfTheZooAreTheInterpretersBits) {
  const bool isLong = isLongRun();
  Tally tally;
  Rng rng(11);
  int number = 0;
  for (const char *name : {"attacc", "aim", "attacc-published"}) {
    const machine::Machine machine = nearBank(name);
    for (const char *kernel : {"gemv", "bgemv", "red"})
      for (int i = 0; i < 30; ++i) {
        kernel::Sizes sizes;
        const std::int64_t n = mapping::spreadEvenly(1 << 16, rng);
        const std::int64_t m = mapping::spreadEvenly((1 << 16) / n, rng);
        if (std::string(kernel) == "gemv") sizes = {{"m", m}, {"n", n}};
        if (std::string(kernel) == "red") sizes = {{"n", n}, {"batch", m}};
        if (std::string(kernel) == "bgemv") {
          const std::int64_t dhead = mapping::spreadEvenly(m, rng);
          sizes = {{"heads", std::max<std::int64_t>(1, m / dhead)}, {"len", n}, {"dhead", dhead}};
        }
        for (int k = 0; k < 10; ++k) {
          if (!isLong && number++ % 49 != 0) continue;
          if (::testing::Test::HasFailure()) return;
          const auto graph = kernel::makeZooKernel(kernel, sizes, machine.nativeType);
          ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
          mapping::MapSpec map = k == 0 ? mapSpec("reference") : randomMap(*graph, machine, rng);
          // A machine with the quirks of a published model runs programs of our own where it is asked to.
          map.mapping.program = mapping::ProgramKind::kCompiled;
          check(*graph, machine, map, rng, tally);
        }
      }
  }
  std::printf("%s\n", told(tally).c_str());
  EXPECT_GE(tally.runs, isLong ? 2000 : 30);
}

}  // namespace
}  // namespace pimento::test
