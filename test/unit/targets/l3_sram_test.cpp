// Regions of tensor graphs, lowered and run in arrays: against the reference executor, in both modes.
#include <gtest/gtest.h>

#include <iostream>

#include "pimento/base/rng.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/notation.h"
#include "pimento/lower/l3_sram/layout.h"
#include "pimento/sim/sram/command_time.h"
#include "pimento/targets/l3_sram/region_run.h"
#include "pimento/targets/l3_sram/rewriting.h"
#include "pimento/targets/l3_sram/runtime.h"
#include "pimento/tdfg/execute.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"
#include "test/support/cases.h"
#include "test/support/random_affine_graph.h"
#include "test/support/random_data_graph.h"
#include "test/support/target_of.h"

namespace pimento::targets::l3_sram {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kI32,  DType::kF16, DType::kU8,  DType::kF64,
                            DType::kI64, DType::kBF16, DType::kI16, DType::kU16, DType::kI8};

machine::Sram cache() {
  machine::Sram s;
  s.meshColumns = s.meshRows = 8;
  s.ways = s.arraysPerWay = 16;
  s.bitlines = 64;
  s.line = Bytes(1);
  s.packet = Bytes(64);
  s.mostPerBitline = 16;
  return s;
}

/// A tile of 64 cells: powers of two.
std::vector<std::int64_t> randomTile(Rng &rng, std::size_t dims) {
  std::vector<std::int64_t> tile(dims, 1);
  for (int i = 0; i < 6; ++i) tile[rng.next() % dims] *= 2;
  return tile;
}

struct Counts {
  int cases = 0, inArrays = 0, spills = 0;
};

/// The program by its regions in arrays equals the program by the reference executor.
void expectSame(const kernel::Graph &graph, std::uint64_t seed, Counts &counts) {
  auto program = tdfg::fitStreams({}, [&](const auto &) -> Result<kernel::Graph> { return graph; });
  if (!program) return;
  tdfg::extract(*program);
  const auto values = tdfg::bindSizes(*program, {});
  ASSERT_TRUE(values);
  kernel::DataSet given = kernel::makeData(graph, {.seed = seed});
  given.resize(program->arrays.size());
  auto prepared = tdfg::prepare(*program, *values, given);
  if (!prepared) return;
  Rng rng(seed);
  std::vector<std::vector<std::int64_t>> tiles{{}, randomTile(rng, 1), randomTile(rng, 2), randomTile(rng, 3)};
  // Few wordlines: values wait in memory, and come back to other places.
  constexpr int kWordlines[] = {64, 96, 128, 192, 256};
  const tdfg::ArraySize size{kWordlines[rng.next() % 5], 256};
  kernel::DataSet expected = *prepared, bits = *prepared, words = *prepared;
  ++counts.cases;
  const auto visit = [&](kernel::DataSet &data, const auto &region) {
    return tdfg::visitRegions(*program, *values, [&](int r, const tdfg::Values &now, const std::vector<int> &names) {
      return region(r, now, names, data);
    });
  };
  const auto plain = [&](int r, const tdfg::Values &now, const std::vector<int> &names, kernel::DataSet &data) {
    const auto &tile = tiles[static_cast<std::size_t>(program->regions[static_cast<std::size_t>(r)].lattice)];
    tdfg::ExecuteOptions options;
    std::copy(tile.begin(), tile.end(), options.tile.begin());
    return tdfg::executeRegion(*program, r, now, names, data, options);
  };
  Residency inBits(machine::Sram::Mode::kBits, 2, bits), inWords(machine::Sram::Mode::kWords, 1, words);
  const auto lowered = [&](Residency &residency) {
    return [&](int r, const tdfg::Values &now, const std::vector<int> &names, kernel::DataSet &) -> Status {
      const tdfg::Region &region = program->regions[static_cast<std::size_t>(r)];
      if (region.nodes.empty()) return runStreams(*program, r, now, names, residency);
      const auto schedule = tdfg::schedule(*program, r, size);
      if (!schedule) {
        for (std::size_t a = 0; a < residency.all().size(); ++a) residency.forget(static_cast<int>(a));
        return plain(r, now, names, residency.all());
      }
      const auto instance = tdfg::bindRegion(*program, r, now);
      if (!instance) return instance.diagnostics();
      if (instance->isEmpty) return okStatus();
      const auto layout =
          lower::l3_sram::place(instance->bounding, tiles[static_cast<std::size_t>(region.lattice)], 1, cache());
      if (!layout) return layout.diagnostics();
      const auto code =
          lower::l3_sram::lowerRegion(*instance, *schedule, *layout, constantsOf(*instance, names, &residency));
      if (!code) return code.diagnostics();
      ++counts.inArrays;
      counts.spills += schedule->spills;
      return runRegion({&*program, &*instance, &*schedule, &*layout}, *code, names, residency);
    };
  };
  const Status first = visit(expected, plain);
  const Status second = visit(bits, lowered(inBits));
  const Status third = visit(words, lowered(inWords));
  inBits.takeOutAll();
  inWords.takeOutAll();
  ASSERT_EQ(first.ok(), second.ok()) << second.diagnostics().front().str();
  ASSERT_EQ(first.ok(), third.ok());
  if (!first) return;
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_TRUE(expected[a].bytes == bits[a].bytes) << program->arrays[a].name << kernel::print(graph);
    EXPECT_TRUE(expected[a].bytes == words[a].bytes) << program->arrays[a].name << kernel::print(graph);
  }
}

