// The lower bound of a compiled program's time and actions is never above what the program takes.
#include <gtest/gtest.h>

#include "pimento/kernel/builder.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/upmem/compiled/lower.h"
#include "test/support/cases.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/random_affine_graph.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

class CompiledBound : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  }

  /// Whether the mapping compiles; then the bound holds, on random data where those decide.
  bool expectBelow(const kernel::Graph &graph, const mapping::Mapping &m, const machine::Machine &machine,
                   std::uint64_t seed = 1) {
    const auto compiled = targetOf(machine).compile({&graph}, m, machine, "plain", {&compiler_, sharedCache()});
    if (!compiled) return false;
    const kernel::DataSpec values =
        isTold_ ? kernel::DataSpec{kernel::DataSpec::Kind::kConst, 5, 5, seed} : kernel::DataSpec{.seed = seed};
    const bool isKnown = isTold_ || isRandomKnown_;
    const auto run = (*compiled)->run({.isFastForward = true, .values = &values});
    if (!run || run->interval) return false;
    const evaluate::DeviceRun bound = (*compiled)->bound(isKnown ? &values : nullptr);
    const std::string text = graph.name + " " + mapping::print(m) + "\n" + kernel::print(graph);
    EXPECT_LE(bound.cycles, run->cycles) << text;
    for (const auto &[action, n] : bound.actions) EXPECT_LE(n, run->actions.of(action)) << text << " " << action;
    ++compared_;
    tightness_ += static_cast<double>(bound.cycles.value) / static_cast<double>(run->cycles.value);
    return true;
  }

  void expectBelowEverywhere(const std::string &kernel, const kernel::Sizes &sizes, int every,
                             const mapping::MapSpec &spec = {}, const machine::Machine &machine = handUpmemWithRoom()) {
    const auto graph = kernel::makeZooKernel(kernel, sizes, DType::kI32);
    ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
    const auto all = targets::upmem::compiled::mappingSpace(*graph, 0, machine, spec);
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(every)) expectBelow(*graph, all[i], machine);
  }

  void expectBelowOfRandom(int usual) {
    const std::int64_t wanted = caseCount(usual);
    constexpr DType kTypes[] = {DType::kI32, DType::kI8, DType::kI64, DType::kF32, DType::kU16};
    const machine::Machine machine = handUpmemWithRoom();
    Rng rng(20262);
    for (std::int64_t n = 0; compared_ < wanted && n < 20 * wanted; ++n) {
      RandomAffineGraph random(rng, kTypes[n % 5]);
      const kernel::Graph graph = random.make();
      mapping::Mapping m = random.mappingOf(graph.kernels[0], 4);
      if (n % 2 == 0) m.mergeAt = mapping::MergeAt::kDevice;
      if (kernel::verify(graph)) expectBelow(graph, m, machine, static_cast<std::uint64_t>(n));
    }
    EXPECT_EQ(compared_, wanted);
  }

  double tightness() const { return tightness_ / compared_; }

  bool isTold_ = false;         ///< that operands are constant
  bool isRandomKnown_ = false;  ///< bounds know that operands are random
  int compared_ = 0;
  double tightness_ = 0;
  LlvmDpuCompiler compiler_;
};

TEST_F(CompiledBound, OfAdditionIsBelowEveryMappingAndClose) {
  expectBelowEverywhere("va", {{"n", 50000}}, 3);
  EXPECT_GT(compared_, 20);
  EXPECT_GT(tightness(), 0.85);
}

TEST_F(CompiledBound, OfOtherKernelsIsBelow) {
  expectBelowEverywhere("red", {{"n", 30000}}, 17);
  expectBelowEverywhere("relu", {{"n", 20001}}, 17);
  expectBelowEverywhere("gemv", {{"m", 70}, {"n", 300}}, 29);
  expectBelowEverywhere("scan", {{"n", 5000}}, 41);
  expectBelowEverywhere("sel", {{"n", 3000}}, 41);
  EXPECT_GT(compared_, 20);
}

TEST_F(CompiledBound, OfProductsWithConstantsIsBelowAndClose) {
  isTold_ = true;
  expectBelowEverywhere("gemv", {{"m", 70}, {"n", 300}}, 29);
  expectBelowEverywhere("gemm", {{"m", 9}, {"n", 40}, {"k", 100}}, 41);
  EXPECT_GT(compared_, 20);
  EXPECT_GT(tightness(), 0.5);
}

TEST_F(CompiledBound, OfProductsWithRandomIntegersIsBelowAndClose) {
  isRandomKnown_ = true;
  expectBelowEverywhere("gemv", {{"m", 70}, {"n", 300}}, 29);
  expectBelowEverywhere("gemm", {{"m", 9}, {"n", 40}, {"k", 100}}, 41);
  expectBelowEverywhere("mul", {{"n", 9000}}, 31);
  EXPECT_GT(compared_, 30);
  EXPECT_GT(tightness(), 0.5);
}

