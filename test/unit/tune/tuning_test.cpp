// Tuning finds what running every mapping finds, says what it proved, and knows its answers again.
#include "pimento/tune/tuning.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "pimento/base/rng.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/check.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using evaluate::Objective;
using tune::Problem;
using tune::Tuned;

struct Case {
  machine::Machine machine;
  kernel::Graph graph;
  std::string text;
};

/// What its units compute in.
DType typeOf(const machine::Machine &machine) {
  return machine.nearBank ? machine.nearBank->type : DType::kF16;
}

/// A product of some shape on a small machine of some family.
Case randomCase(std::uint64_t seed) {
  Rng rng(seed);
  const auto n = [&](std::int64_t least, std::int64_t most) { return rng.integer(least, most); };
  constexpr const char *kMachines[] = {"attacc", "hbm-pim-hbm3", "aim", "hbm-pim"};
  Case c;
  c.text = kMachines[rng.below(4)];
  const std::string channels = std::to_string(1 << rng.below(3));
  c.machine = load(c.text, {{"channels", channels}});
  struct Shape {
    const char *text;
    kernel::Sizes sizes;
  };
  const std::vector<Shape> shapes = {
      {"y[i] += A[i,j] * x[j]", {{"i", n(1, 300)}, {"j", n(1, 300)}}},
      {"y[r,l] += K[r,l,d] * q[r,d]", {{"r", n(1, 8)}, {"l", n(1, 80)}, {"d", n(1, 80)}}},
      {"y[i] += A[i,j]", {{"i", n(1, 64)}, {"j", n(1, 400)}}},
      {"y[i,b] += A[i,j] * x[j,b]", {{"i", n(1, 60)}, {"j", n(1, 60)}, {"b", n(1, 4)}}},
  };
  const Shape &shape = shapes[rng.below(shapes.size())];
  c.text += " channels=" + channels + " " + shape.text;
  for (const auto &[name, size] : shape.sizes) c.text += " " + name + "=" + std::to_string(size);
  auto graph = kernel::parseNotation(shape.text, shape.sizes, typeOf(c.machine));
  EXPECT_TRUE(graph) << c.text;
  c.graph = std::move(*graph);
  return c;
}

Tuned tuned(const Problem &p, const tune::TuneOptions &options, const tune::Control &control = {}) {
  auto t = tune::tune(p, options, control);
  EXPECT_TRUE(t.ok()) << t.diagnostics().front().str();
  return *t;
}

void expectSums(const tune::DraftFates &d) {
  EXPECT_EQ(d.all, d.rule1 + d.rule2 + d.rule3 + d.equal + d.bounded + d.illegal + d.evaluated + d.open);
}

TEST(Tuning, FindsWhatRunningEveryMappingFinds) {
  std::int64_t spared = 0, ran = 0;
  for (std::int64_t seed = 0; seed < test::caseCount(24); ++seed) {
    const Case c = randomCase(static_cast<std::uint64_t>(seed));
    const auto problem = tune::makeProblem(c.graph, c.machine, targetOf(c.machine), "plain");
    if (!problem) continue;  // of another form than its units take
    const Objective objective = seed % 3 == 0   ? Objective::kEnergy
                                : seed % 3 == 1 ? Objective::kTime
                                                : Objective::kKernel;
    const auto quick = tune::tune(*problem, {objective}, {}), whole = tune::tune(*problem, {objective, true}, {});
    ASSERT_EQ(quick.ok(), whole.ok()) << c.text;
    if (!quick) continue;
    ASSERT_EQ(quick->stopText(), "optimal") << c.text;
    ASSERT_EQ(quick->best, whole->best) << c.text;
    ASSERT_EQ(quick->drafts.all, whole->drafts.all) << c.text;
    expectSums(quick->drafts);
    expectSums(whole->drafts);
    spared += quick->deviceRuns < whole->deviceRuns ? 1 : 0;
    ++ran;
  }
  EXPECT_GE(ran, test::caseCount(24) / 2);
  EXPECT_GE(4 * spared, 3 * ran);
}