TEST(SramRegions, NeedTilesOfAPowerOfTwoWhereTheyReduce) {
  auto program = tdfg::fitStreams(
      {}, [](const auto &) { return kernel::parseNotation("y[i] += A[i,j]", {{"i", 40}, {"j", 200}}, DType::kI32); });
  ASSERT_TRUE(program);
  tdfg::extract(*program);
  const auto values = tdfg::bindSizes(*program, {});
  const auto instance = tdfg::bindRegion(*program, 0, *values);
  ASSERT_TRUE(instance);
  const auto schedule = tdfg::schedule(*program, 0, {256, 256});
  ASSERT_TRUE(schedule);
  const auto layout = lower::l3_sram::place(instance->bounding, std::vector<std::int64_t>{96, 2}, 4, cache());
  ASSERT_TRUE(layout);
  const std::vector<std::uint64_t> constants(instance->nodes.size());
  const auto code = lower::l3_sram::lowerRegion(*instance, *schedule, *layout, constants);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.diagnostics().front().code, "no-command");
}

/// A graph of one kernel, compiled by the target with its own mapping, equals the interpreter. Returns what the target
/// says of its choices.
std::vector<std::string> expectInterpreted(const kernel::Graph &graph,
                                           const std::vector<machine::Override> &overrides = {}) {
  EXPECT_TRUE(kernel::verify(graph).ok());
  const auto machine = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"}, overrides);
  EXPECT_TRUE(machine) << machine.diagnostics().front().str();
  const evaluate::Target &target = test::targetOf(*machine);
  const evaluate::GraphPart part{&graph};
  const auto mapping = target.reference(part, *machine, {}, {});
  EXPECT_TRUE(mapping) << mapping.diagnostics().front().str();
  const auto compiled = target.compile(part, *mapping, *machine, {}, {});
  EXPECT_TRUE(compiled) << compiled.diagnostics().front().str();
  kernel::DataSet data = kernel::makeData(graph, {}), expected = data;
  EXPECT_TRUE(kernel::interpret(graph, expected, {(*compiled)->order()}));
  const auto ran = (*compiled)->runOn(data, {});
  EXPECT_TRUE(ran) << ran.diagnostics().front().str();
  for (std::size_t t = 0; t < data.size(); ++t)
    EXPECT_TRUE(data[t].bytes == expected[t].bytes) << graph.tensors[t].name;
  return (*compiled)->choices();
}

