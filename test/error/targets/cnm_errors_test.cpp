// Kernels and mappings that have no virtual instructions: each with its code, by how much, and what to do.
#include <gtest/gtest.h>

#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/cnm/lower.h"
#include "test/support/random_unit_program.h"

namespace pimento::test {
namespace {

machine::Machine pipeline() {
  return unitMachine(machine::Compute::Mode::kPipeline, 8);
}

void expectRefusal(const kernel::Graph &graph, const std::string &map, const std::string &code,
                   const std::string &message, const machine::Machine &machine = pipeline()) {
  const auto spec = mapping::parseMapSpec(map);
  ASSERT_TRUE(spec.ok()) << map;
  const auto lowered = targets::cnm::lower(graph, 0, spec->mapping, machine);
  ASSERT_FALSE(lowered.ok()) << map;
  const Diagnostic &d = lowered.diagnostics().front();
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty()) << d.str();
}

kernel::Graph notation(const std::string &text, const kernel::Sizes &sizes, DType type = DType::kI32) {
  const auto graph = kernel::parseNotation(text, sizes, type);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return *graph;
}

kernel::Graph zoo(const std::string &name, const kernel::Sizes &sizes) {
  const auto graph = kernel::makeZooKernel(name, sizes, DType::kI32);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return *graph;
}

TEST(CnmErrors, MachinesWithoutCostsCannotRunThem) {
  machine::Machine m = pipeline();
  m.compute.reset();
  expectRefusal(notation("y[i] = x[i]", {{"i", 64}}), "M1:{(1),(1),(1),(64)}", "unsupported-machine", "does not say",
                m);
}

TEST(CnmErrors, SelectionsAndScansHaveNone) {
  expectRefusal(zoo("sel", {{"n", 64}}), "M1:{(1),(1),(1),(64)}", "unsupported-form", "selects or counts by values");
  expectRefusal(zoo("scan", {{"n", 64}}), "M1:{(1),(1),(1),(64)}", "unsupported-form", "depend on one another");
}

TEST(CnmErrors, LoopsThatDataBoundHaveNone) {
  expectRefusal(notation("y[i] += v[e] for e in p[i]..p[i+1]", {{"i", 64}, {"e", 90}}),
                "M1:{(1,1),(1,1),(1,1),(64,90)}", "unsupported-form", "data say how far dim 'e' runs");
}

TEST(CnmErrors, MappingsAreOnePieceContiguousAndPadded) {
  const kernel::Graph copy = notation("y[i] = x[i]", {{"i", 64}});
  expectRefusal(copy, "M1:{(1),(1),(1),(32)},M2:{(1),(1),(1),(32)}", "unsupported-mapping", "2 subspaces");
  expectRefusal(copy, "M1:{(1),(1),(8),(8)};cyclic(thread,4)", "unsupported-mapping", "split cyclically");
  expectRefusal(copy, "M1:{(1),(1),(8),(8)};tail=truncate", "unsupported-mapping", "tails are padded");
}

TEST(CnmErrors, ATensorIsNotReadElsewhereThanWritten) {
  kernel::Graph graph = notation("y[i] = x[i]", {{"i", 64}});
  kernel::Kernel &k = graph.kernels[0];
  graph.tensors[static_cast<std::size_t>(k.stores[0].target.tensor)].role = kernel::Role::kInOut;
  k.loads.push_back(k.stores[0].target);
  k.loads.back().index[0].constant = 1;
  expectRefusal(graph, "M1:{(1),(1),(1),(64)}", "unsupported-pattern", "reads elsewhere");
  k.loads.pop_back();
  k.stores.push_back(k.stores[0]);
  expectRefusal(graph, "M1:{(1),(1),(1),(64)}", "unsupported-pattern", "stores to one tensor twice");
}

TEST(CnmErrors, MemoriesHaveEnds) {
  const kernel::Graph sum = notation("y[i] += A[i,j] * x[j]", {{"i", 64}, {"j", 1 << 20}});
  expectRefusal(sum, "M1:{(1,1),(1,1),(1,1),(64,1048576)}", "capacity", "bytes of the bank");
  machine::Machine m = pipeline();
  m.unitMemory->scratchpad = Bytes(64);
  expectRefusal(notation("y[i] += A[i,j] * x[j]", {{"i", 64}, {"j", 8}}), "M1:{(1,1),(1,1),(8,1),(8,8)}", "capacity",
                "of the scratchpad per thread", m);
}

TEST(CnmErrors, OperationsThatAMachineLacksAreNamed) {
  machine::Machine m = pipeline();
  auto &operations = m.compute->operations.front().operations;
  operations.erase(std::find(operations.begin(), operations.end(), "mul"));
  expectRefusal(notation("y[i] = x[i] * x[i]", {{"i", 64}}), "M1:{(1),(1),(8),(8)}", "unsupported-operation",
                "has no 'mul' on i32", m);
}

}  // namespace
}  // namespace pimento::test
