#include "pimento/mapping/capacity.h"

#include <gtest/gtest.h>

#include <set>

#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

using kernel::DimKind;
using kernel::Role;

TEST(Capacity, AUnitHoldsItsRowsItsInputAndItsOutputs) {
  const kernel::Graph graph = gemv(512, 1152);
  const PlacedMapping p = placed(parsed("M1:{(2,9),(64,1),(2,4),(2,32)}"), graph.kernels[0], upmem());
  const std::vector<Footprint> tasklet = footprints(p, 0, 2, graph, graph.kernels[0], upmem());
  ASSERT_EQ(tasklet.size(), 3u);
  EXPECT_EQ(tasklet[0].elements, 2 * 32);
  EXPECT_EQ(tasklet[1].elements, 32);
  EXPECT_EQ(tasklet[2].elements, 2);
  EXPECT_EQ(tasklet[0].bytes.value, 128);
  const std::vector<Footprint> dpu = footprints(p, 0, 1, graph, graph.kernels[0], upmem());
  EXPECT_EQ(dpu[0].elements, 4 * 128);
  const std::vector<Footprint> all = footprints(p, 0, -1, graph, graph.kernels[0], upmem());
  EXPECT_EQ(all[0].elements, 512 * 1152);
  EXPECT_EQ(totalBytes(all).value, 2 * (512 * 1152 + 1152 + 512));
}

/// o[x] += I[2x + 3r] * ..., and a stencil of constants.
kernel::Graph sliding(std::int64_t a, std::int64_t b, std::int64_t extentX, std::int64_t extentR) {
  kernel::Graph graph;
  kernel::Kernel k = nest({{"x", extentX, DimKind::kParallel}, {"r", extentR, DimKind::kReduction}});
  const std::int64_t length = a * (extentX - 1) + b * (extentR - 1) + 3;
  graph.tensors = {{"I", DType::kF32, {length}, Role::kInput}, {"o", DType::kF32, {extentX}, Role::kOutput}};
  k.loads = {{0, {index({a, b})}}, {0, {index({a, b}, 2)}}};
  k.stores = {{{1, {index({1, 0})}}, 0, kernel::Combine::kAdd, -1}};
  graph.kernels = {k};
  return graph;
}

TEST(Capacity, HalosOfAConvolutionAreHeldOnce) {
  const kernel::Graph graph = sliding(1, 1, 64, 3);
  const PlacedMapping p = placed(parsed("M1:{(8,1),(8,3)}"), graph.kernels[0], flat());
  EXPECT_EQ(footprints(p, 0, 0, graph, graph.kernels[0], flat())[0].elements, 8 + 3 - 1 + 2);
}

TEST(Capacity, TheBoundIsNeverBelowWhatAUnitTouches) {
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    const kernel::Graph graph = sliding(pick(random, 3), pick(random, 3), pick(random, 20), pick(random, 5));
    const kernel::Kernel &k = graph.kernels[0];
    Mapping mapping;
    mapping.subspaces.resize(1);
    const std::int64_t parts = pick(random, 8);
    const std::int64_t range = 2 * ((k.dims[0].extent + 2 * parts - 1) / (2 * parts));
    mapping.subspaces[0].factors = {{parts, 1}, {range, k.dims[1].extent}};
    if (random() % 2) mapping.cyclic["part"] = 2;
    const PlacedMapping p = placed(mapping, k, flat());
    std::set<std::int64_t> touched;
    for (std::int64_t x = 0; x < k.dims[0].extent; ++x) {
      if (locate(mapping, mapping.subspaces[0], flat().levels, 0, x).instance[0] != 0) continue;
      for (std::int64_t r = 0; r < k.dims[1].extent; ++r) {
        for (const kernel::Access &load : k.loads) {
          const kernel::Affine &at = load.index[0];
          touched.insert(at.constant + at.coefficients[0] * x + at.coefficients[1] * r);
        }
      }
    }
    EXPECT_GE(footprints(p, 0, 0, graph, k, flat())[0].elements, static_cast<std::int64_t>(touched.size()));
  }
}

TEST(Capacity, AnIndirectTargetIsHeldWhole) {
  kernel::Graph graph;
  kernel::Kernel k = nest({{"i", 64, DimKind::kReduction}});
  graph.tensors = {{"x", DType::kU32, {64}, Role::kInput}, {"h", DType::kU32, {256}, Role::kOutput}};
  k.form = kernel::Form::kIndirect;
  k.loads = {{0, {index({1})}}};
  k.stores = {{{1, {index({0})}, 0, 0}, 0, kernel::Combine::kAdd}};
  graph.kernels = {k};
  const PlacedMapping p = placed(parsed("M1:{(8),(8)}"), k, flat(true));
  EXPECT_EQ(footprints(p, 0, 0, graph, k, flat(true))[1].elements, 256);
}

TEST(Capacity, ExactlyFullIsNotTooMuch) {
  const kernel::Graph graph = gemv(512, 1152);
  const PlacedMapping p = placed(parsed("M1:{(2,9),(64,1),(2,4),(2,32)}"), graph.kernels[0], upmem());
  const Bytes need = totalBytes(footprints(p, 0, 1, graph, graph.kernels[0], upmem()));
  EXPECT_TRUE(checkCapacity(p, 1, need, "MRAM", graph, graph.kernels[0], upmem()));
  EXPECT_FALSE(checkCapacity(p, 1, need - Bytes(1), "MRAM", graph, graph.kernels[0], upmem()));
}

}  // namespace
}  // namespace pimento::mapping::test
