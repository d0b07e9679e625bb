#include "pimento/lower/operand.h"

#include <gtest/gtest.h>

#include <set>

#include "pimento/kernel/linear.h"
#include "pimento/kernel/notation.h"
#include "pimento/lower/host_data.h"
#include "test/unit/mapping/fixtures.h"

namespace pimento::lower::test {
namespace {

using namespace mapping::test;
using kernel::DimKind;

/// A kernel of two dims that reads one tensor with random indices, all of them in it.
kernel::Graph reading(Random &random) {
  kernel::Graph graph;
  kernel::Kernel k = nest({{"i", pick(random, 6), DimKind::kParallel}, {"j", pick(random, 5), DimKind::kParallel}});
  const std::size_t rank = 1 + random() % 2;
  std::vector<kernel::Affine> lines;
  for (std::size_t p = 0; p < rank; ++p) lines.push_back(index({pick(random, 7) - 4, pick(random, 7) - 4}));
  kernel::Tensor t{"x", DType::kI32, std::vector<std::int64_t>(rank, 1), kernel::Role::kInput};
  for (int n = 0; n < 3; ++n) k.loads.push_back({0, lines});
  for (std::size_t p = 0; p < rank; ++p) {
    std::int64_t low = 0, high = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t most = lines[p].coefficients[d] * (k.dims[d].extent - 1);
      (most < 0 ? low : high) += most;
    }
    for (kernel::Access &a : k.loads) a.index[p].constant = -low + pick(random, 4) - 1;
    t.shape[p] = high - low + 4;
  }
  graph.tensors = {t};
  graph.kernels = {k};
  return graph;
}

TEST(Operand, ItsArrayHoldsEveryElementThatItsPointsTouch) {
  Random random(21);
  for (int i = 0; i < 500; ++i) {
    const kernel::Graph graph = reading(random);
    const kernel::Kernel &k = graph.kernels[0];
    const bool isPacked = random() % 2 != 0;
    Scheme scheme(graph, 0, placed(parsed("M1:{(1,1),(6,5)}"), k, flat()), 0, flat());
    std::vector<Operand> operands;
    for (const kernel::Access &a : k.loads) {
      std::size_t o = 0;
      while (o < operands.size() && !matches(operands[o], a)) ++o;
      if (o == operands.size()) {
        operands.emplace_back().tensor = 0;
        operands.back().positions = positionsOf(a, graph.tensors[0], isPacked);
      }
      scheme.loads.push_back({static_cast<int>(o), {}});
    }
    settle(scheme, operands);
    kernel::TensorData data(DType::kI32, graph.tensors[0].shape);
    for (std::int64_t e = 0; e < data.elements(); ++e) data.setInteger(e, 1000 + e);
    // A share that begins inside the space, and ends in padding or at its end.
    const PerDim first = {pick(random, k.dims[0].extent) - 1, pick(random, k.dims[1].extent) - 1};
    const PerDim sizes = {pick(random, 6), pick(random, 5)}, ones = {1, 1};
    for (std::size_t l = 0; l < k.loads.size(); ++l) {
      Operand &o = operands[static_cast<std::size_t>(scheme.loads[l].operand)];
      o.home.fit(o.positions, sizes, o.size(), 8);
      EXPECT_EQ(o.home.bytes % 8, 0);
      kernel::TensorData array(DType::kI32, {o.home.bytes / 4});
      gather(o, first, sizes, data, array.bytes.data());
      const kernel::Affine byte = byteOf(o, o.home, sizes, ones, scheme.loads[l].delta),
                           element = kernel::linearize(k.loads[l], graph.tensors[0], 2);
      EXPECT_EQ(elementOf(o, scheme.loads[l].delta, 2), element);
      std::set<std::int64_t> touched;
      for (std::int64_t x = 0; x < sizes[0] && first[0] + x < k.dims[0].extent; ++x)
        for (std::int64_t y = 0; y < sizes[1] && first[1] + y < k.dims[1].extent; ++y) {
          const std::int64_t at = kernel::valueAt(byte, {x, y}),
                             there = kernel::valueAt(element, {first[0] + x, first[1] + y});
          touched.insert(there);
          ASSERT_TRUE(at >= 0 && at + 4 <= o.home.bytes && at % 4 == 0);
          EXPECT_EQ(array.asInteger(at / 4), 1000 + there);
        }
      EXPECT_LE(static_cast<std::int64_t>(touched.size()), o.elements(sizes));
    }
  }
}

TEST(Operand, HalosOfAConvolutionAreHeldOnce) {
  kernel::Graph graph;
  kernel::Kernel k = nest({{"x", 64, DimKind::kParallel}, {"r", 3, DimKind::kReduction}});
  graph.tensors = {{"I", DType::kF32, {68}, kernel::Role::kInput}};
  k.loads = {{0, {index({1, 1})}}, {0, {index({1, 1}, 2)}}};
  graph.kernels = {k};
  Operand o;
  o.tensor = 0;
  o.positions = positionsOf(k.loads[0], graph.tensors[0], true);
  EXPECT_TRUE(matches(o, k.loads[1]));
  EXPECT_FALSE(matches(o, k.loads[1], 1)) << "too far away";
  Scheme scheme(graph, 0, placed(parsed("M1:{(8,1),(8,3)}"), k, flat()), 0, flat());
  scheme.loads = {{0, {}}, {0, {}}};
  std::vector<Operand> operands = {o};
  settle(scheme, operands);
  EXPECT_EQ(operands[0].elements({8, 3}), 8 + 3 - 1 + 2);
  EXPECT_EQ(scheme.loads[1].delta, PerDim{2});
}

TEST(Operand, PackedIndicesTakeNoRoomForWhatLiesBetween) {
  kernel::Tensor t{"x", DType::kF32, {64}, kernel::Role::kInput};
  const kernel::Access access{0, {index({4, -8}, 56)}};
  Operand packed, loose;
  packed.positions = positionsOf(access, t, true);
  loose.positions = positionsOf(access, t, false);
  EXPECT_EQ(packed.elements({2, 8}), 1 + 1 + 2 * 7);
  EXPECT_EQ(loose.elements({2, 8}), 1 + 4 + 8 * 7);
}

TEST(Operand, WhatDataChooseIsHeldWhole) {
  kernel::Tensor t{"h", DType::kU32, {7, 256}, kernel::Role::kOutput};
  Operand o;
  o.positions = positionsOf({0, {index({1}), index({0})}, 1, 0}, t, true);
  EXPECT_EQ(o.elements({3}), 3 * 256);
  EXPECT_TRUE(o.isAnywhere());
  o.tensor = 0;
  EXPECT_TRUE(matches(o, {0, {index({1}), index({0})}, 1, 5}));
  EXPECT_FALSE(matches(o, {0, {index({1}), index({0})}}));
  EXPECT_EQ(wholeOf(t, 1).size(), 2U);
}

TEST(Operand, WhatDataChooseHasNoElementsWhereGuardsLeaveAllPointsOut) {
  const auto graph = kernel::parseNotation("h[i-1,p[i]] += 1 where i >= 1", {{"i", 6}, {"h_2", 4}}, DType::kI32);
  ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  const kernel::Kernel &k = graph->kernels[0];
  const Scheme scheme(*graph, 0, placed(parsed("M1:{(2),(3)}"), k, flat()), 0, flat());
  Operand o;
  o.use = Use::kTable;
  o.positions =
      positionsOf(k.stores[0].target, graph->tensors[static_cast<std::size_t>(k.stores[0].target.tensor)], true);
  for (std::int64_t i = 0; i < 6; ++i) {
    bool has = true;
    for (const kernel::Affine &guard : scheme.guardsOf(o)) has = has && kernel::valueAt(guard, {i}) >= 0;
    EXPECT_EQ(has, i >= 1) << i;
  }
}

TEST(TensorPlace, RowsArePaddedAndTheLastPositionRunsAlongThem) {
  kernel::Tensor t{"A", DType::kI16, {16, 3}, kernel::Role::kInput};
  Operand o;
  o.positions = positionsOf({0, {index({1, 0}), index({0, 1})}}, t, true);
  o.home.fit(o.positions, {16, 3}, 2, 8);
  EXPECT_EQ(o.home.pitch, (std::vector<std::int64_t>{8, 2}));
  EXPECT_EQ(o.home.bytes, 16 * 8);
}

TEST(TensorPlace, ExactlyFullIsNotTooMuch) {
  kernel::Kernel k = nest({});
  EXPECT_TRUE(checkCapacity(k, 100, "bytes of MRAM", 100, "a DPU has", "use more"));
  const Status status = checkCapacity(k, 101, "bytes of MRAM", 100, "a DPU has", "use more");
  ASSERT_FALSE(status);
  const Diagnostic &d = status.diagnostics().front();
  EXPECT_EQ(d.code, "capacity");
  EXPECT_EQ(d.kind, DiagnosticKind::kCapacity);
  EXPECT_EQ(d.message, "kernel 'nest' takes 101 bytes of MRAM; a DPU has 100: 1 too many");
  EXPECT_EQ(d.hint, "use more");
}

}  // namespace
}  // namespace pimento::lower::test
