// Kernels on near-bank machines under any mapping: the device computes the reference interpreter's bits, within the
// a-priori bound of an f64 evaluation, both evaluators agree, phase by phase, and no lower bound claims too much. A
// case is reproduced by its number.
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
#include "test/support/near_bank_check.h"

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

/// attacc of other types and with other units: f8 in twice the lanes, results that bank groups add up.
const machine::Machine &variant(const std::string &name) {
  static std::map<std::string, machine::Machine> kMade;
  if (const auto made = kMade.find(name); made != kMade.end()) return made->second;
  const std::string eights =
      "name: eights\nextends: attacc\nnative_type: f8e4m3\n"
      "near_bank: {type: f8e4m3, moved: f8e4m3, lanes: {value: 32 count, source: mine, confidence: assumed}}\n";
  const std::string merging =
      "name: merging\nextends: attacc\ncommands:\n  MGRP: {kind: read, scope: bankgroup, needs: nothing}\n"
      "constraints:\n  merged: {level: bank, preceding: [MACAB], following: [MGRP], latency: nCCDAB, source: mine, "
      "confidence: assumed}\nnear_bank: {merged_result: MGRP}\n";
  const std::string halves = "name: halves\nextends: attacc\nnear_bank: {accumulator: f16}\n";
  const std::string &text = name == "eights" ? eights : name == "merging" ? merging : halves;
  auto m = machine::parseMachine(text, name + ".yaml", {PIMENTO_SOURCE_DIR "/machines"});
  EXPECT_TRUE(m.ok()) << m.diagnostics().front().str();
  return kMade.emplace(name, std::move(*m)).first->second;
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
    constexpr std::array<const char *, 3> kVariants = {"eights", "merging", "halves"};
    const machine::Machine machine =
        rng.below(3) == 0 ? variant(kVariants[rng.below(kVariants.size())]) : nearBank(name, overrides);
    const std::string text = kTexts[rng.below(kTexts.size())];
    std::map<std::string, std::int64_t> sizes;
    for (const char *dim : {"a", "b", "c", "d"})
      if (text.find(std::string(dim) + ",") != std::string::npos ||
          text.find(std::string(dim) + "]") != std::string::npos ||
          text.find(std::string(dim) + "+") != std::string::npos)
        sizes[dim] = *dim == 'd' ? rng.integer(1, 9) : mapping::spreadEvenly(90, rng);
    const kernel::Graph graph = parsed(text, sizes, machine.nativeType);
    check(graph, machine, mapSpec("reference"), rng, tally);
    for (int i = 0; i < 4; ++i) check(graph, machine, withExtensions(randomMap(graph, machine, rng), rng), rng, tally);
  }
  std::printf("%s\n", told(tally).c_str());
  if (only == nullptr) {
    EXPECT_GE(tally.runs, 3 * cases);
  }
}

// A chunk's last products leave a row open that the next ones come to later: none of them may go first.
TEST(NearBankProducts, KeepTheirOrderWhereALaterRowIsOpen) {
  Rng rng(3);
  Tally tally;
  for (const char *name : {"attacc", "attacc-published", "aim"}) {
    const machine::Machine machine = nearBank(name, {{"channels", "2"}});
    for (const auto &[heads, len, dhead] : {std::array{12, 83, 300}, std::array{5, 130, 17}, std::array{4, 40, 1200}}) {
      const auto graph =
          kernel::makeZooKernel("bgemv", {{"heads", heads}, {"len", len}, {"dhead", dhead}}, machine.nativeType);
      ASSERT_TRUE(graph.ok());
      mapping::MapSpec map = mapSpec("reference");
      map.mapping.program = mapping::ProgramKind::kCompiled;
      check(*graph, machine, map, rng, tally);
    }
  }
  EXPECT_EQ(tally.runs, 9);
}

/// What an element-wise kernel may look like.
constexpr std::array<const char *, 12> kElementTexts = {
    "z[a,b] = x[a,b] * y[a,b]", "z[a,b] = x[a,b] * y[b,a]",         "z[a] = 3 * x[a]",
    "z[a,b] = x[a,b] + y[b]",   "z[a] = x[a] - 0.5 * y[a]",         "z[a] = 2 * x[a] - y[a]",
    "z[a] = relu(x[a])",        "z[a,b] = relu(x[a,b] + y[b])",     "z[a] = 1 - x[a]",
    "z[a,b] = x[a] * y[b]",     "z[a,b] = relu(y[b] - 3 * x[a,b])", "z[a] = x[a+2] + 1.5 * y[a]",
};

TEST(NearBankElements, OfAnyShapeUnderAnyMappingAreTheInterpretersBits) {
  const int cases = isLongRun() ? 1000 : static_cast<int>(caseCount(20));
  Tally tally;
  for (int n = 0; n < cases && !::testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("case " + std::to_string(n));
    Rng rng(static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15ull + 7);
    std::vector<machine::Override> overrides;
    if (rng.below(3) == 0) overrides.push_back({"channels", std::to_string(1 << rng.below(3))});
    const machine::Machine machine = nearBank("aim", overrides);
    const std::string text = kElementTexts[rng.below(kElementTexts.size())];
    std::map<std::string, std::int64_t> sizes = {{"a", mapping::spreadEvenly(300, rng)}};
    if (text.find('b') != std::string::npos) sizes["b"] = mapping::spreadEvenly(60, rng);
    const kernel::Graph graph = parsed(text, sizes, machine.nativeType);
    check(graph, machine, mapSpec("reference"), rng, tally);
    for (int i = 0; i < 3; ++i) check(graph, machine, randomMap(graph, machine, rng), rng, tally);
  }
  std::printf("%s\n", told(tally).c_str());
  EXPECT_GE(tally.runs, 3 * cases);
}

