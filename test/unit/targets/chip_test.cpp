// Programs on a whole chip: estimate against simulation, places against each other, sums of parts, samples against all.
#include "pimento/targets/l3_sram/chip.h"

#include <gtest/gtest.h>

#include <iostream>
#include <numeric>

#include "pimento/emit/json.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/notation.h"
#include "pimento/targets/chip/chip_nest.h"
#include "pimento/targets/l3_sram/loops_time.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"
#include "test/support/random_regions.h"
#include "test/support/target_of.h"

namespace pimento::targets::l3_sram {
namespace {

kernel::Graph parsed(const test::RegionsText &text) {
  auto graph = kernel::parseNotation(text.text, text.sizes, DType::kF32);
  EXPECT_TRUE(graph) << text.text << graph.diagnostics().front().str();
  return std::move(*graph);
}

Result<evaluate::Report> evaluated(const kernel::Graph &graph, const machine::Machine &machine, bool isSimulation,
                                   int jobs = 1, kernel::DataSet *data = nullptr,
                                   std::vector<mapping::MapSpec> maps = std::vector<mapping::MapSpec>(1)) {
  evaluate::Request request;
  request.machine = &machine;
  request.target = &test::targetOf(machine);
  request.graph = &graph;
  request.maps = std::move(maps);
  request.isSimulation = isSimulation;
  request.jobs = jobs;
  request.data = data;
  return evaluate::evaluate(request);
}

std::string textOf(evaluate::Report report) {
  report.wallUs = report.compileUs = 0;
  return emit::toJson(report, nullptr);
}

std::int64_t totalOf(const kernel::Graph &graph, const machine::Machine &machine) {
  const auto report = evaluated(graph, machine, false);
  EXPECT_TRUE(report) << report.diagnostics().front().str();
  return report ? report->breakdown().total().value : 0;
}

TEST(Chip, EstimatesWhatItSimulatesAndPartsSumToTotals) {
  Rng rng(21);
  const machine::Machine m = test::load("l3-sram");
  for (std::int64_t n = test::caseCount(2); n > 0; --n) {
    const test::RegionsText text = test::randomRegions(rng, static_cast<int>(rng.integer(1, 5)), 160);
    const kernel::Graph graph = parsed(text);
    const auto estimate = evaluated(graph, m, false), simulation = evaluated(graph, m, true);
    ASSERT_TRUE(estimate && simulation) << text.text;
    EXPECT_EQ(textOf(*estimate), textOf(*simulation)) << text.text;
    for (const int jobs : {2, 8}) EXPECT_EQ(textOf(*estimate), textOf(*evaluated(graph, m, false, jobs)));
    const evaluate::Report &r = *estimate;
    std::int64_t phases = 0;
    for (const evaluate::Stage &s : r.stages)
      for (const evaluate::Phase &p : s.phases) phases += p.counted.value;
    EXPECT_EQ(phases, r.breakdown().total().value);
    double energy = 0;
    for (const auto &[name, c] : r.energy.components) energy += c.total().value;
    EXPECT_NEAR(energy, r.energy.total.value, 1e-9 * r.energy.total.value);
    for (const char *kind : {"control", "data", "offload"})
      EXPECT_EQ(r.traffic.at(kind), r.counts.at(std::string(kind) + "_hops"));
    EXPECT_EQ(r.traffic.at("inter_tile_noc"), r.counts.at("inter_tile_hops"));
    for (const auto &[name, count] : r.counts) EXPECT_GE(count, 0) << name;
  }
}

TEST(Chip, AnswersAreThoseOfTheInterpreterInEveryPlace) {
  Rng rng(22);
  for (const char *name : {"l3-base", "l3-near", "l3-in", "l3-sram"}) {
    const machine::Machine m = test::load(name, {{"sram.mode", "words"}});
    for (std::int64_t n = test::caseCount(5); n > 0; --n) {
      const test::RegionsText text = test::randomRegions(rng, static_cast<int>(rng.integer(1, 4)), 100);
      const kernel::Graph graph = parsed(text);
      kernel::DataSet data = kernel::makeData(graph, {.seed = rng.next()});
      const auto report = evaluated(graph, m, true, 1, &data);
      ASSERT_TRUE(report) << name << ": " << text.text << report.diagnostics().front().str();
      EXPECT_TRUE(report->isChecked) << text.text;
    }
  }
}

TEST(Chip, IsNeverLongerThanInOnePlace) {
  Rng rng(23);
  const machine::Machine all = test::load("l3-sram");
  const machine::Machine cores = test::load("l3-sram", {{"kernels.near_l3", "false"}, {"kernels.in_l3", "false"}});
  const machine::Machine near = test::load("l3-sram", {{"kernels.on_cores", "false"}, {"kernels.in_l3", "false"}});
  const machine::Machine in = test::load("l3-sram", {{"kernels.on_cores", "false"}});
  int shorter = 0, several = 0;
  for (std::int64_t n = test::caseCount(2); n > 0; --n) {
    const test::RegionsText text =
        test::randomRegions(rng, static_cast<int>(rng.integer(1, 4)), n % 2 == 0 ? 128 : 640);
    const kernel::Graph graph = parsed(text);
    const std::int64_t ours = totalOf(graph, all);
    const std::int64_t best = std::min({totalOf(graph, cores), totalOf(graph, near)});
    EXPECT_LE(ours, best) << text.text;
    EXPECT_LE(ours, totalOf(graph, in)) << text.text;
    several += graph.kernels.size() > 1 ? 1 : 0;
    shorter += graph.kernels.size() > 1 && 100 * ours <= 98 * std::min(best, totalOf(graph, in)) ? 1 : 0;
  }
  std::cout << shorter << " of " << several << " programs of several regions are shorter by 2 % or more\n";
}

/// The state decides: what lies in arrays is not fetched again, and what it forgot would be.
TEST(Chip, KeepsDataInArraysFromKernelToKernel) {
  const machine::Machine m = test::load("l3-sram", {{"kernels.on_cores", "false"}, {"kernels.near_l3", "false"}});
  const auto memory = [&](const std::string &text) {
    const kernel::Graph graph = parsed({text, {{"i", 1 << 14}}});
    const auto report = evaluated(graph, m, false);
    EXPECT_TRUE(report) << report.diagnostics().front().str();
    return report->breakdown()[evaluate::Part::kTransferIn].value;
  };
  const std::int64_t once = memory("c[i] = a[i] + b[i]");
  EXPECT_GT(once, 0);
  EXPECT_EQ(memory("c[i] = a[i] + b[i]; d[i] = c[i] * a[i]"), once) << "nothing new comes";
  EXPECT_GT(memory("c[i] = a[i] + b[i]; d[i] = c[i] * e[i]"), once) << "e does";
}

/// Some kernels have one place, and not all of them the same.
TEST(Chip, KernelsWithoutAGraphRunOnCoresOfAChipThatHasArraysAlone) {
  const machine::Machine m = test::load("l3-in");
  auto graph = kernel::parseNotation("d[p,c] += a[p,k] * b[k,c]; h[x[p],c] += d[p,c]",
                                     {{"p", 512}, {"c", 16}, {"k", 16}, {"h_1", 16}}, DType::kF32);
  if (!graph) GTEST_FAIL() << graph.diagnostics().front().str();
  const auto report = evaluated(*graph, m, false);
  ASSERT_TRUE(report) << report.diagnostics().front().str();
  ASSERT_EQ(report->stages.size(), 2U);
  EXPECT_EQ(report->stages[0].where, "in L3");
  EXPECT_EQ(report->stages[1].where, "cores");
}

/// Nine products of three weights; the same bits, or what rounding in another order leaves of them, and fewer cycles.
TEST(Chip, RewritesGraphsAndStillComputesTheKernel) {
  const std::string text =
      "o[i,j] = 0.3 * a[i,j] + 0.7 * a[i,j+1] + 0.3 * a[i,j+2] + 0.7 * a[i+1,j] + 0.1 * a[i+1,j+1] + 0.7 * a[i+1,j+2] "
      "+ "
      "0.3 * a[i+2,j] + 0.7 * a[i+2,j+1] + 0.3 * a[i+2,j+2]";
  std::vector<std::int64_t> compute;
  for (const char *rewrite : {"none", "strict", "reassociate"}) {
    const machine::Machine m = test::load("l3-in", {{"sram.mode", "words"}, {"sram.rewrite", rewrite}});
    const kernel::Graph graph = parsed({text, {{"i", 64}, {"j", 64}}});
    kernel::DataSet data = kernel::makeData(graph, {.seed = 3});
    const auto report = evaluated(graph, m, true, 1, &data);
    ASSERT_TRUE(report) << rewrite << ": " << report.diagnostics().front().str();
    EXPECT_TRUE(report->isChecked) << rewrite;
    EXPECT_EQ(report->isWithinRounding, std::string_view(rewrite) == "reassociate");
    EXPECT_EQ(evaluate::checkedAgainst(*report),
              std::string_view(rewrite) == "reassociate" ? "interpreter, within the error bound" : "interpreter");
    compute.push_back(report->breakdown()[evaluate::Part::kCompute].value);
  }
  EXPECT_LT(compute[1], compute[0]);
  EXPECT_LT(compute[2], compute[1]);
}

std::vector<mapping::MapSpec> specOf(const std::string &text) {
  auto spec = mapping::parseMapSpec(text);
  EXPECT_TRUE(spec) << text;
  return {std::move(*spec)};
}

/// `auto` against every program there is.
TEST(Chip, TilesAreThoseWithWhichTheWholeProgramTakesLeast) {
  Rng rng(31);
  const machine::Machine m = test::load("l3-in");
  const evaluate::Target &target = test::targetOf(m);
  int shorter = 0;
  for (std::int64_t n = test::caseCount(6); n > 0; --n) {
    const test::RegionsText text = test::randomRegions(rng, static_cast<int>(rng.integer(1, 2)), 96);
    const kernel::Graph graph = parsed(text);
    std::vector<std::vector<mapping::MapSpec>> programs{{}};
    for (int k = 0; k < static_cast<int>(graph.kernels.size()); ++k) {
      std::vector<std::vector<mapping::MapSpec>> longer;
      for (const mapping::Mapping &mapping : target.mappings({&graph, k, 1}, m, {}, {}))
        for (const auto &p : programs) {
          longer.push_back(p);
          longer.back().push_back({mapping::MapSpec::Kind::kExplicit, mapping});
        }
      programs = std::move(longer);
    }
    std::int64_t least = INT64_MAX;
    for (const auto &p : programs) {
      const auto report = evaluated(graph, m, false, 1, nullptr, p);
      if (report) least = std::min(least, report->breakdown().total().value);
    }
    const auto found = evaluated(graph, m, false, 2, nullptr, specOf("auto")),
               again = evaluated(graph, m, false, 1, nullptr, specOf("auto")),
               reference = evaluated(graph, m, false, 1, nullptr, specOf("reference"));
    ASSERT_TRUE(found && again && reference) << text.text;
    EXPECT_EQ(textOf(*found), textOf(*again));
    EXPECT_EQ(found->breakdown().total().value, least) << text.text;
    if (!found->tried.empty()) {
      EXPECT_EQ(found->tried.front().cycles, reference->breakdown().total());
    }
    for (const evaluate::TriedProgram &t : found->tried) {
      Cycles sum;
      for (const auto &[name, cycles] : t.spent) sum += cycles;
      EXPECT_EQ(sum, t.cycles);
    }
    shorter += least < reference->breakdown().total().value ? 1 : 0;
  }
  std::cout << shorter << " programs are shorter than with the heuristic's tiles\n";
}

TEST(Chip, AnExtentOfTheTileCanBeGiven) {
  const machine::Machine m = test::load("l3-in");
  const kernel::Graph graph = parsed({"o[i,j] = a[i,j] + a[i,j+1] + a[i+1,j]", {{"i", 63}, {"j", 127}}});
  for (const auto &[spec, t0] : {std::pair("reference;t0=4", 4), std::pair("auto;t0=64", 64)}) {
    const auto report = evaluated(graph, m, false, 1, nullptr, specOf(spec));
    ASSERT_TRUE(report) << spec;
    const auto factors = mapping::parseMapSpec(report->mapping)->mapping.subspaces.front().factors;
    EXPECT_EQ(factors[1][1] * factors[2][1], t0) << report->mapping;
  }
  const auto none = evaluated(graph, m, false, 1, nullptr, specOf("reference;t0=3"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.diagnostics().front().code, "illegal-tile");
  EXPECT_NE(none.diagnostics().front().hint.find("16, "), std::string::npos) << none.diagnostics().front().hint;
}

TEST(Chip, ALatticeThatTheArraysCannotHoldRunsElsewhere) {
  const kernel::Graph graph = parsed({"o[i,j,k] = a[i,j,k] + 1", {{"i", 1 << 9}, {"j", 1 << 9}, {"k", 1 << 9}}});
  for (const char *machine : {"l3-base", "l3-near"}) {
    const auto report = evaluated(graph, test::load(machine), false);
    ASSERT_TRUE(report) << machine << report.diagnostics().front().str();
    EXPECT_NE(report->stages.front().where, "in L3");
  }
}

TEST(Chip, StartsWhereItsMachineSays) {
  const kernel::Graph graph = parsed({"o[i] = a[i] + b[i]", {{"i", 1 << 16}}});
  for (const char *machine : {"l3-base", "l3-near", "l3-in", "l3-sram"})
    EXPECT_LT(totalOf(graph, test::load(machine, {{"kernels.start", "l3"}})), totalOf(graph, test::load(machine)))
        << machine;
}

TEST(Chip, VectorCodeOfCoresTakesItsShare) {
  const kernel::Graph graph = parsed({"o[i] = a[i] + b[i]", {{"i", 1 << 14}}});
  const std::int64_t all = totalOf(graph, test::load("l3-base")),
                     half = totalOf(graph, test::load("l3-base", {{"core.vector_efficiency", "0.5"}}));
  EXPECT_NEAR(static_cast<double>(half), 2.0 * static_cast<double>(all), 4);
}

TEST(Chip, StatesWithOneKeyHaveOneFuture) {
  Rng rng(24);
  const machine::Machine m = test::load("l3-sram");
  const evaluate::Target &target = test::targetOf(m);
  for (std::int64_t n = test::caseCount(6); n > 0; --n) {
    const test::RegionsText text = test::randomRegions(rng, 4, 128);
    const kernel::Graph graph = parsed(text);
    std::vector<std::unique_ptr<evaluate::CompiledPart>> parts;
    for (int k = 0; k < static_cast<int>(graph.kernels.size()); ++k) {
      const evaluate::GraphPart part{&graph, k, 1};
      auto compiled = target.compile(part, *target.reference(part, m, {}, {}), m, {}, {});
      ASSERT_TRUE(compiled);
      parts.push_back(std::move(*compiled));
    }
    // Two random ways to a state; if their keys agree, what comes takes the same.
    std::map<std::string, std::int64_t> seen;
    for (int way = 0; way < 12; ++way) {
      const auto state = target.idle({&graph, 0, static_cast<int>(graph.kernels.size())}, m);
      for (std::size_t k = 0; k + 1 < parts.size(); ++k)
        ASSERT_TRUE(parts[k]->run({.carried = state.get(), .place = static_cast<int>(rng.integer(0, 2))}));
      const std::string key = state->key();
      const auto last = parts.back()->run({.carried = state.get(), .place = 1});
      ASSERT_TRUE(last);
      const auto [at, isNew] = seen.emplace(key, last->cycles.value);
      EXPECT_TRUE(isNew || at->second == last->cycles.value) << key;
    }
  }
}

TEST(Chip, AKernelByItselfTakesWhatAProgramOfOneDoes) {
  Rng rng(25);
  const machine::Machine m = test::load("l3-sram");
  const evaluate::Target &target = test::targetOf(m);
  for (std::int64_t n = test::caseCount(6); n > 0; --n) {
    const kernel::Graph graph = parsed(test::randomRegions(rng, 1, 256));
    const evaluate::GraphPart part{&graph};
    const auto compiled = target.compile(part, *target.reference(part, m, {}, {}), m, {}, {});
    ASSERT_TRUE(compiled);
    const auto alone = (*compiled)->run({});
    ASSERT_TRUE(alone);
    const auto report = evaluated(graph, m, false);
    ASSERT_TRUE(report);
    EXPECT_EQ(alone->cycles, report->cycles);
    EXPECT_EQ(alone->where, report->stages.front().where);
  }
}

TEST(Chip, KeysTellApartWhatGoesFirst) {
  ChipState a(2), b(2);
  for (const TensorState::At at : {TensorState::At::kL3, TensorState::At::kArrays}) {
    a.tensors[0] = b.tensors[1] = {.at = at, .used = 1};
    a.tensors[1] = b.tensors[0] = {.at = at, .used = 2};
    EXPECT_NE(a.key(), b.key());
  }
}

/// Of programs of very many kernels those of one form are timed together: what they read is of the form.
TEST(Chip, KernelsOfOneBodyAndOtherAccessesAreTimedApart) {
  const machine::Machine m = test::load("l3-sram");
  const evaluate::Target &target = test::targetOf(m);
  kernel::Graph graph = parsed({"X[i,j] = A[i,j] + B[i,j]; Y[i,j] = A[j,i] + B[j,i]", {{"i", 64}, {"j", 64}}});
  for (kernel::Kernel &k : graph.kernels) k.name = "round";
  graph.kernels.reserve(258);
  while (graph.kernels.size() < 258) graph.kernels.push_back(graph.kernels[graph.kernels.size() - 2]);
  Cache shared;
  std::int64_t cycles[2];
  for (int k = 0; k < 2; ++k) {
    const evaluate::GraphPart part{&graph, k, 1};
    const auto compiled = target.compile(part, *target.reference(part, m, {}, {}), m, {}, {});
    ASSERT_TRUE(compiled);
    ChipState state(graph.tensors.size());
    const auto run =
        (*compiled)->run({.shared = &shared, .carried = &state, .place = static_cast<int>(Place::kNearL3)});
    ASSERT_TRUE(run);
    cycles[k] = run->cycles.value;
  }
  EXPECT_LT(cycles[0], cycles[1]) << "the second reads columns";
}

TEST(Chip, SamplesHoldTheWhole) {
  const machine::Machine m = test::load("l3-sram");
  const struct {
    const char *text;
    kernel::Sizes sizes;
  } programs[] = {{"c[i] = a[i] + b[i]", {{"i", 1 << 19}}},
                  {"c[i,j] = a[i,j] * x[j] + a[i,j]", {{"i", 1024}, {"j", 512}}},
                  {"C[i,j] += A[i,k] * B[k,j]", {{"i", 128}, {"j", 128}, {"k", 128}}}};
  for (const auto &p : programs)
    for (const Place place : {Place::kCore, Place::kNearL3}) {
      const kernel::Graph graph = parsed({p.text, p.sizes});
      const chip::ChipNest nest = chip::chipNest(graph, 0, m.kernels->vector);
      const chip::Addresses addresses = chip::addressesOf(graph);
      LoopsState cold;
      for (const kernel::Tensor &t : graph.tensors) {
        cold.bytes += t.elements() * 4;
        cold.coldLines += t.elements() * 4 / 64;
      }
      const ChipRun whole = timeOfLoops(nest, addresses, m, place, 64, cold, kWholeLoops);
      const ChipRun sampled = timeOfLoops(nest, addresses, m, place, 64, cold, {80, 80});
      EXPECT_EQ(whole.margin, 0);
      EXPECT_GT(sampled.margin, 0);
      EXPECT_LE(std::abs(whole.cycles() - sampled.cycles()), sampled.margin)
          << p.text << " " << name(place) << " whole " << whole.cycles() << " sampled " << sampled.cycles();
    }
}

TEST(Chip, TakesTheEnergyThatItsConstantsSay) {
  // One operation in all bitlines: 32 bits read twice and written once per cycle of the published table's 1,024
  // (2,048).
  const machine::Machine m =
      test::load("l3-sram", {{"sram.times", "artifact"}, {"kernels.on_cores", "false"}, {"kernels.near_l3", "false"}});
  constexpr std::int64_t kN = 1 << 16;
  const auto perElement = [&](const char *text) {
    const auto report = evaluated(parsed({text, {{"i", kN}}}), m, false);
    EXPECT_TRUE(report);
    double pj = 0;
    for (const energy::EnergyRow &row : report->energy.rows)
      if (row.term == "array_read" || row.term == "array_write") pj += row.energy.value;
    return pj / static_cast<double>(kN);
  };
  EXPECT_NEAR(perElement("c[i] = a[i] + b[i]"), 66.7, 0.1);
  EXPECT_NEAR(perElement("c[i] = a[i] * b[i]"), 66.7, 0.1);
}

TEST(Chip, HasItsArea) {
  const machine::Machine m = test::load("l3-sram");
  ASSERT_TRUE(m.area);
  EXPECT_NEAR((m.area->inL3 + m.area->nearL3) / m.area->chip(), 0.0652, 1e-12);
  EXPECT_NEAR(m.area->chip(), 1456, 1);
}

}  // namespace
}  // namespace pimento::targets::l3_sram
