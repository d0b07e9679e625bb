#include "pimento/mapping/random.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/mapping/dependence.h"

namespace pimento::mapping {

namespace {

using kernel::DimKind;

std::vector<std::size_t> splittable(const kernel::Kernel &kernel, const machine::Level &level) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    const DimKind kind = kernel.dims[d].kind;
    const bool merges = kind == DimKind::kReduction || (kind == DimKind::kSequential && isPrefixSum(kernel));
    if (kind == DimKind::kParallel || (merges && level.splitsReduction)) dims.push_back(d);
  }
  return dims;
}

/// Deals the prime factors of `count` out. Instances beyond the points of a dim are padding, which a level has reason
/// for only where it must be full.
void deal(std::int64_t count, const kernel::Kernel &kernel, const std::vector<std::size_t> &dims, bool mustFill,
          std::vector<std::vector<std::int64_t>> &factors, Rng &rng) {
  if (dims.empty()) return;
  std::vector<std::int64_t> &row = factors.back();
  for (std::int64_t p = 2; count > 1; ++p)
    for (; count % p == 0; count /= p) {
      const std::size_t d = dims[rng.below(dims.size())];
      std::int64_t units = p;
      for (const auto &level : factors) units *= level[d];
      if (mustFill || units <= kernel.dims[d].extent) row[d] *= p;
    }
}

/// A chunk for some levels that divides what every instance holds of every dim that is split there.
void makeCyclic(const machine::Machine &machine, Mapping &m, Rng &rng) {
  const Subspace &s = m.subspaces.front();
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    if (rng.below(2) == 0) continue;
    std::int64_t common = 0;
    for (std::size_t d = 0; d < s.factors[l].size(); ++d)
      if (s.factors[l][d] > 1) common = std::gcd(common, s.extentInside(static_cast<int>(l), static_cast<int>(d)));
    if (common == 0) continue;
    std::int64_t chunk = spreadEvenly(common, rng);
    while (common % chunk != 0) --chunk;
    m.cyclic[machine.levels[l].name] = chunk;
  }
}

}  // namespace

std::int64_t spreadEvenly(std::int64_t most, Rng &rng) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(most)) - 1;
  const std::int64_t low = std::int64_t{1} << rng.integer(0, bits);
  return rng.integer(low, std::min(most, 2 * low - 1));
}

Mapping randomMapping(const kernel::Kernel &kernel, const machine::Machine &machine, Rng &rng) {
  Mapping m;
  Subspace s;
  for (const machine::Level &level : machine.levels) {
    s.factors.emplace_back(kernel.dims.size(), 1);
    const std::int64_t count = level.mustFill ? level.count : spreadEvenly(level.count, rng);
    deal(count, kernel, splittable(kernel, level), level.mustFill, s.factors, rng);
  }
  s.factors.emplace_back(kernel.dims.size(), 1);
  for (std::size_t d = 0; d < kernel.dims.size(); ++d)
    s.factors.back()[d] = ceilDiv(kernel.dims[d].extent, s.extent(static_cast<int>(d)));
  m.subspaces.push_back(std::move(s));
  if (rng.below(2) == 0) makeCyclic(machine, m, rng);
  if (rng.below(2) == 0) {
    for (const kernel::Dim &d : kernel.dims) m.order.push_back(d.name);
    for (std::size_t i = m.order.size(); i > 1; --i) std::swap(m.order[i - 1], m.order[rng.below(i)]);
  }
  m.text = print(m);
  return m;
}

}  // namespace pimento::mapping