/// A product small enough for each of its mappings to be run on data.
Case smallCase(std::uint64_t seed) {
  Rng rng(seed);
  const auto n = [&](std::int64_t most) { return rng.integer(1, most); };
  constexpr const char *kMachines[] = {"attacc", "hbm-pim-hbm3", "aim", "hbm-pim"};
  Case c;
  c.text = kMachines[rng.below(4)];
  c.machine = load(c.text, {{"channels", "2"}});
  const std::vector<std::pair<const char *, kernel::Sizes>> shapes = {
      {"y[i] += A[i,j] * x[j]", {{"i", n(9)}, {"j", n(40)}}},
      {"y[r,l] += K[r,l,d] * q[r,d]", {{"r", n(3)}, {"l", n(6)}, {"d", n(20)}}},
      {"y[i] += A[i,j]", {{"i", n(6)}, {"j", n(40)}}},
  };
  const auto &[text, sizes] = shapes[rng.below(shapes.size())];
  c.text += std::string(" ") + text;
  for (const auto &[name, size] : sizes) c.text += " " + name + "=" + std::to_string(size);
  c.graph = *kernel::parseNotation(text, sizes, typeOf(c.machine));
  return c;
}

TEST(Tuning, EveryDraftOfSmallKernelsComputesWhatTheInterpreterDoes) {
  std::int64_t ran = 0;
  for (std::int64_t seed = 0; seed < test::caseCount(4); ++seed) {
    const Case c = smallCase(static_cast<std::uint64_t>(seed));
    const auto problem = tune::makeProblem(c.graph, c.machine, targetOf(c.machine), "plain");
    if (!problem) continue;
    tune::Candidates candidates(*problem);
    while (candidates.next()) {
      const auto compiled = tune::compile(*problem, tune::mappingOf(candidates.text()));
      if (!compiled) continue;  // the machine has no room for it, or no unit for such a split
      const auto run = (*compiled)->run(problem->mode());
      ASSERT_TRUE(run.ok()) << c.text << " " << candidates.text();
      const Status checked = tune::check(*problem, candidates.text(), run->cycles, {});
      ASSERT_TRUE(checked.ok()) << c.text << " " << candidates.text() << ": " << checked.diagnostics().front().str();
      ++ran;
    }
  }
  EXPECT_GT(ran, 20 * test::caseCount(4));
}

/// All candidates, as texts.
std::vector<std::string> candidatesOf(const Problem &problem) {
  std::vector<std::string> out;
  tune::Candidates candidates(problem);
  while (candidates.next()) out.push_back(candidates.text());
  return out;
}

TEST(Tuning, DraftsByOtherRepresentativesAreCandidatesWhereTheyDiffer) {
  const machine::Machine machine = load("attacc", {{"channels", "2"}});
  const auto problemOf = [&](const kernel::Graph &graph) {
    auto problem = tune::makeProblem(graph, machine, targetOf(machine), "plain");
    EXPECT_TRUE(problem.ok());
    problem->choices.orders.clear();
    return *problem;
  };
  /// All but the range and what follows.
  const auto unitsOf = [](const std::string &text) { return text.substr(0, text.rfind(",(", text.find(';'))); };
  const auto isBordered = [](const std::string &text) { return text.find(";by(") != std::string::npos; };
  const auto plain = kernel::parseNotation("y[i] += A[i,j] * x[j]", {{"i", 12}, {"j", 32}}, DType::kF16),
             strided = kernel::parseNotation("y[i] += A[i,j+3] * x[j]", {{"i", 12}, {"j", 32}}, DType::kF16);
  const Problem ofPlain = problemOf(*plain), ofStrided = problemOf(*strided);
  const std::vector<std::string> loops = candidatesOf(ofPlain);
  EXPECT_TRUE(std::ranges::none_of(loops, isBordered));
  std::vector<std::string> all = candidatesOf(ofStrided), others;
  std::string last;
  for (const std::string &text : all) {
    if (!isBordered(text)) {
      last = text;
      continue;
    }
    others.push_back(text);
    EXPECT_NE(text.find(";by(j: A[1]=j+3)"), std::string::npos) << text;
    // It follows the mapping whose units it cuts otherwise.
    EXPECT_EQ(unitsOf(text), unitsOf(last));
  }
  std::erase_if(all, isBordered);
  EXPECT_EQ(all, loops) << "what products have stays as it is";
  EXPECT_GT(others.size(), 20u);
  EXPECT_EQ(std::set<std::string>(others.begin(), others.end()).size(), others.size());

  // Searches agree with running everything, and rules count what they leave out.
  const auto quick = tuned(ofStrided, {}), whole = tuned(ofStrided, {.isExhaustive = true});
  EXPECT_EQ(quick.best, whole.best);
  expectSums(quick.drafts);
  EXPECT_EQ(quick.drafts.all, static_cast<std::int64_t>(all.size() + others.size()));
  Problem ruled = ofStrided;
  ruled.rules.emplace();
  const auto some = tuned(ruled, {});
  expectSums(some.drafts);
  EXPECT_EQ(some.drafts.all, quick.drafts.all);
  EXPECT_GT(some.drafts.rule2, 0);
}