TEST(SramRuntime, KeepsArraysInWordlinesFromRegionToRegion) {
  const auto machine = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine);
  constexpr std::int64_t kN = 3000;
  const auto graph = kernel::parseNotation("c[i] = a[i] + b[i]; d[i] = c[i] * a[i]; e[j] = c[j+1] - d[j]",
                                           {{"i", kN}, {"j", kN - 1}}, DType::kF32);
  ASSERT_TRUE(graph) << graph.diagnostics().front().str();
  auto program = tdfg::fitStreams({}, [&](const auto &) -> Result<kernel::Graph> { return *graph; });
  ASSERT_TRUE(program);
  tdfg::extract(*program);
  const auto binary = tdfg::makeFatBinary(std::move(*program));
  ASSERT_TRUE(binary);
  const auto runtime = Runtime::make(*binary, {}, *machine);
  ASSERT_TRUE(runtime) << runtime.diagnostics().front().str();
  kernel::DataSet given = kernel::makeData(*graph, {});
  given.resize(runtime->program().arrays.size());
  auto data = tdfg::prepare(runtime->program(), runtime->values(), given);
  ASSERT_TRUE(data);
  kernel::DataSet expected = given;
  ASSERT_TRUE(tdfg::execute(binary->program, {}, expected));
  const auto report = runtime->run(*data);
  ASSERT_TRUE(report) << report.diagnostics().front().str();
  for (std::size_t a = 0; a < expected.size(); ++a) EXPECT_TRUE((*data)[a].bytes == expected[a].bytes) << a;
  EXPECT_TRUE(report->left.empty());
  EXPECT_EQ(report->residency.layouts, 1);
  // a and b go in; c, d and e come out.
  EXPECT_EQ(report->residency.laidOut, 2 * kN);
  EXPECT_EQ(report->residency.takenOut, 3 * kN - 1);
  EXPECT_EQ(report->counts.lowered, 3);
}

/// A file with several graphs of one program: at sizes the cheapest runs, and computes the same bits.
TEST(SramRuntime, RunsTheVersionWhoseCommandsTakeLeast) {
  const auto machine =
      machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"}, {{"sram.rewrite", "strict"}});
  ASSERT_TRUE(machine);
  const auto graph = kernel::parseNotation(
      "o[i,j] = 3 * a[i,j] + 7 * a[i,j+1] + 3 * a[i,j+2] + 7 * a[i+1,j] + 7 * a[i+1,j+2] + 3 * a[i+2,j]",
      {{"i", 60}, {"j", 70}}, DType::kI32);
  ASSERT_TRUE(graph) << graph.diagnostics().front().str();
  auto program = tdfg::fitStreams({}, [&](const auto &) -> Result<kernel::Graph> { return *graph; });
  ASSERT_TRUE(program);
  tdfg::extract(*program);
  const std::vector<tdfg::Program> versions = versionsOf(*program, {}, *machine->sram);
  ASSERT_FALSE(versions.empty());
  const auto made = tdfg::makeFatBinary(*program, versions);
  ASSERT_TRUE(made);
  const std::string bytes = tdfg::writeFatBinary(*made);
  const auto binary = tdfg::readFatBinary(bytes, "versions.inf");
  ASSERT_TRUE(binary) << binary.diagnostics().front().str();
  EXPECT_EQ(tdfg::writeFatBinary(*binary), bytes);
  EXPECT_EQ(binary->versions.size(), versions.size());
  const auto runtime = Runtime::make(*binary, {}, *machine);
  ASSERT_TRUE(runtime) << runtime.diagnostics().front().str();
  EXPECT_GT(runtime->version(), 0U);
  kernel::DataSet given = kernel::makeData(*graph, {});
  given.resize(runtime->program().arrays.size());
  auto data = tdfg::prepare(runtime->program(), runtime->values(), given);
  ASSERT_TRUE(data);
  kernel::DataSet expected = given;
  ASSERT_TRUE(tdfg::execute(*program, {}, expected));
  const auto report = runtime->run(*data);
  ASSERT_TRUE(report);
  for (std::size_t a = 0; a < expected.size(); ++a) EXPECT_TRUE((*data)[a].bytes == expected[a].bytes) << a;
  const auto plain = Runtime::make(*tdfg::makeFatBinary(*program), {}, *machine);
  ASSERT_TRUE(plain);
  auto again = tdfg::prepare(plain->program(), plain->values(), given);
  const auto before = plain->run(*again);
  ASSERT_TRUE(before);
  EXPECT_LT(report->counts.time.total, before->counts.time.total);
  // Another program's graphs are no version of this one.
  auto other = tdfg::fitStreams(
      {}, [&](const auto &) { return kernel::parseNotation("o[i,j] = a[i,j]", {{"i", 60}, {"j", 70}}, DType::kI32); });
  ASSERT_TRUE(other);
  tdfg::extract(*other);
  const auto wrong = tdfg::makeFatBinary(*program, {*other});
  ASSERT_TRUE(wrong);
  const auto refused = tdfg::readFatBinary(tdfg::writeFatBinary(*wrong), "wrong.inf");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().code, "inf-streams");
}

