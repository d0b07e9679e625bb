// Kernels under random mappings as virtual instructions, on a pipeline with a scratchpad and on a vector unit without:
// the answer against the reference interpreter, the time of one evaluator against the other, the text against itself.
#include <gtest/gtest.h>

#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/text.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/random_affine_graph.h"
#include "test/support/random_data_graph.h"
#include "test/support/random_unit_program.h"
#include "test/support/target_of.h"
#include "test/support/triangle_graph.h"

namespace pimento::test {
namespace {

machine::Machine machineOf(machine::Compute::Mode mode) {
  machine::Machine m = unitMachine(mode, 24);
  m.clockGHz = 1;
  m.host.linkGBps = m.host.memoryGBps = m.host.mergeGops = m.host.peakGflops = 1;
  m.host.writeEfficiency = m.host.readEfficiency = 1;
  m.levels[0].count = 4;
  if (mode == machine::Compute::Mode::kVector) m.unitMemory->scratchpad = Bytes(0);
  m.unitMemory->isBlocking = mode == machine::Compute::Mode::kVector;
  return m;
}

std::string checkOne(const kernel::Graph &graph, const mapping::Mapping &m, const machine::Machine &machine,
                     std::uint64_t seed) {
  evaluate::Request request;
  request.graph = &graph;
  request.machine = &machine;
  request.target = &targetOf(machine);
  request.tools.cache = sharedCache();
  request.maps = {{mapping::MapSpec::Kind::kExplicit, m}};
  const Result<evaluate::Report> fast = evaluate::evaluate(request);
  if (!fast) return "estimate: " + fast.diagnostics().front().str();
  kernel::DataSet data = kernel::makeData(graph, {.seed = seed});
  request.isSimulation = true;
  request.data = &data;
  const Result<evaluate::Report> full = evaluate::evaluate(request);
  if (!full) return "simulate: " + full.diagnostics().front().str();
  if (!full->isChecked) return "wrong answer: " + (full->warnings.empty() ? "" : full->warnings.front());
  if (agreedPart(*fast) != agreedPart(*full)) return "estimate differs:\n" + agreedPart(*fast) + agreedPart(*full);
  const Result<evaluate::CompiledGraph> compiled = evaluate::compile(request);
  const auto &kernel = *compiled->front().compiled;
  if (kernel.bound(nullptr).cycles > full->cycles) return "the bound is above the time";
  const Result<program::Program> back = program::parse(program::print(kernel.program()));
  if (!back) return "text: " + back.diagnostics().front().str();
  return *back == kernel.program() ? "" : "the text reads back as another program";
}

TEST(CnmRandom, AffineKernelsAreRightAndTimedAlike) {
  const std::int64_t wanted = caseCount(1500);
  constexpr DType kTypes[] = {DType::kI32, DType::kI8,  DType::kU16, DType::kI64,  DType::kF32,
                              DType::kU32, DType::kF16, DType::kU8,  DType::kBF16, DType::kF64};
  Rng rng(606);
  int ran = 0, refused = 0;
  for (std::int64_t n = 0; ran < wanted && n < 20 * wanted; ++n) {
    const machine::Machine machine =
        machineOf(n % 2 == 0 ? machine::Compute::Mode::kPipeline : machine::Compute::Mode::kVector);
    RandomAffineGraph random(rng, kTypes[n % 10]);
    const kernel::Graph graph = random.make();
    const mapping::Mapping m = random.mappingOf(graph.kernels[0], 4);
    if (!kernel::verify(graph)) continue;
    const std::string wrong = checkOne(graph, m, machine, static_cast<std::uint64_t>(n));
    if (wrong.find("[capacity]") != std::string::npos || wrong.find("[mapping-") != std::string::npos ||
        wrong.find("[unsupported-pattern]") != std::string::npos) {
      ++refused;
      continue;
    }
    ++ran;
    ASSERT_EQ(wrong, "") << "number " << n << " under " << m.text << "\n" << kernel::print(graph);
  }
  EXPECT_EQ(ran, wanted) << refused << " were refused";
}

TEST(CnmRandom, KernelsThatGoWhereDataSayOrInOrderAreRightAndTimedAlike) {
  const std::int64_t wanted = caseCount(1500);
  constexpr DType kTypes[] = {DType::kI32, DType::kF32, DType::kU16, DType::kI64, DType::kF16, DType::kI8};
  Rng rng(707);
  int ran = 0, split = 0;
  for (std::int64_t n = 0; ran < wanted && n < 20 * wanted; ++n) {
    machine::Machine machine =
        machineOf(n % 2 == 0 ? machine::Compute::Mode::kPipeline : machine::Compute::Mode::kVector);
    if (n % 8 >= 4) machine.unitMemory->scratchpad = Bytes(machine.unitMemory->scratchpad.value / 16);
    const kernel::Graph graph = RandomDataGraph(rng, kTypes[n % 6]).make();
    RandomAffineGraph random(rng, DType::kI32);
    mapping::Mapping m = random.mappingOf(graph.kernels[0], 4);
    if (!kernel::verify(graph)) continue;
    std::string wrong = checkOne(graph, m, machine, static_cast<std::uint64_t>(n));
    if (wrong.find("[mapping-") != std::string::npos || wrong.find("[unsupported-mapping]") != std::string::npos) {
      for (std::size_t l = 0; l < 3; ++l)
        for (std::size_t d = 0; d < graph.kernels[0].dims.size(); ++d) m.subspaces[0].factors[l][d] = 1;
      for (std::size_t d = 0; d < graph.kernels[0].dims.size(); ++d)
        m.subspaces[0].factors[3][d] = graph.kernels[0].dims[d].extent;
      m.text = mapping::print(m);
      wrong = checkOne(graph, m, machine, static_cast<std::uint64_t>(n));
    } else {
      ++split;
    }
    if (wrong.find("[capacity]") != std::string::npos) continue;
    ++ran;
    ASSERT_EQ(wrong, "") << "number " << n << " under " << m.text << "\n" << kernel::print(graph);
  }
  EXPECT_EQ(ran, wanted);
  EXPECT_GT(split, ran / 3);
}

TEST(CnmGuards, ResultsThatNoPointWritesAreNotTouched) {
  using kernel::Role;
  for (const char *map : {"M1:{(2,1),(1,1),(4,2),(6,20)}", "M1:{(1,1),(1,1),(8,1),(6,40)}"})
    for (const auto mode : {machine::Compute::Mode::kPipeline, machine::Compute::Mode::kVector})
      for (const Role role : {Role::kInOut, Role::kOutput})
        for (const bool isInRow : {false, true}) {
          const kernel::Graph graph = triangleGraph(40, DType::kF32, kernel::Combine::kAdd, role, isInRow);
          EXPECT_EQ(checkOne(graph, mapping::parseMapSpec(map)->mapping, machineOf(mode), 3), "") << map;
        }
}

TEST(CnmTiles, RangesWithoutDivisorsAreRoundedUpAndStillRight) {
  machine::Machine machine = machineOf(machine::Compute::Mode::kPipeline);
  machine.unitMemory->scratchpad = Bytes(24 * 256);
  const auto cyclesOf = [&](const char *name, const kernel::Sizes &sizes, const std::string &map) {
    const auto graph = kernel::makeZooKernel(name, sizes, DType::kF32);
    EXPECT_TRUE(graph.ok());
    const auto spec = mapping::parseMapSpec(map);
    EXPECT_EQ(checkOne(*graph, spec->mapping, machine, 7), "") << name << " " << map;
    evaluate::Request request;
    request.graph = &*graph;
    request.machine = &machine;
    request.target = &targetOf(machine);
    request.tools.cache = sharedCache();
    request.maps = {*spec};
    return evaluate::evaluate(request)->cycles.value;
  };
  // Split over units and threads, the last of which are left with less or with nothing.
  EXPECT_LT(cyclesOf("va", {{"n", 4 * 8 * 211}}, "M1:{(4),(1),(8),(211)}"),
            cyclesOf("va", {{"n", 4 * 8 * 224}}, "M1:{(4),(1),(8),(224)}") * 11 / 10);
  EXPECT_LT(cyclesOf("red", {{"n", 4 * 8 * 211 - 3}}, "M1:{(4),(1),(8),(211)}"),
            2 * cyclesOf("red", {{"n", 4 * 8 * 224}}, "M1:{(4),(1),(8),(224)}"));
  // The reduction is masked, the rows are not; where the machine cannot mask, the range stays as it is.
  EXPECT_LT(cyclesOf("gemv", {{"m", 32}, {"n", 211}}, "M1:{(4,1),(1,1),(8,1),(1,211)}"),
            2 * cyclesOf("gemv", {{"m", 32}, {"n", 224}}, "M1:{(4,1),(1,1),(8,1),(1,224)}"));
  for (machine::Compute::Operation &o : machine.compute->operations) std::erase(o.operations, "test");
  EXPECT_GT(cyclesOf("gemv", {{"m", 32}, {"n", 211}}, "M1:{(4,1),(1,1),(8,1),(1,211)}"), 0);
}

}  // namespace
}  // namespace pimento::test
