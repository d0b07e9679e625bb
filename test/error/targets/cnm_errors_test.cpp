// Kernels and mappings that have no virtual instructions: each with its code, by how much, and what to do.
#include <gtest/gtest.h>

#include "pimento/kernel/builder.h"
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
  expectRefusal(notation("y[i] = x[i]", {{"i", 64}}), "M1:{(1),(1),(1),(64)}", "unsupported-machine", "has no costs",
                m);
}

TEST(CnmErrors, SelectionsHaveNone) {
  expectRefusal(zoo("sel", {{"n", 64}}), "M1:{(1),(1),(1),(64)}", "unsupported-form", "it selects by value");
  expectRefusal(notation("o[i] append= x[i,j] if x[i,j] > 0 count n[i] limit 3", {{"i", 8}, {"j", 9}}),
                "M1:{(1,1),(1,1),(8,1),(1,9)}", "unsupported-form", "it selects by value");
}

TEST(CnmErrors, WhatPointsHandOnIsInOneThread) {
  const char *said = "pass on values that they update in place";
  expectRefusal(zoo("scan", {{"n", 64}}), "M1:{(1),(1),(8),(8)}", "unsupported-mapping", said);
  expectRefusal(notation("h[p[i]] += x[i]", {{"i", 64}, {"h", 5}}, DType::kF32), "M1:{(1),(1),(8),(8)}",
                "unsupported-mapping", said);
  expectRefusal(notation("m[i] min= x[i,j] with b[i] = j", {{"i", 8}, {"j", 9}}), "M1:{(1,1),(1,1),(1,3),(8,3)}",
                "unsupported-mapping", said);
  expectRefusal(notation("m[i] min= x[i,j,k] with b[i] = j", {{"i", 8}, {"j", 9}, {"k", 2}}),
                "M1:{(1,1,1),(1,1,1),(8,1,1),(1,9,2)};order(i,k,j)", "unsupported-mapping", "in the order of its dims");
}

TEST(CnmErrors, AnIndexFromDataAndOneBeyondAGuardDoNotGoTogether) {
  // y[i - 1, p[i]] is read while y[j, i] is written: what is whole in the array has no element -1.
  kernel::KernelBuilder b("y", {{"i", 8, kernel::DimKind::kSequential}, {"j", 8, kernel::DimKind::kSequential}});
  const int p = b.load(1, DType::kI32, {b.index(0)});
  b.store(0, {b.index(1), b.index(0)}, b.load(DType::kI32, {0, {b.index(0, 1, -1), b.at(0)}, 1, p}));
  b.guard(b.index(0, 1, -1));
  kernel::Graph graph;
  graph.tensors = {{"y", DType::kI32, {8, 8}, kernel::Role::kInOut}, {"p", DType::kI32, {8}, kernel::Role::kInput}};
  graph.kernels.push_back(b.take());
  ASSERT_TRUE(kernel::verify(graph).ok()) << kernel::verify(graph).diagnostics().front().str();
  expectRefusal(graph, "M1:{(1,1),(1,1),(1,1),(8,8)}", "unsupported-pattern",
                "with its index from data, index 1 of 'y' runs over -1..6");
}

TEST(CnmErrors, LoopsThatDataBoundHaveNone) {
  expectRefusal(notation("y[i] += v[e] for e in p[i]..p[i+1]", {{"i", 64}, {"e", 90}}),
                "M1:{(1,1),(1,1),(1,1),(64,90)}", "unsupported-form", "the bounds of dim 'e' come from data");
}

TEST(CnmErrors, MappingsAreOnePieceContiguousAndPadded) {
  const kernel::Graph copy = notation("y[i] = x[i]", {{"i", 64}});
  expectRefusal(copy, "M1:{(1),(1),(1),(32)},M2:{(1),(1),(1),(32)}", "unsupported-mapping", "2 subspaces");
  expectRefusal(copy, "M1:{(1),(1),(8),(8)};cyclic(thread,4)", "unsupported-mapping", "split cyclically");
  expectRefusal(copy, "M1:{(1),(1),(8),(8)};tail=truncate", "unsupported-mapping", "tails are always padded");
}

TEST(CnmErrors, WhatIsAccumulatedIsNotReadMeanwhile) {
  kernel::Graph graph = notation("m[i] min= x[i,j] with b[i] = j", {{"i", 8}, {"j", 9}});
  kernel::Kernel &k = graph.kernels[0];
  k.loads.push_back(k.stores[1].target);
  expectRefusal(graph, "M1:{(1,1),(1,1),(8,1),(1,9)}", "unsupported-pattern", "reads 'b' while it accumulates it");
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