TEST_F(CompiledBound, OfRandomKernelsOnRandomDataIsBelow) {
  isRandomKnown_ = true;
  expectBelowOfRandom(30);
}

TEST_F(CompiledBound, OfRandomKernelsOnConstantsIsBelow) {
  isTold_ = true;
  expectBelowOfRandom(30);
}

TEST_F(CompiledBound, OnMachinesThatNobodyBuiltIsBelow) {
  for (const std::int64_t ports : {2, 16})
    for (const bool isConstant : {false, true}) {
      machine::Machine machine = handUpmemWithRoom();
      machine.dpu->transferPorts = ports;
      machine.dpu->mramModel = isConstant ? "constant" : "table";
      machine.dpu->constantTransfer = 60.7;
      machine.dpu->multiplier = Cycles(44);
      machine.dpu->issueInterval = Cycles(isConstant ? 4 : 11);
      expectBelowEverywhere("va", {{"n", 50000}}, 13, {}, machine);
      expectBelowEverywhere("gemv", {{"m", 70}, {"n", 300}}, 57, {}, machine);
      expectBelowEverywhere("sel", {{"n", 3000}}, 83, {}, machine);
    }
  EXPECT_GT(compared_, 40);
  EXPECT_GT(tightness(), 0.5);
}

TEST_F(CompiledBound, OfProgramsWhoseTaskletsMergeIsBelow) {
  mapping::MapSpec merging;
  merging.mapping.mergeAt = mapping::MergeAt::kDevice;
  expectBelowEverywhere("red", {{"n", 30000}}, 17, merging);
  expectBelowEverywhere("gemv", {{"m", 3}, {"n", 3000}}, 29, merging);
  EXPECT_GT(compared_, 20);
  EXPECT_GT(tightness(), 0.4);
}

TEST_F(CompiledBound, OfTaskletsAlongSeveralDimsIsBelow) {
  using kernel::DimKind;
  // Idle tasklets ask dim by dim whether they have something to do.
  kernel::Graph graph;
  graph.tensors = {{"x", DType::kI64, {7}, kernel::Role::kInput}, {"y", DType::kI64, {2, 7, 3}, kernel::Role::kOutput}};
  kernel::KernelBuilder k("turned",
                          {{"i", 7, DimKind::kParallel}, {"j", 3, DimKind::kParallel}, {"k", 2, DimKind::kParallel}});
  k.store(1, {k.index(2), k.index(0), k.index(1)}, k.load(0, DType::kI64, {k.index(0, -1, 6)}),
          kernel::Combine::kAssign);
  graph.kernels.push_back(k.take());
  ASSERT_TRUE(kernel::verify(graph)) << kernel::verify(graph).diagnostics().front().str();
  for (const char *map : {"M1:{(2,1,1),(1,1,1),(3,3,2),(2,1,1)}", "M1:{(1,1,1),(1,1,1),(3,3,2),(3,1,1)}"}) {
    const auto m = mapping::parseMapSpec(map);
    ASSERT_TRUE(m.ok()) << m.diagnostics().front().str();
    EXPECT_TRUE(expectBelow(graph, m->mapping, handUpmemWithRoom())) << map;
  }
}

TEST_F(CompiledBound, OfRandomKernelsIsBelow) {
  expectBelowOfRandom(40);
}

/// Larger transfers that take less than smaller ones, ports, a DRAM with rows: what tells occupancies apart.
TEST_F(CompiledBound, OfRandomKernelsOnRandomMachinesIsBelow) {
  const std::int64_t wanted = caseCount(24);
  Rng rng(77);
  for (int n = 0; compared_ < wanted && n < 20 * wanted; ++n) {
    machine::Machine machine = handUpmemWithRoom();
    machine::Dpu &dpu = *machine.dpu;
    dpu.transferPorts = rng.integer(1, 4);
    dpu.mramModel = n % 3 == 0 ? "dram-rows" : n % 3 == 1 ? "table" : "constant";
    dpu.constantTransfer = rng.real(1, 900);
    dpu.rows = {Bytes(1024), Bytes(8), rng.real(0, 60), rng.real(0, 90), rng.real(0.5, 9)};
    for (auto *table : {&dpu.reads, &dpu.writes})
      for (machine::Dpu::Transfer &t : *table) {
        t.occupancy = rng.real(5, 1500);
        t.latency = t.occupancy + rng.real(0, 100);
      }
    RandomAffineGraph random(rng, n % 2 == 0 ? DType::kI32 : DType::kI8);
    const kernel::Graph graph = random.make();
    const mapping::Mapping m = random.mappingOf(graph.kernels[0], 4);
    if (kernel::verify(graph)) expectBelow(graph, m, machine, static_cast<std::uint64_t>(n));
  }
  EXPECT_EQ(compared_, wanted);
}

}  // namespace
}  // namespace pimento::test
