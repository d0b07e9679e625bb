// Kernels with strided, shifted and several references, tuned on the machines of the family: winners, and drafts by
// other representatives than the loops, compute the reference interpreter's bits, in the time and for the energy that
// were estimated. A case is reproduced by its number.
#include "pimento/mapping/borders.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <optional>

#include "pimento/kernel/interpreter.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/tuning.h"
#include "test/support/machine_file.h"
#include "test/support/near_bank_check.h"
#include "test/support/random_strided_graph.h"

namespace pimento::test {
namespace {

constexpr std::array<const char *, 4> kFour = {"attacc", "hbm-pim-hbm3", "aim", "hbm-pim"};

machine::Machine small(const std::string &name, Rng &rng) {
  return load(name, {{"channels", std::to_string(1 << rng.below(3))}});
}

DType typeOf(const machine::Machine &machine) {
  return machine.nearBank ? machine.nearBank->type : DType::kF16;
}

/// Candidates with by(...) that compile, each as likely as any other; at most `most`.
std::vector<std::string> someBordered(const tune::Problem &problem, std::size_t most, Rng &rng) {
  constexpr int kLooked = 2000;
  std::vector<std::string> out;
  tune::Candidates candidates(problem);
  std::uint64_t seen = 0;
  for (int n = 0; n < kLooked && candidates.next(); ++n) {
    const std::string text = candidates.text();
    if (text.find(";by(") == std::string::npos) continue;
    ++seen;
    if (out.size() < most)
      out.push_back(text);
    else if (const std::uint64_t at = rng.below(seen); at < most)
      out[at] = text;
  }
  return out;
}

struct Bordered {
  Tally winners, drafts;
  int bordered = 0;  ///< winners with by(...)
};

/// The winner, and some drafts by other representatives.
void tuneAndCheck(const kernel::Graph &graph, const machine::Machine &machine, Rng &rng, Bordered &tally) {
  const auto problem = tune::makeProblem(graph, machine, targetOf(machine), "plain");
  if (!problem) {
    const std::string code = firstCode(problem.diagnostics());
    ++tally.winners.refused;
    ++tally.winners.refusals[code];
    EXPECT_TRUE(code.starts_with("unsupported-") || code == "illegal-mapping") << problem.diagnostics().front().str();
    return;
  }
  const auto tuned = tune::tune(*problem, {}, {});
  ASSERT_TRUE(tuned.ok()) << tuned.diagnostics().front().str();
  check(graph, machine, mapSpec(tuned->best.mapping), rng, tally.winners);
  tally.bordered += tuned->best.mapping.find(";by(") != std::string::npos ? 1 : 0;
  for (const std::string &map : someBordered(*problem, 2, rng)) check(graph, machine, mapSpec(map), rng, tally.drafts);
}

TEST(NearBankBorders, WinnersOfRandomKernelsAreTheInterpretersBits) {
  constexpr int kLong = 500, kShort = kLong / 50;
  const int cases = isLongRun() ? kLong : static_cast<int>(caseCount(kShort));
  const char *only = std::getenv("PIMENTO_CASE");
  std::map<std::string, Bordered> tallies;
  for (int n = 0; n < cases && !::testing::Test::HasFailure(); ++n) {
    if (only != nullptr && n != std::atoi(only)) continue;
    Rng rng(static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15ull + 17);
    const std::string text = RandomStridedGraph(rng, DType::kF16).text();
    SCOPED_TRACE("case " + std::to_string(n) + ": " + text);
    for (const char *name : kFour) {
      const machine::Machine machine = small(name, rng);
      tuneAndCheck(RandomStridedGraph(rng, typeOf(machine)).make(text), machine, rng, tallies[name]);
    }
  }
  int drafts = 0;
  for (const auto &[name, t] : tallies) {
    std::printf("%s: winners: %s, %d of them with by(...); drafts with by(...): %s\n", name.c_str(),
                told(t.winners).c_str(), t.bordered, told(t.drafts).c_str());
    EXPECT_GT(t.winners.runs, only == nullptr ? cases / 4 : -1) << name;
    drafts += t.drafts.runs;
  }
  EXPECT_GE(drafts, only == nullptr ? 2 * cases : 0);
}

// The unit with the longest tile decides: a border elsewhere that makes no tile longer costs nothing.
TEST(NearBankBorders, TheLongestTileIsWhatARunTakes) {
  const machine::Machine machine = load("attacc", {{"channels", "2"}});
  const auto graph = kernel::parseNotation("y[i] += A[2*i,j] * x[j]", {{"i", 96}, {"j", 32}}, DType::kF16);
  ASSERT_TRUE(graph);
  const auto costOf = [&](const std::string &map) {
    const auto part = targetOf(machine).compile({&*graph, 0, 1}, mapSpec(map).mapping, machine, "plain", {});
    EXPECT_TRUE(part.ok()) << part.diagnostics().front().str();
    const auto run = (*part)->run({.isFastForward = true});
    EXPECT_TRUE(run.ok());
    return std::pair(run->cycles, (*part)->hostWork());
  };
  // 191 rows on 2 x 32 banks: three each, so one row or two of every second number.
  const auto even = costOf("M1:{(2,1),(24,1),(2,32)}"), tiles = costOf("M1:{(2,1),(32,1),(2,32)};by(i: A[0]=2*i)"),
             longer = costOf("M1:{(2,1),(32,1),(3,32)}");
  EXPECT_EQ(tiles.first, costOf("M1:{(2,1),(32,1),(2,32)}").first);
  EXPECT_GE(tiles.first, even.first);
  EXPECT_LT(tiles.first, longer.first);
}

// A tile that is one element short leaves a product out of a sum: the answer is not the device's.
TEST(NearBankBorders, ATileThatIsOneElementShortIsCaught) {
  Rng rng(5);
  int caught = 0;
  for (const char *name : {"attacc", "hbm-pim-hbm3", "aim", "hbm-pim"}) {
    SCOPED_TRACE(name);
    const machine::Machine machine = load(name, {{"channels", "2"}});
    const DType type = typeOf(machine);
    const auto graph = kernel::parseNotation("y[i] += A[i,2*j+1] * x[j+3]", {{"i", 16}, {"j", 37}}, type);
    ASSERT_TRUE(graph);
    const auto problem = tune::makeProblem(*graph, machine, targetOf(machine), "plain");
    ASSERT_TRUE(problem.ok());
    for (const std::string &map : someBordered(*problem, 3, rng)) {
      kernel::DataSet data = kernel::makeData(*graph, {.seed = 3});
      const kernel::DataSet inputs = data;
      RunOptions options;
      options.maps = {mapSpec(map)};
      if (!runBoth(*graph, machine, options, data).empty()) continue;
      const auto part = tune::compile(*problem, tune::mappingOf(map));
      ASSERT_TRUE(part.ok());
      mapping::PlacedMapping placed = (*part)->placed();
      std::vector<mapping::Stretch> &tiles = placed.tiles[1];
      if (tiles.empty()) continue;
      --std::ranges::max_element(tiles, {}, &mapping::Stretch::count)->end;
      kernel::DataSet wrong = inputs;
      ASSERT_TRUE(kernel::interpret(
          *graph, wrong, {mapping::accumulationOrder(placed, graph->kernels[0], machine, {.unitType = type})}));
      EXPECT_NE(wrong[2].bytes, data[2].bytes) << map;
      ++caught;
    }
  }
  EXPECT_GE(caught, 6);
}

}  // namespace
}  // namespace pimento::test