TEST(Tuning, OurSpaceIsNeverWorseThanThePublishedOne) {
  const machine::Machine machine = load("attacc-published");
  mapping::MapSpec published;
  published.mapping.program = mapping::ProgramKind::kPublished;
  for (const auto &[name, sizes] : std::vector<std::pair<const char *, kernel::Sizes>>{
           {"red", {{"batch", 1}, {"n", 1024}}},
           {"red", {{"batch", 4}, {"n", 4096}}},
           {"bgemv", {{"batch", 1}, {"heads", 16}, {"dhead", 16}, {"len", 32}}}}) {
    const auto graph = kernel::makeZooKernel(name, sizes, DType::kF16);
    const auto ours = tune::makeProblem(*graph, machine, targetOf(machine), "plain");
    const auto theirs = tune::makeProblem(*graph, machine, targetOf(machine), "plain", {}, published);
    ASSERT_TRUE(ours && theirs);
    EXPECT_LE(tuned(*ours, {}).best.cost.total, tuned(*theirs, {}).best.cost.total) << name;
  }
}

TEST(Tuning, ABudgetLeavesAGapThatHolds) {
  const machine::Machine machine = hbmPim(4);
  const auto graph = kernel::makeZooKernel("gemv", {{"m", 200}, {"n", 300}, {"batch", 1}}, DType::kF16);
  const auto problem = tune::makeProblem(*graph, machine, targetOf(machine), "plain");
  ASSERT_TRUE(problem);
  const Tuned best = tuned(*problem, {});
  for (const std::int64_t budget : {1, 2, 4}) {
    const Tuned t = tuned(*problem, {.budget = budget});
    EXPECT_LE(t.deviceRuns, budget);
    EXPECT_GE(t.best.cost.total, best.best.cost.total);
    EXPECT_LE((1 - t.gap) * static_cast<double>(t.best.cost.total.value),
              static_cast<double>(best.best.cost.total.value));
    EXPECT_EQ(t.stopText() == "optimal", t.drafts.open == 0);
    expectSums(t.drafts);
  }
}

TEST(Tuning, ASearchThatIsStoppedGivesWhatItHas) {
  const machine::Machine machine = hbmPim(4);
  const auto graph = kernel::makeZooKernel("gemv", {{"m", 200}, {"n", 300}, {"batch", 1}}, DType::kF16);
  const auto problem = tune::makeProblem(*graph, machine, targetOf(machine), "plain");
  const std::atomic<bool> isStopped = true;
  const auto t = tune::tune(*problem, {}, {.isStopped = &isStopped});
  ASSERT_FALSE(t.ok());  // nothing was evaluated yet
  EXPECT_EQ(t.diagnostics().front().code, "interrupted");
}

