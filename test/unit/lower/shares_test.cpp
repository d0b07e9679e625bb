#include "pimento/lower/shares.h"

#include <gtest/gtest.h>

#include <numeric>

#include "test/unit/mapping/fixtures.h"

namespace pimento::lower::test {
namespace {

using namespace mapping::test;

/// The value of each dim at which the odometer stands; false after the last.
bool advance(PerDim &point, const PerDim &extents) {
  for (std::size_t d = point.size(); d-- > 0; point[d] = 0)
    if (++point[d] < extents[d]) return true;
  return false;
}

TEST(Shares, SpotsAreWhereTheMappingLocatesPoints) {
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const Case c = randomCase(random);
    const mapping::PlacedMapping p = placed(c.mapping, c.kernel, c.machine);
    const Shares shares(c.kernel, p, 0, c.machine);
    const std::size_t dims = c.kernel.dims.size(), levels = c.machine.levels.size();
    std::vector<int> all(dims);
    std::iota(all.begin(), all.end(), 0);
    kernel::Affine form{PerDim(dims), 0};
    for (std::int64_t &coefficient : form.coefficients) coefficient = pick(random, 9) - 5;
    PerDim extents, point(dims, 0);
    for (const kernel::Dim &d : c.kernel.dims) extents.push_back(d.extent);
    const std::vector<Spot> spots = shares.spots(all, form);
    auto spot = spots.begin();
    do {
      ASSERT_NE(spot, spots.end());
      std::int64_t local = 0, value = 0;
      std::vector<std::int64_t> instance(levels, 0);
      for (std::size_t d = 0; d < dims; ++d) {
        const auto at = mapping::locate(c.mapping, c.mapping.subspaces[0], c.machine.levels, all[d], point[d]);
        local = local * c.mapping.subspaces[0].range(all[d]) + at.local;
        value += form.coefficients[d] * point[d];
        for (std::size_t l = 0; l < levels; ++l)
          instance[l] = instance[l] * c.mapping.subspaces[0].factors[l][d] + at.instance[l];
      }
      EXPECT_EQ(spot->local, local) << print(c.mapping);
      EXPECT_EQ(spot->value, value);
      for (std::size_t l = 0; l < levels; ++l) EXPECT_EQ(spot->instance[l], instance[l]) << print(c.mapping);
      ++spot;
    } while (advance(point, extents));
    EXPECT_EQ(spot, spots.end());
  }
}

TEST(Shares, ContiguousOnesAreThoseThatTheMappingLocates) {
  Random random(12);
  for (int i = 0; i < 200; ++i) {
    Case c = randomCase(random);
    c.mapping.cyclic.clear();
    const Shares shares(c.kernel, placed(c.mapping, c.kernel, c.machine), 0, c.machine);
    std::int64_t points = 0;
    for (std::int64_t unit = 0; unit < shares.units; ++unit) {
      std::int64_t mine = 1;
      for (const std::int64_t n : shares.validOf(unit)) mine *= n;
      points += mine;
      for (std::int64_t thread = 0; thread < shares.threads; ++thread) {
        const PerDim first = shares.firstOf(unit, thread);
        // The number of the instance at each level, row-major over the dims.
        std::vector<std::int64_t> number(shares.instances.size(), 0);
        for (std::size_t d = 0; d < first.size(); ++d) {
          const auto at =
              mapping::locate(c.mapping, c.mapping.subspaces[0], c.machine.levels, static_cast<int>(d), first[d]);
          EXPECT_EQ(at.local, 0) << print(c.mapping);
          for (std::size_t l = 0; l < number.size(); ++l)
            number[l] = number[l] * shares.axes[d].factors[l] + at.instance[l];
        }
        std::int64_t all = 0;
        for (std::size_t l = 0; l + 1 < number.size(); ++l) all = all * shares.instances[l] + number[l];
        EXPECT_EQ(all, unit) << print(c.mapping);
        EXPECT_EQ(number.back(), thread) << print(c.mapping);
      }
    }
    EXPECT_EQ(points, c.kernel.points()) << print(c.mapping);
  }
}

TEST(Shares, AThreadBeyondTheKernelsExtentIsIdle) {
  const kernel::Kernel k = nest({{"i", 10, kernel::DimKind::kParallel}});
  machine::Machine m;
  m.levels = {{"unit", 2, false, "", false}, {"thread", 2, false, "", false}};
  const Shares shares(k, placed(parsed("M1:{(2),(2),(3)}"), k, m), 0, m);
  EXPECT_EQ(shares.validOf(1), PerDim{4});
  EXPECT_FALSE(shares.isIdle(shares.validOf(1), 1)) << "it has one value";
  EXPECT_TRUE(shares.isIdle({3}, 1));
}

}  // namespace
}  // namespace pimento::lower::test
