// Random affine kernels under random mappings, compiled for DPUs, against the reference interpreter.
#include <gtest/gtest.h>

#include "pimento/mapping/borders.h"
#include "test/support/cases.h"
#include "test/support/compiled_run.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/random_affine_graph.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

TEST(CompiledRandom, AffineKernelsAreRight) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  const std::int64_t wanted = caseCount(40);
  constexpr DType kTypes[] = {DType::kI32, DType::kI8,  DType::kU16, DType::kI64, DType::kF32,
                              DType::kU32, DType::kI16, DType::kU8,  DType::kF16, DType::kF64};
  const machine::Machine machine = handUpmemWithRoom();
  LlvmDpuCompiler compiler;
  Rng rng(20261);
  int ran = 0, refused = 0;
  for (std::int64_t n = 0; ran < wanted && n < 20 * wanted; ++n) {
    RandomAffineGraph random(rng, kTypes[n % 10]);
    const kernel::Graph graph = random.make();
    mapping::Mapping m = random.mappingOf(graph.kernels[0], 4);
    m.mergeAt = n % 3 == 0   ? mapping::MergeAt::kCheapest
                : n % 3 == 1 ? mapping::MergeAt::kDevice
                             : mapping::MergeAt::kHost;
    if (!kernel::verify(graph)) continue;
    const std::string wrong =
        runCompiled(graph, 0, m, machine, &compiler, kernel::makeData(graph, {.seed = static_cast<std::uint64_t>(n)}));
    if (wrong.starts_with("lower: ") &&
        (wrong.find("[capacity]") != std::string::npos || wrong.find("[mapping-") != std::string::npos)) {
      ++refused;
      continue;
    }
    ++ran;
    EXPECT_EQ(wrong, "") << "number " << n << " under " << m.text << "\n" << kernel::print(graph);
  }
  EXPECT_EQ(ran, wanted) << refused << " were refused";
}

// Tiles that by(...) cuts, of several lengths and empty ones: the answers are right, a tile that is one element short
// is not, and DPUs that do the same are told from others.
TEST(CompiledRandom, TilesWithBordersInATensorAreRight) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  namespace compiled = targets::upmem::compiled;
  const std::int64_t wanted = caseCount(24);
  constexpr DType kTypes[] = {DType::kI32, DType::kF32, DType::kI16, DType::kU8, DType::kF16, DType::kI64};
  const machine::Machine machine = handUpmemWithRoom();
  LlvmDpuCompiler compiler;
  const auto cache = std::make_shared<Cache>();
  Rng rng(20262);
  int ran = 0, caught = 0, timed = 0;
  for (std::int64_t n = 0; ran < wanted && n < 80 * wanted; ++n) {
    RandomAffineGraph random(rng, kTypes[n % 6]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph)) continue;
    const auto drafts = mapping::BorderChoices(graph, 0, machine).of(random.mappingOf(graph.kernels[0], 4));
    if (drafts.empty()) continue;
    const mapping::Mapping &m = drafts[rng.below(drafts.size())];
    SCOPED_TRACE("number " + std::to_string(n) + " under " + m.text + "\n" + kernel::print(graph));
    const auto lowered = compiled::lower(graph, 0, m, machine, &compiler, *cache);
    if (!lowered) {
      const Diagnostic &d = lowered.diagnostics().front();
      EXPECT_TRUE(d.code == "capacity" || d.code == "unsupported-mapping") << d.str();
      continue;
    }
    ++ran;
    const kernel::DataSet data = kernel::makeData(graph, {.seed = static_cast<std::uint64_t>(n)});
    EXPECT_EQ(runLowered(graph, 0, *lowered, *lowered->plan, machine, data), "");
    auto source = compiled::writeSource(graph, 0, m, machine);
    ASSERT_TRUE(source.ok());
    for (lower::Axis &a : source->scheme.axes)
      if (!a.borders.empty()) --std::ranges::max_element(a.borders, {}, &mapping::Stretch::count)->end;
    const compiled::Plan wrong(std::move(source->scheme), std::move(source->written.arguments),
                               std::shared_ptr<const program::Code>(lowered->image, &lowered->image->code));
    caught += runLowered(graph, 0, *lowered, wrong, machine, data).empty() ? 0 : 1;

    evaluate::Request r;
    r.graph = &graph;
    r.machine = &machine;
    r.target = &targetOf(machine);
    r.tools = {&compiler, cache};
    r.maps = {{mapping::MapSpec::Kind::kExplicit, m}};
    const auto estimated = evaluate::evaluate(r);
    if (!estimated) continue;  // values decide its time
    kernel::DataSet given = data;
    r.isSimulation = true;
    r.data = &given;
    const auto simulated = evaluate::evaluate(r);
    ASSERT_TRUE(simulated.ok()) << simulated.diagnostics().front().str();
    EXPECT_TRUE(simulated->isChecked);
    EXPECT_EQ(estimated->cycles, simulated->cycles);
    EXPECT_EQ(estimated->energy.total, simulated->energy.total);
    ++timed;
  }
  EXPECT_EQ(ran, wanted);
  // Where guards leave out the last values, a body gives 0, or a maximum is of other values, one less changes nothing.
  EXPECT_GT(3 * caught, ran);
  EXPECT_GT(4 * timed, ran);
}

}  // namespace
}  // namespace pimento::test