/// Sizes of a kernel of the zoo with about `n` times `m` elements.
kernel::Sizes sizesOf(const std::string &kernel, std::int64_t n, std::int64_t m, Rng &rng) {
  if (kernel == "gemv") return {{"m", m}, {"n", n}};
  if (kernel == "red") return {{"n", n}, {"batch", m}};
  if (kernel != "bgemv") return {{"n", n}};
  const std::int64_t dhead = mapping::spreadEvenly(m, rng);
  return {{"heads", std::max<std::int64_t>(1, m / dhead)}, {"len", n}, {"dhead", dhead}};
}

// The kernels of the zoo on the four machines, 30 sizes by 10 mappings each; one in 50 in the short form. What a
// machine's units lack is refused, in every size alike.
TEST(NearBankProducts, OfTheZooAreTheInterpretersBits) {
  const bool isLong = isLongRun();
  Tally tally;
  Rng rng(11);
  int number = 0;
  std::map<std::string, Tally> tallies;
  for (const char *name : {"attacc", "hbm-pim-hbm3", "aim", "attacc-published"}) {
    const machine::Machine machine = nearBank(name);
    for (const char *kernel : {"gemv", "bgemv", "red", "va", "mul", "relu", "axpy"})
      for (int i = 0; i < 30; ++i) {
        const std::int64_t n = mapping::spreadEvenly(1 << 16, rng);
        const std::int64_t m = mapping::spreadEvenly((1 << 16) / n, rng);
        const kernel::Sizes sizes = sizesOf(kernel, n, m, rng);
        for (int k = 0; k < 10; ++k) {
          if (!isLong && number++ % 49 != 0) continue;
          if (::testing::Test::HasFailure()) return;
          const auto graph = kernel::makeZooKernel(kernel, sizes, machine.nativeType);
          ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
          mapping::MapSpec map = k == 0 ? mapSpec("reference") : randomMap(*graph, machine, rng);
          // A machine with the quirks of a published model runs programs of our own where it is asked to.
          if (machine.nearBank) map.mapping.program = mapping::ProgramKind::kCompiled;
          check(*graph, machine, map, rng, tallies[std::string(name) + " " + kernel]);
        }
      }
  }
  int runs = 0;
  for (const auto &[name, t] : tallies) {
    std::printf("%s: %s\n", name.c_str(), told(t).c_str());
    runs += t.runs;
    const bool isElementwise =
        name.ends_with(" va") || name.ends_with(" mul") || name.ends_with(" relu") || name.ends_with(" axpy");
    if (isElementwise && name.starts_with("attacc"))
      EXPECT_EQ(t.runs, 0) << name;
    else
      EXPECT_GT(t.runs, 0) << name;
  }
  EXPECT_GE(runs, isLong ? 4500 : 60);
}

// Random machines of the family: estimates are simulations, phases and bounds included.
TEST(NearBankMachines, OfTheFamilyEstimateWhatTheySimulate) {
  const int cases = isLongRun() ? 2000 : static_cast<int>(caseCount(40));
  Tally tally;
  for (int n = 0; n < cases && !::testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("case " + std::to_string(n));
    Rng rng(static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15ull + 13);
    const bool isAim = rng.below(3) == 0;
    const auto number = [&](std::int64_t low, std::int64_t high) { return std::to_string(rng.integer(low, high)); };
    std::vector<machine::Override> overrides = {{"channels", std::to_string(1 << rng.below(5))},
                                                {"controller.command_queue", number(2, 40)}};
    if (isAim) {
      overrides.push_back({"timing.tMAC", number(1, 4) + " ns"});
      overrides.push_back({"timing.tREFI", number(150, 2500) + " ns"});
      overrides.push_back({"near_bank.buffer_entries", number(1, 64)});
    } else {
      for (const char *path : {"timing.nRCDRD", "timing.nRP", "timing.nRTPL", "timing.nWR", "timing.nCL"})
        if (rng.below(2) == 0) overrides.push_back({path, number(4, 40)});
      overrides.push_back({"timing.nCCDAB", number(2, 9)});
      overrides.push_back({"timing.nREFI", number(600, 6000)});
      overrides.push_back({"timing.tfaw_weight", number(1, 16)});
      overrides.push_back({"near_bank.buffer_entries", number(1, 32)});
      overrides.push_back({"near_bank.accumulators", number(1, 16)});
    }
    overrides.push_back({"controller.writes_begin", "2"});
    overrides.push_back({"controller.writes_end", "1"});
    const machine::Machine machine = nearBank(isAim ? "aim" : "attacc", overrides);
    const std::int64_t many = mapping::spreadEvenly(1 << 13, rng);
    constexpr std::array<const char *, 5> kKernels = {"gemv", "bgemv", "red", "mul", "va"};
    const std::string kernel = kKernels[rng.below(isAim ? 5 : 3)];
    const auto graph = kernel::makeZooKernel(
        kernel, sizesOf(kernel, many, mapping::spreadEvenly((1 << 13) / many, rng), rng), machine.nativeType);
    ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
    check(*graph, machine, rng.below(2) == 0 ? mapSpec("reference") : randomMap(*graph, machine, rng), rng, tally);
  }
  std::printf("%s\n", told(tally).c_str());
  EXPECT_GE(tally.runs, cases / 2);
}

}  // namespace
}  // namespace pimento::test
