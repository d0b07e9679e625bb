// Explorations leave out only what the best and the front do not need, say the truth about every candidate, and do not
// depend on threads.
#include "pimento/tune/explore.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "pimento/kernel/isolate.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/search/pareto.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/check.h"
#include "pimento/tune/computation.h"
#include "pimento/tune/distribution.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/machine_file.h"
#include "test/support/random_hbm_pim_graph.h"
#include "test/support/random_hbm_pim_machine.h"

namespace pimento::test {
namespace {

using tune::Exploration;
using tune::Problem;
using tune::Row;

kernel::Graph zoo(const char *name, const kernel::Sizes &sizes) {
  auto g = kernel::makeZooKernel(name, sizes, DType::kF16);
  EXPECT_TRUE(g.ok());
  return *g;
}

Problem problemOf(const kernel::Graph &graph, const machine::Machine &machine) {
  auto p = tune::makeProblem(graph, machine, targetOf(machine), "plain");
  EXPECT_TRUE(p.ok()) << p.diagnostics().front().str();
  return *p;
}

Exploration explored(const Problem &p, bool isExhaustive = false, const tune::Control &control = {}) {
  auto e = tune::explore(p, {isExhaustive, 0}, control);
  EXPECT_TRUE(e.ok()) << e.diagnostics().front().str();
  return *e;
}

evaluate::Cost costOf(const Problem &p, const std::string &mapping) {
  const auto compiled = tune::compile(p, tune::mappingOf(mapping));
  EXPECT_TRUE(compiled.ok()) << mapping;
  return evaluate::costOf(*p.machine, (*compiled)->hostWork(), *(*compiled)->run({true}));
}

/// Nothing ruled out.
Exploration allOf(const Problem &p) {
  auto e = tune::explore(p, {.isUnbounded = true}, {});
  EXPECT_TRUE(e.ok()) << e.diagnostics().front().str();
  return *e;
}

/// A kernel with a small mapping space.
kernel::Graph smallGraph(Rng &rng) {
  const auto n = [&](std::int64_t most) { return rng.integer(1, most); };
  switch (rng.below(4)) {
    case 0:
      return zoo("gemv", {{"m", n(300)}, {"n", n(600)}, {"batch", 1}});
    case 1:
      return zoo("gemv", {{"m", n(60)}, {"n", n(2000)}, {"batch", rng.integer(1, 3)}});
    case 2:
      return zoo("va", {{"n", n(50000)}});
    default:
      return zoo("relu", {{"n", n(5000)}});
  }
}

TEST(Explore, WithoutBoundsEveryMappingHasTheCostOfItsOwnRun) {
  const machine::Machine machine = hbmPim(4);
  const kernel::Graph graph = zoo("gemv", {{"m", 200}, {"n", 300}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const Exploration all = allOf(problem), each = explored(problem, true);
  EXPECT_EQ(all.bounded, 0);
  EXPECT_GT(all.equal, 0);
  EXPECT_EQ(all.front, each.front);
  ASSERT_EQ(all.rows.size(), each.rows.size());
  for (std::size_t r = 0; r < all.rows.size(); ++r) EXPECT_EQ(all.rows[r].cost.total, each.rows[r].cost.total);
}

/// What runs the study's drafts of a kernel.
Exploration publishedOf(const kernel::Graph &graph, const machine::Machine &machine, bool isExhaustive) {
  mapping::MapSpec published;
  published.mapping.program = mapping::ProgramKind::kPublished;
  auto problem = tune::makeProblem(graph, machine, targetOf(machine), "plain", {}, published);
  EXPECT_TRUE(problem.ok()) << problem.diagnostics().front().str();
  return explored(*problem, isExhaustive);
}

TEST(Explore, TheBestOfThePublishedDraftsIsThatOfAllOfThem) {
  const machine::Machine machine = load("attacc-published");
  const std::vector<std::pair<kernel::Graph, std::int64_t>> graphs = {
      {zoo("red", {{"batch", 2}, {"n", 1024}}), 26},
      {zoo("bgemv", {{"batch", 1}, {"heads", 16}, {"dhead", 64}, {"len", 32}}), 0},
      {zoo("attn", {{"batch", 1}, {"heads", 16}, {"dhead", 64}, {"len", 32}}), 0}};  // as one program
  for (const auto &[graph, drafts] : graphs) {
    const Exploration found = publishedOf(graph, machine, false), all = publishedOf(graph, machine, true);
    EXPECT_TRUE(drafts == 0 || found.space == drafts) << graph.name;
    EXPECT_EQ(found.space, all.space);
    EXPECT_LT(found.deviceRuns, all.deviceRuns) << graph.name;
    const auto best = [](const Exploration &e) { return e.rows[static_cast<std::size_t>(e.front.front())].cost.total; };
    EXPECT_EQ(best(found), best(all)) << graph.name;
    EXPECT_TRUE(found.proof.isOptimal());
  }
}

TEST(Explore, ADistributionHasTheNearestRanks) {
  Exploration e;
  for (const std::int64_t n : {50, 10, 40, 20, 30}) {
    Row row;
    row.how = n == 40 ? search::Fate::kEqual : search::Fate::kEstimated;
    row.cost.kernel = Cycles(n);
    row.cost.total = Cycles(2 * n);
    e.rows.push_back(row);
  }
  e.rows.emplace_back();  // illegal
  const auto d = tune::distributionOf(e);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->mappings, 5);
  const tune::Distribution::Quantiles expected = {Cycles(10), Cycles(10), Cycles(20), Cycles(30),
                                                  Cycles(40), Cycles(50), Cycles(50)};
  EXPECT_EQ(d->kernel, expected);
  EXPECT_EQ(d->total[3], Cycles(60));
  e.bounded = 1;
  EXPECT_FALSE(tune::distributionOf(e)) << "of what is bounded no cost is known";
}

/// `fast` says of every mapping what `all`, where each was run alone, says or at most that, and has its front.
void expectTruth(const Exploration &fast, const Exploration &all) {
  ASSERT_EQ(fast.front, all.front);
  ASSERT_EQ(fast.rows.size(), all.rows.size());
  EXPECT_EQ(all.equal + all.bounded, 0);
  for (std::size_t r = 0; r < fast.rows.size(); ++r) {
    const Row &a = fast.rows[r], &b = all.rows[r];
    ASSERT_EQ(a.mapping, b.mapping);
    ASSERT_EQ(a.how == search::Fate::kIllegal, b.how == search::Fate::kIllegal);
    if (a.how == search::Fate::kEstimated || a.how == search::Fate::kEqual) {
      ASSERT_EQ(a.cost, b.cost) << a.mapping;
    }
    if (a.how != search::Fate::kBounded) continue;
    ASSERT_LE(a.cost.kernel, b.cost.kernel) << a.mapping;
    ASSERT_LE(a.cost.total, b.cost.total) << a.mapping;
    ASSERT_LE(a.cost.energy.value, b.cost.energy.value) << a.mapping;
    ASSERT_LE(a.cost.kernelEnergy.value, b.cost.kernelEnergy.value) << a.mapping;
  }
}

TEST(Explore, TheFrontIsThatOfAnExhaustiveRunOnMachinesThatAreDataToo) {
  for (const std::string name : {"cnm-pipeline", "cnm-vector"}) {
    const auto machine = machine::loadMachine(PIMENTO_SOURCE_DIR "/examples/machines/" + name + ".yaml", {});
    ASSERT_TRUE(machine.ok()) << machine.diagnostics().front().str();
    for (const auto &[kernel, sizes] : std::vector<std::pair<const char *, kernel::Sizes>>{
             {"gemv", {{"m", 100}, {"n", 77}}}, {"gemm", {{"m", 30}, {"n", 17}, {"k", 29}}}, {"va", {{"n", 3000}}}}) {
      const auto graph = kernel::makeZooKernel(kernel, sizes, machine->nativeType);
      ASSERT_TRUE(graph.ok());
      const Problem problem = problemOf(*graph, *machine);
      const Exploration fast = explored(problem), all = explored(problem, true);
      SCOPED_TRACE(name + " " + kernel);
      expectTruth(fast, all);
      EXPECT_GT(fast.bounded + fast.equal, 0);
    }
  }
}

TEST(Explore, TheFrontIsThatOfAnExhaustiveRunOnRandomKernelsAndMachines) {
  const int cases = isLongRun() ? 400 : 25;
  std::int64_t bounded = 0, several = 0;
  for (int i = 0; i < cases; ++i) {
    Rng rng(static_cast<std::uint64_t>(i) + 77);
    const machine::Machine machine = randomHbmPimMachine(rng, 4);
    const kernel::Graph graph = smallGraph(rng);
    const Problem problem = problemOf(graph, machine);
    const Exploration fast = explored(problem, false, {2}), all = explored(problem, true, {2});
    SCOPED_TRACE("case " + std::to_string(i) + " " + kernel::print(graph));
    expectTruth(fast, all);
    if (HasFatalFailure()) return;
    bounded += fast.bounded;
    several += fast.front.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(bounded, 50 * cases) << "nothing was ruled out: the comparison shows nothing";
  EXPECT_GT(several, 0) << "all fronts have one point: the comparison shows little";
}

TEST(Explore, EveryRowSaysHowItIsKnown) {
  const machine::Machine machine = hbmPim(8);
  const kernel::Graph graph = zoo("gemv", {{"m", 512}, {"n", 512}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const Exploration e = explored(problem);
  EXPECT_EQ(e.estimated + e.equal + e.bounded + e.illegal, static_cast<std::int64_t>(e.rows.size()));
  EXPECT_GT(e.equal, 0);
  EXPECT_GT(e.bounded, 0);
  EXPECT_LE(e.deviceRuns, e.estimated);
  for (const Row &r : e.rows) {
    if (r.how == search::Fate::kEqual) {
      const Row &first = e.rows.at(static_cast<std::size_t>(r.like));
      EXPECT_EQ(first.how, search::Fate::kEstimated);
      EXPECT_EQ(first.cost, r.cost);
    }
    if (r.how == search::Fate::kBounded) {
      const Row &better = e.rows.at(static_cast<std::size_t>(r.like));
      EXPECT_EQ(better.how, search::Fate::kEstimated);
      EXPECT_LE(better.cost.total, r.cost.total);
      EXPECT_LE(better.cost.energy.value, r.cost.energy.value);
    }
  }
}

TEST(Explore, EqualRowsAreEqualWhenTheyAreRun) {
  const machine::Machine machine = hbmPim(4);
  const kernel::Graph graph = zoo("va", {{"n", 30000}});
  const Problem problem = problemOf(graph, machine);
  const Exploration e = explored(problem);
  int compared = 0;
  for (const Row &r : e.rows)
    if (r.how == search::Fate::kEqual && compared < 60) {
      ASSERT_EQ(costOf(problem, r.mapping), r.cost) << r.mapping;
      ++compared;
    }
  EXPECT_GT(compared, 20);
}

TEST(Explore, GivesTheSameAtAnyNumberOfThreads) {
  const machine::Machine machine = hbmPim(16);
  const kernel::Graph graph = zoo("gemv", {{"m", 1000}, {"n", 500}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const Exploration one = explored(problem, false, {1});
  for (const int jobs : {2, 7}) {
    const Exploration many = explored(problem, false, {jobs});
    ASSERT_EQ(one.rows.size(), many.rows.size());
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      ASSERT_EQ(one.rows[i].how, many.rows[i].how) << i;
      ASSERT_EQ(one.rows[i].cost, many.rows[i].cost) << i;
      ASSERT_EQ(one.rows[i].like, many.rows[i].like) << i;
    }
    EXPECT_EQ(one.front, many.front);
  }
}

TEST(Explore, TheReferenceMappingIsNeverBetterThanTheBest) {
  for (const std::int64_t n : {1000, 99999, 1000000}) {  // where the space alone may have nothing as good
    const machine::Machine machine = hbmPim(64);
    const kernel::Graph graph = zoo("va", {{"n", n}});
    const Exploration e = explored(problemOf(graph, machine));
    ASSERT_TRUE(e.reference.has_value());
    EXPECT_LE(e.rows[static_cast<std::size_t>(e.front.front())].cost.total, e.reference->total) << n;
    EXPECT_LE(e.rows[static_cast<std::size_t>(e.front.back())].cost.energy.value, e.reference->energy.value) << n;
  }
}

TEST(Explore, AMatrixVectorProductHasTheContiguousSpace) {
  const machine::Machine machine = hbmPim(64);
  const kernel::Graph graph = zoo("gemv", {{"m", 4096}, {"n", 4096}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  EXPECT_TRUE(problem.choices.chunks.empty()) << "chunks change nothing for it";
  EXPECT_TRUE(problem.choices.orders.empty());
  tune::Candidates candidates(problem);
  int count = 0;
  while (candidates.next()) ++count;
  EXPECT_EQ(count, 7095);
}

TEST(Explore, ElementwiseKernelsGetTheChunksThatSpareTheHostWork) {
  const machine::Machine machine = hbmPim(4);
  const kernel::Graph graph = zoo("va", {{"n", 8192}});
  const Problem problem = problemOf(graph, machine);
  EXPECT_EQ(problem.choices.chunks.at("channel"), std::vector<std::int64_t>{16});
  const Exploration e = explored(problem);
  const auto best = tune::compile(problem, tune::mappingOf(e.rows[static_cast<std::size_t>(e.front.front())].mapping));
  ASSERT_TRUE(best.ok());
  EXPECT_EQ((*best)->hostWork().rearrangedIn.value, 0);
}

TEST(Explore, OrdersMultiplyTheSpace) {
  const machine::Machine machine = hbmPim(2);
  const kernel::Graph graph = zoo("gemv", {{"m", 64}, {"n", 64}, {"batch", 1}});
  Problem problem = problemOf(graph, machine);
  const std::size_t plain = explored(problem).rows.size();
  problem.choices.orders = tune::allOrders(problem.kernel());
  ASSERT_FALSE(problem.choices.orders.empty());
  const Exploration e = explored(problem);
  EXPECT_EQ(e.rows.size(), plain * (1 + problem.choices.orders.size()));
  EXPECT_GT(e.illegal, 0) << "orders with the reduction outside are refused";
  EXPECT_GT(e.equal, 0) << "the others change nothing";
}

TEST(Explore, ALimitTakesEveryNthOfTheSpace) {
  const machine::Machine machine = hbmPim(8);
  const kernel::Graph graph = zoo("gemv", {{"m", 512}, {"n", 512}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const Exploration all = explored(problem);
  const auto some = tune::explore(problem, {false, 100}, {2});
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(all.every, 1);
  EXPECT_EQ(all.space, static_cast<std::int64_t>(all.rows.size()));
  EXPECT_EQ(some->every, (all.space + 99) / 100);
  EXPECT_LE(some->rows.size(), 101u) << "the limit, and the reference mapping";
  for (std::size_t i = 0; i + 1 < some->rows.size(); ++i)
    EXPECT_EQ(some->rows[i].mapping, all.rows[i * static_cast<std::size_t>(some->every)].mapping);
  EXPECT_LE(some->rows[static_cast<std::size_t>(some->front.front())].cost.total, some->reference->total);
}

TEST(Explore, TakesResultsFromTheStore) {
  const machine::Machine machine = hbmPim(4);
  const kernel::Graph graph = zoo("gemv", {{"m", 200}, {"n", 300}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const std::string path = ::testing::TempDir() + "/explore_store_" + std::to_string(::getpid()) + ".db";
  std::filesystem::remove(path);
  const Exploration without = explored(problem);
  {
    auto store = tune::Store::open(path, tune::identity(problem), "test");
    ASSERT_TRUE(store.ok());
    EXPECT_EQ((*store)->found(), 0);
    const Exploration with = explored(problem, false, {2, store->get()});
    EXPECT_EQ(with.front, without.front);
  }
  auto store = tune::Store::open(path, tune::identity(problem), "test");
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->found(), without.deviceRuns);
  const Exploration again = explored(problem, false, {2, store->get()});
  for (std::size_t i = 0; i < again.rows.size(); ++i) ASSERT_EQ(again.rows[i].cost, without.rows[i].cost);
  // A planted result shows that the store is what answers.
  const std::string first = again.rows[static_cast<std::size_t>(again.front.front())].mapping;
  const std::string planted = "1";
  ASSERT_TRUE((*store)->put("run", tune::factsOf(problem, first, false).stream, planted).ok());
  const Exploration misled = explored(problem, false, {2, store->get()});
  EXPECT_EQ(misled.rows[static_cast<std::size_t>(again.front.front())].cost.kernel.value, 1);
  store->reset();
  std::filesystem::remove(path);
}

TEST(Explore, StopsWhenAskedAndSaysHowToGoOn) {
  const machine::Machine machine = hbmPim(4);
  const kernel::Graph graph = zoo("gemv", {{"m", 200}, {"n", 300}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const std::atomic<bool> isStopped{true};
  const auto e = tune::explore(problem, {}, {2, nullptr, &isStopped});
  ASSERT_FALSE(e.ok());
  EXPECT_EQ(e.diagnostics().front().code, "interrupted");
  EXPECT_NE(e.diagnostics().front().hint.find("--store"), std::string::npos);
}

TEST(Explore, AKernelThatFitsNowhereIsADiagnostic) {
  const machine::Machine machine = hbmPim(1);
  const kernel::Graph graph = zoo("gemv", {{"m", 1 << 20}, {"n", 1 << 16}, {"batch", 1}});
  const auto e = tune::explore(problemOf(graph, machine), {}, {2});
  ASSERT_FALSE(e.ok());
  EXPECT_EQ(e.diagnostics().front().code, "no-legal-mapping");
  EXPECT_NE(e.diagnostics().front().message.find("capacity"), std::string::npos);
}

TEST(Identity, ChangesWithWhateverDecidesTheResult) {
  const kernel::Graph graph = zoo("gemv", {{"m", 64}, {"n", 64}, {"batch", 1}});
  const kernel::Graph other = zoo("gemv", {{"m", 64}, {"n", 65}, {"batch", 1}});
  std::set<std::string> seen;
  const auto add = [&](const kernel::Graph &g, const machine::Machine &m, const char *variant, bool hasChunks) {
    auto p = tune::makeProblem(g, m, targetOf(m), variant);
    ASSERT_TRUE(p.ok());
    if (hasChunks) p->choices.chunks["channel"] = {8};
    EXPECT_TRUE(seen.insert(tune::identity(*p)).second);
  };
  add(graph, hbmPim(4), "plain", false);
  add(other, hbmPim(4), "plain", false);
  add(graph, hbmPim(8), "plain", false);
  add(graph, hbmPim(4, 1), "plain", false);
  add(graph, hbmPim(4, 2, "hbm-pim-sound"), "plain", false);
  add(graph, hbmPim(4), "tree", false);
  add(graph, hbmPim(4), "plain", true);
  for (const char *path : {"controller.precharge=conflict", "energy.mac=1", "host.merge_rate=7", "timing.tRP=15"}) {
    const std::string text = path;
    const std::size_t eq = text.find('=');
    const auto m = machine::loadMachine("hbm-pim", {PIMENTO_SOURCE_DIR "/machines"},
                                        {{"channels", "4"}, {text.substr(0, eq), text.substr(eq + 1)}});
    ASSERT_TRUE(m.ok()) << path;
    add(graph, *m, "plain", false);
  }
  EXPECT_EQ(tune::identity(problemOf(graph, hbmPim(4))), tune::identity(problemOf(graph, hbmPim(4))));
}

TEST(Check, FindsThatTheEstimateIsTheSimulationAndTheAnswerIsRight) {
  const machine::Machine machine = hbmPim(2);
  const kernel::Graph graph = zoo("gemv", {{"m", 100}, {"n", 200}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const Exploration e = explored(problem);
  const Row &best = e.rows[static_cast<std::size_t>(e.front.front())];
  EXPECT_TRUE(tune::check(problem, best.mapping, best.cost.kernel, {}).ok());
  const Status wrong = tune::check(problem, best.mapping, best.cost.kernel + Cycles(1), {});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.diagnostics().front().code, "wrong-cycles");
}

TEST(StreamKey, TellsVirtualProgramsApartByTheirInstructions) {
  const auto machine = machine::loadMachine(PIMENTO_SOURCE_DIR "/examples/machines/cnm-vector.yaml", {});
  ASSERT_TRUE(machine.ok());
  std::set<std::string> keys;
  for (const char *name : {"va", "mul"}) {  // the same loops and arrays
    const kernel::Graph graph = zoo(name, {{"n", 3000}});
    const Problem problem = problemOf(graph, *machine);
    const auto compiled = tune::compile(problem, problem.reference);
    ASSERT_TRUE(compiled.ok());
    EXPECT_TRUE(keys.insert(tune::streamKey((*compiled)->program())).second) << name;
  }
}

TEST(StreamKey, TellsProgramsApartByWhatTheyDoNotByTheirNames) {
  const machine::Machine machine = hbmPim(2);
  const kernel::Graph graph = zoo("gemv", {{"m", 100}, {"n", 200}, {"batch", 1}});
  const Problem problem = problemOf(graph, machine);
  const auto compiled = tune::compile(problem, problem.reference);
  ASSERT_TRUE(compiled.ok());
  const program::Program p = (*compiled)->program();
  const std::string key = tune::streamKey(p);
  program::Program q = p;
  q.processes[0].name = "other";
  q.images.clear();
  EXPECT_EQ(tune::streamKey(q), key);
  program::CommandNode *leaf = &std::get<program::CommandLoops>(q.processes[0].body).back();
  ASSERT_FALSE(leaf->isLoop);
  const auto differs = [&](auto &&change) {
    const program::CommandNode kept = *leaf;
    change(leaf->statement);
    EXPECT_NE(tune::streamKey(q), key);
    *leaf = kept;
  };
  differs([](program::Command &c) { c.isBarrier = !c.isBarrier; });
  differs([](program::Command &c) { c.isWrite = !c.isWrite; });
  differs([](program::Command &c) { ++c.bank; });
  differs([](program::Command &c) { ++c.rank; });
  differs([](program::Command &c) { ++c.row.base; });
  differs([](program::Command &c) { ++c.row.stride[0]; });
  differs([](program::Command &c) { ++c.column.base; });
  differs([](program::Command &c) { c.purpose = program::Purpose::kPimMac; });
  differs([](program::Command &c) { c.isLinear = true; });
  differs([](program::Command &c) { c.channels.count = 1; });
  differs([](program::Command &c) { c.channels.step = 2; });
  differs([](program::Command &c) { c.length = 7; });
  q.processes[0].instances = 3;
  EXPECT_NE(tune::streamKey(q), key);
  q.processes[0].instances = p.processes[0].instances;
  EXPECT_EQ(tune::streamKey(q), key);
  q.processes[0].isShared = !q.processes[0].isShared;
  EXPECT_NE(tune::streamKey(q), key);
}

TEST(Isolated, KeepsOneKernelWithWhatItTouches) {
  const auto graph =
      kernel::parseNotation("t[i] = a[i] + b[i]; t[i] += c[i]; y[i] = relu(t[i])", {{"i", 10}}, DType::kF16);
  ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  for (int k = 0; k < static_cast<int>(graph->kernels.size()); ++k) {
    const kernel::Graph alone = kernel::isolated(*graph, k);
    EXPECT_EQ(alone.kernels.size(), 1u);
    EXPECT_TRUE(kernel::verify(alone).ok()) << kernel::print(alone);
  }
}

}  // namespace
}  // namespace pimento::test