TEST(SramTarget, ExchangesTwoArraysInOneRegion) {
  kernel::Graph graph;
  graph.name = "exchange";
  graph.tensors = {{"a", DType::kI32, {600}, kernel::Role::kInOut}, {"b", DType::kI32, {600}, kernel::Role::kInOut}};
  kernel::KernelBuilder b("exchange", {{"i", 600, kernel::DimKind::kParallel}});
  const int x = b.load(0, DType::kI32, {b.index(0)}), y = b.load(1, DType::kI32, {b.index(0)});
  b.store(0, {b.index(0)}, y);
  b.store(1, {b.index(0)}, x);
  graph.kernels.push_back(b.take());
  EXPECT_TRUE(expectInterpreted(graph).empty());
}

TEST(SramTarget, DoesNothingInRoundsWithoutPoints) {
  // For k, for i above 4k + 10: from the 14th round on there is no such i.
  kernel::Graph graph;
  graph.name = "triangle";
  graph.tensors = {{"a", DType::kI32, {30, 64}, kernel::Role::kInput}, {"x", DType::kI32, {64}, kernel::Role::kInOut}};
  kernel::KernelBuilder b("triangle", {{"k", 30, kernel::DimKind::kReduction}, {"i", 64, kernel::DimKind::kParallel}});
  const int a = b.load(0, DType::kI32, {b.index(0), b.index(1)});
  b.guard({{-4, 1}, -11});
  b.store(1, {b.index(1)}, a, kernel::Combine::kAdd);
  graph.kernels.push_back(b.take());
  EXPECT_TRUE(expectInterpreted(graph).empty());
}

TEST(SramTarget, SaysWhichSumsInTilesHaveNoOrderToCheck) {
  // For i, for k below i: lines end elsewhere from output to output.
  for (const DType type : {DType::kF32, DType::kI32})
    for (const bool isWhole : {false, true}) {
      kernel::Graph graph;
      graph.name = "sums";
      graph.tensors = {{"a", type, {40, 40}, kernel::Role::kInput}, {"y", type, {40}, kernel::Role::kInOut}};
      kernel::KernelBuilder b("sums", {{"i", 40, kernel::DimKind::kParallel}, {"k", 40, kernel::DimKind::kReduction}});
      const int a = b.load(0, type, {b.index(0), b.index(1)});
      if (!isWhole) b.guard({{1, -1}, -1});
      b.store(1, {b.index(0)}, a, kernel::Combine::kAdd);
      graph.kernels.push_back(b.take());
      const auto machine = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"});
      ASSERT_TRUE(machine);
      const evaluate::Target &target = test::targetOf(*machine);
      const evaluate::GraphPart part{&graph};
      const auto mapping = target.reference(part, *machine, {}, {});
      ASSERT_TRUE(mapping);
      const auto compiled = target.compile(part, *mapping, *machine, {}, {});
      ASSERT_TRUE(compiled) << compiled.diagnostics().front().str();
      EXPECT_EQ((*compiled)->whyUnchecked().empty(), isWhole || type == DType::kI32);
      if ((*compiled)->whyUnchecked().empty()) expectInterpreted(graph);
    }
}

