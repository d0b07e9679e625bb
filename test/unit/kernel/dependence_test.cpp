// Dependences: what is proved never to happen does not happen.
#include "pimento/kernel/dependence.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "pimento/base/rng.h"
#include "test/support/cases.h"

namespace pimento::kernel {
namespace {

Kernel storing(const std::vector<std::int64_t> &extents, std::vector<Affine> index, std::vector<Affine> guards = {}) {
  Kernel kernel;
  for (std::size_t d = 0; d < extents.size(); ++d) kernel.dims.push_back({std::to_string(d), extents[d]});
  kernel.guards = std::move(guards);
  Store store;
  store.target.tensor = 0;
  store.target.index = std::move(index);
  kernel.stores = {store};
  return kernel;
}

TEST(Dependence, SeesThroughRowsOfALongIndex) {
  const Kernel rows = storing({512, 32, 3}, {{{32, 1, 0}, 0}, {{0, 0, 1}, 0}});
  for (std::size_t d = 0; d < 3; ++d) EXPECT_FALSE(isCarried(rows, d)) << d;
  const Kernel planes = storing({5, 7, 4}, {{{28, 4, 1}, 3}});
  for (std::size_t d = 0; d < 3; ++d) EXPECT_FALSE(isCarried(planes, d)) << d;
}

TEST(Dependence, SeesRowsThatOverlap) {
  const Kernel rows = storing({512, 33}, {{{32, 1}, 0}});
  EXPECT_TRUE(isCarried(rows, 0));
  EXPECT_TRUE(isCarried(rows, 1));
}

/// Every pair of points of small nests.
TEST(Dependence, IsProvedToBeAbsentOnlyWhereItIs) {
  Rng rng(3);
  int absent = 0, all = 0;
  for (std::int64_t n = test::caseCount(2000); n > 0; --n) {
    std::vector<std::int64_t> extents;
    for (int d = 0; d < 3; ++d) extents.push_back(1 + static_cast<std::int64_t>(rng.next() % 5));
    const auto form = [&](int most) {
      Affine a;
      for (int d = 0; d < 3; ++d)
        a.coefficients.push_back(static_cast<std::int64_t>(rng.next() % static_cast<unsigned>(2 * most + 1)) - most);
      a.constant = static_cast<std::int64_t>(rng.next() % 7) - 3;
      return a;
    };
    std::vector<Affine> index{form(8)}, guards;
    if (rng.next() % 2 == 0) index.push_back(form(1));
    if (rng.next() % 3 == 0) guards.push_back(form(2));
    const Kernel kernel = storing(extents, index, guards);
    std::map<std::vector<std::int64_t>, std::vector<std::vector<std::int64_t>>> points;
    for (std::int64_t x = 0; x < extents[0]; ++x)
      for (std::int64_t y = 0; y < extents[1]; ++y)
        for (std::int64_t z = 0; z < extents[2]; ++z) {
          const auto at = [&](const Affine &a) {
            return a.constant + a.coefficients[0] * x + a.coefficients[1] * y + a.coefficients[2] * z;
          };
          if (!guards.empty() && at(guards[0]) < 0) continue;
          std::vector<std::int64_t> element;
          for (const Affine &a : index) element.push_back(at(a));
          points[element].push_back({x, y, z});
        }
    for (std::size_t d = 0; d < 3; ++d) {
      bool happens = false;
      for (const auto &[element, those] : points)
        for (const auto &p : those) happens |= p[d] != those.front()[d];
      ++all;
      const bool isPossible = isCarried(kernel, d);
      absent += isPossible ? 0 : 1;
      EXPECT_TRUE(isPossible || !happens) << n;
    }
  }
  std::cout << absent << " of " << all << " are proved to be absent\n";
  EXPECT_GT(absent, all / 4);
}

}  // namespace
}  // namespace pimento::kernel
