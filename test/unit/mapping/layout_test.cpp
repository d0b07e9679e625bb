#include <gtest/gtest.h>

#include <set>

#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

TEST(Layout, TheReferenceGemvLiesAsTheFactSheetSays) {
  const machine::Machine machine = hbmPim();
  const Mapping mapping = parsed("M1:{(64,1),(8,1),(1,16),(8,256)};cyclic(channel,64);cyclic(block,8);cyclic(lane,1)");
  const Subspace &subspace = mapping.subspaces[0];
  for (std::int64_t o = 0; o < 4096; ++o) {
    const DimPosition at = locate(mapping, subspace, machine.levels, 0, o);
    EXPECT_EQ(at.instance, (std::vector<std::int64_t>{o / 64 % 64, o / 8 % 8, 0}));
    EXPECT_EQ(at.local, o % 8);
    const DimPosition input = locate(mapping, subspace, machine.levels, 1, o);
    EXPECT_EQ(input.instance, (std::vector<std::int64_t>{0, 0, o % 16}));
    EXPECT_EQ(input.local, o / 16);
  }
}

TEST(Layout, WithoutCyclicEveryInstanceHoldsConsecutiveElements) {
  const Mapping mapping = parsed("M1:{(2,9),(64,1),(2,4),(2,32)}");
  const DimPosition at = locate(mapping, mapping.subspaces[0], upmem().levels, 1, 3 * 128 + 2 * 32 + 5);
  EXPECT_EQ(at.instance, (std::vector<std::int64_t>{3, 0, 2}));
  EXPECT_EQ(at.local, 5);
}

TEST(Layout, LocateAndGlobalIndexAreInverseOnRandomMappings) {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    const Case c = randomCase(random);
    const Subspace &subspace = c.mapping.subspaces[0];
    for (std::size_t d = 0; d < c.kernel.dims.size(); ++d) {
      const int dim = static_cast<int>(d);
      std::set<std::pair<std::vector<std::int64_t>, std::int64_t>> seen;
      for (std::int64_t x = 0; x < subspace.extent(dim); ++x) {
        const DimPosition at = locate(c.mapping, subspace, c.machine.levels, dim, x);
        for (std::size_t l = 0; l < at.instance.size(); ++l) {
          EXPECT_GE(at.instance[l], 0);
          EXPECT_LT(at.instance[l], subspace.factors[l][d]);
        }
        EXPECT_GE(at.local, 0);
        EXPECT_LT(at.local, subspace.range(dim));
        EXPECT_TRUE(seen.emplace(at.instance, at.local).second);
        EXPECT_EQ(globalIndex(c.mapping, subspace, c.machine.levels, dim, at), x) << print(c.mapping);
      }
    }
  }
}

}  // namespace
}  // namespace pimento::mapping::test