TEST(SramTarget, LeavesARegionThatLacksWordlinesToStreamsOnce) {
  const auto graph = kernel::parseNotation("c[i,j] += a[i,k] * b[k,j]", {{"i", 32}, {"j", 32}, {"k", 32}}, DType::kI16);
  ASSERT_TRUE(graph);
  EXPECT_TRUE(expectInterpreted(*graph).empty());
  const std::vector<std::string> said = expectInterpreted(*graph, {{"sram.wordlines", "64"}});
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("wordlines"), std::string::npos) << said[0];
}

TEST(SramTarget, WarnsWhatStreamsRanAndWhy) {
  const auto machine = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine);
  const evaluate::Target &target = test::targetOf(*machine);
  const auto warning = [&](const char *text, const kernel::Sizes &sizes) {
    const auto graph = kernel::parseNotation(text, sizes, DType::kF32);
    EXPECT_TRUE(graph) << graph.diagnostics().front().str();
    const evaluate::GraphPart part{&*graph};
    const auto compiled = target.compile(part, *target.reference(part, *machine, {}, {}), *machine, {}, {});
    EXPECT_TRUE(compiled) << compiled.diagnostics().front().str();
    const auto run = (*compiled)->run({});
    EXPECT_TRUE(run) << run.diagnostics().front().str();
    return run->warnings.empty() ? std::string() : run->warnings.front();
  };
  EXPECT_EQ(warning("c[i] = a[i] + b[i]", {{"i", 64}}), "");
  const std::string all = warning("b[i] = exp(a[i])", {{"i", 64}}),
                    some = warning("b[j,i] = a[i,j] * a[i,j]", {{"i", 64}, {"j", 64}});
  EXPECT_EQ(all.find("all of"), 0U) << all;
  EXPECT_NE(all.find("'exp', which arrays do not compute"), std::string::npos) << all;
  EXPECT_EQ(some.find("a part of"), 0U) << some;
  EXPECT_NE(some.find("it lies across the lattice"), std::string::npos) << some;
}

TEST(SramRegions, OfRandomAffineKernelsComputeWhatTheReferenceExecutorDoes) {
  Rng rng(31);
  Counts counts;
  const std::int64_t n = test::caseCount(60);
  for (int i = 0; i < n; ++i) {
    test::RandomAffineGraph random(rng, kTypes[i % 10]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    expectSame(graph, 1 + static_cast<std::uint64_t>(i), counts);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(counts.inArrays, n / 10);
  std::cout << counts.inArrays << " regions of " << counts.cases << " kernels in arrays, " << counts.spills
            << " spills\n";
}

TEST(SramRegions, OfRandomKernelsWithIndicesFromDataComputeWhatTheReferenceExecutorDoes) {
  Rng rng(32);
  Counts counts;
  const std::int64_t n = test::caseCount(40);
  for (int i = 0; i < n; ++i) {
    test::RandomDataGraph random(rng, kTypes[i % 10]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    expectSame(graph, 1 + static_cast<std::uint64_t>(i), counts);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(counts.inArrays, 0);
  std::cout << counts.inArrays << " regions of " << counts.cases << " kernels in arrays, " << counts.spills
            << " spills\n";
}

}  // namespace
}  // namespace pimento::targets::l3_sram