TEST(Tuning, RulesLeaveDraftsOutAndCountThem) {
  const machine::Machine machine = load("attacc", {{"channels", "2"}});
  const auto graph =
      kernel::parseNotation("y[r,l] += K[r,l,d] * q[r,d]", {{"r", 4}, {"l", 60}, {"d", 64}}, DType::kF16);
  auto problem = tune::makeProblem(*graph, machine, targetOf(machine), "plain");
  ASSERT_TRUE(problem);
  const Tuned all = tuned(*problem, {});
  EXPECT_EQ(all.drafts.rule1 + all.drafts.rule2 + all.drafts.rule3, 0);
  problem->rules = mapping::DraftRules{};
  const Tuned some = tuned(*problem, {});
  EXPECT_GT(some.drafts.rule2, 0);
  EXPECT_EQ(some.drafts.all, all.drafts.all);
  expectSums(some.drafts);
  EXPECT_GE(some.best.cost.total, all.best.cost.total);
  // Rule 1 drops nothing that cuts otherwise.
  problem->rules = mapping::DraftRules{true, false, false, false};
  EXPECT_EQ(tuned(*problem, {}).best, all.best);
}

// Operands move by commands there: their time and energy are part of the run that is kept.
TEST(Tuning, RunsThatAreKeptCostWhatTheyDid) {
  const std::string path = ::testing::TempDir() + "/tuning_runs_" + std::to_string(::getpid()) + ".db";
  for (const char *name : {"attacc", "aim", "hbm-pim", "attacc-published"}) {
    std::filesystem::remove(path);
    const machine::Machine machine = load(name);
    const std::string_view text = machine.name == "attacc-published" ? "red" : "gemv";
    const auto graph = text == "red" ? kernel::makeZooKernel("red", {{"batch", 2}, {"n", 1024}}, DType::kF16)
                                     : kernel::makeZooKernel("gemv", {{"m", 24}, {"n", 40}}, typeOf(machine));
    const auto problem = tune::makeProblem(*graph, machine, targetOf(machine), "plain");
    ASSERT_TRUE(problem) << name;
    auto store = tune::Store::open(path, tune::identity(*problem), name);
    ASSERT_TRUE(store);
    const tune::Control control{.store = store->get()};
    static_cast<void>(tuned(*problem, {.budget = 1}, control));
    static_cast<void>(tuned(*problem, {.isExhaustive = true}, control));
    EXPECT_EQ(tuned(*problem, {}, control), tuned(*problem, {})) << name;
    EXPECT_EQ(tuned(*problem, {Objective::kEnergy}, control).best, tuned(*problem, {Objective::kEnergy}).best) << name;
  }
  std::filesystem::remove(path);
}

TEST(Tuning, AnswersAreKnownAgain) {
  const std::string path = ::testing::TempDir() + "/tuning_" + std::to_string(::getpid()) + ".db";
  std::filesystem::remove(path);
  const machine::Machine machine = hbmPim(2);
  const auto graph = kernel::makeZooKernel("gemv", {{"m", 64}, {"n", 100}, {"batch", 1}}, DType::kF16);
  const auto problem = tune::makeProblem(*graph, machine, targetOf(machine), "plain");
  auto store = tune::Store::open(path, tune::identity(*problem), "gemv");
  ASSERT_TRUE(store);
  const tune::Control control{.store = store->get()};
  EXPECT_FALSE(tune::knownAnswer({}, control).has_value());
  Tuned t = tuned(*problem, {}, control);
  t.isChecked = true;
  ASSERT_TRUE(tune::keep(t, {}, control).ok());
  EXPECT_EQ(tune::knownAnswer({}, control), t);
  EXPECT_FALSE(tune::knownAnswer({Objective::kEnergy}, control).has_value());
  EXPECT_FALSE(tune::knownAnswer({.budget = 3}, control).has_value());
  // One that was stopped is no answer.
  t.stop = search::Stop::kStopped;
  ASSERT_TRUE(tune::keep(t, {Objective::kEnergy}, control).ok());
  EXPECT_FALSE(tune::knownAnswer({Objective::kEnergy}, control).has_value());
  // A damaged answer is none.
  for (const char *damaged : {"", "{", "{}", "[1,2]", R"({"best": 3})"}) {
    ASSERT_TRUE((*store)->put("tuned", "time budget 0", damaged).ok());
    EXPECT_FALSE(tune::knownAnswer({}, control).has_value()) << damaged;
  }
  store->reset();
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pimento::test
