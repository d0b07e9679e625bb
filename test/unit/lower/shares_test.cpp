#include "pimento/lower/shares.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pimento/mapping/borders.h"
#include "pimento/mapping/random.h"
#include "test/support/random_affine_graph.h"
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

/// Two groups of three units with two threads each, or units that are the innermost level.
machine::Machine units(bool haveThreads) {
  machine::Machine m;
  m.name = "units";
  m.levels = {{"rank", 2, true, "host", false, machine::LevelRole::kGroup},
              {"dpu", 3, true, "host", false, machine::LevelRole::kUnit}};
  if (haveThreads) m.levels.push_back({"tasklet", 2, true, "host", false, machine::LevelRole::kThread});
  return m;
}

/// Random mappings of random kernels, cut by every other representative.
template <typename Visit>
void forEachBordered(bool haveThreads, bool areCyclic, const Visit &visit) {
  Rng rng(13);
  int cases = 0;
  for (int n = 0; n < 800; ++n) {
    const kernel::Graph graph = pimento::test::RandomAffineGraph(rng, DType::kI32).make();
    const machine::Machine machine = units(haveThreads);
    mapping::Mapping plain = mapping::randomMapping(graph.kernels[0], machine, rng);
    if (!areCyclic) plain.cyclic.clear();
    for (const mapping::Mapping &m : mapping::BorderChoices(graph, 0, machine).of(plain)) {
      const auto p = mapping::place(m, graph, 0, machine);
      ASSERT_TRUE(p) << p.diagnostics().front().str();
      visit(graph.kernels[0], *p, machine);
      ++cases;
    }
  }
  EXPECT_GT(cases, 100);
}

TEST(Shares, SpotsOfTilesWithBordersElsewhereAreWhereTheMappingLocatesPoints) {
  for (const bool haveThreads : {false, true})
    forEachBordered(haveThreads, true,
                    [](const kernel::Kernel &k, const mapping::PlacedMapping &p, const machine::Machine &machine) {
                      const Shares shares(k, p, 0, machine);
                      for (std::size_t d = 0; d < k.dims.size(); ++d) {
                        const int dim = static_cast<int>(d);
                        kernel::Affine form{PerDim(k.dims.size()), 0};
                        form.coefficients[d] = 3;
                        const std::vector<Spot> spots = shares.spots({dim}, form);
                        ASSERT_EQ(spots.size(), static_cast<std::size_t>(k.dims[d].extent));
                        for (std::int64_t x = 0; x < k.dims[d].extent; ++x) {
                          const mapping::DimPosition at = mapping::locate(p, 0, machine.levels, dim, x);
                          const Spot &s = spots[static_cast<std::size_t>(x)];
                          EXPECT_EQ(s.local, at.local) << mapping::print(p.mapping);
                          EXPECT_EQ(s.value, 3 * x);
                          for (std::size_t l = 0; l < machine.levels.size(); ++l) {
                            std::int64_t weight = 1;
                            for (std::size_t e = d + 1; e < k.dims.size(); ++e) weight *= shares.axes[e].factors[l];
                            EXPECT_EQ(s.instance[l], at.instance[l] * weight) << mapping::print(p.mapping);
                          }
                        }
                      }
                    });
}

TEST(Shares, UnitsHaveTheirTileAndThreadsAPartOfIt) {
  forEachBordered(true, false,
                  [](const kernel::Kernel &k, const mapping::PlacedMapping &p, const machine::Machine &machine) {
                    const Shares shares(k, p, 0, machine);
                    EXPECT_TRUE(shares.isBordered());
                    std::int64_t points = 0, most = 0;
                    for (std::int64_t unit = 0; unit < shares.units; ++unit) {
                      const PerDim valid = shares.validOf(unit);
                      std::int64_t mine = 1;
                      for (const std::int64_t n : valid) mine *= n;
                      points += mine;
                      most = std::max(most, mine);
                      for (std::int64_t thread = 0; thread < shares.threads; ++thread) {
                        if (shares.isIdle(valid, thread)) continue;
                        const PerDim first = shares.firstOf(unit, thread);
                        for (std::size_t d = 0; d < first.size(); ++d)
                          EXPECT_EQ(mapping::locate(p, 0, machine.levels, static_cast<int>(d), first[d]).local, 0)
                              << mapping::print(p.mapping);
                      }
                    }
                    EXPECT_EQ(points, k.points()) << mapping::print(p.mapping);
                    std::int64_t fullest = 1;
                    for (const std::int64_t n : shares.mostOf()) fullest *= n;
                    EXPECT_EQ(fullest, most) << mapping::print(p.mapping);
                  });
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
