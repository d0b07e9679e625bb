// Random legal mappings of a kernel on HBM-PIM: one to three subspaces that split outputs or reductions, any split of
// channels, blocks and lanes, cyclic or contiguous, with an order.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::test {

/// Dims that select the input vector of a matrix-vector product: of its batch, and of its groups.
inline std::vector<int> ofOneInput(const targets::hbm_pim::Pattern &pattern) {
  if (!pattern.isMatVec()) return {};
  std::vector<int> dims = pattern.matVec.batchDims;
  dims.insert(dims.end(), pattern.matVec.groupDims.begin(), pattern.matVec.groupDims.end());
  return dims;
}

class RandomHbmPimMapping {
 public:
  /// `batchDims` select the input vector of a matrix-vector product: only channels may split them.
  RandomHbmPimMapping(const kernel::Kernel &kernel, const machine::Machine &machine, std::vector<int> batchDims)
      : kernel_(kernel), machine_(machine), batchDims_(std::move(batchDims)) {}

  mapping::Mapping make(Rng &rng) const {
    mapping::Mapping m;
    std::vector<std::int64_t> left;
    for (const kernel::Dim &d : kernel_.dims) left.push_back(d.extent);
    const std::uint64_t dice = rng.below(10);
    const int subspaces = dice < 5 ? 1 : dice < 8 ? 2 : 3;
    while (static_cast<int>(m.subspaces.size()) + 1 < subspaces)
      if (!cut(rng, left, m.subspaces)) break;
    m.subspaces.push_back(subspace(rng, left));
    number(rng, m.subspaces);
    deal(rng, m);
    if (rng.below(2) == 0) order(rng, m.order);
    m.text = mapping::print(m);
    return m;
  }

 private:
  bool isReduction(std::size_t d) const { return kernel_.dims[d].kind == kernel::DimKind::kReduction; }
  bool isBatch(std::size_t d) const {
    return std::find(batchDims_.begin(), batchDims_.end(), static_cast<int>(d)) != batchDims_.end();
  }

  std::vector<std::size_t> splittable(std::size_t level) const {
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      const bool isInner = machine_.levels[level].name != "channel";
      if (isReduction(d) && !machine_.levels[level].splitsReduction) continue;
      if (isBatch(d) && isInner) continue;
      dims.push_back(d);
    }
    return dims;
  }

  /// Deals the prime factors of a number of instances out to the dims the level may split.
  void spread(Rng &rng, std::size_t level, std::vector<std::int64_t> &row) const {
    const std::vector<std::size_t> dims = splittable(level);
    if (dims.empty()) return;
    const std::int64_t count = machine_.levels[level].count;
    std::int64_t used = machine_.levels[level].mustFill ? count : rng.integer(1, count);
    for (std::int64_t p = 2; used > 1; ++p)
      for (; used % p == 0; used /= p) row[dims[rng.below(dims.size())]] *= p;
  }

  mapping::Subspace subspace(Rng &rng, const std::vector<std::int64_t> &extents) const {
    mapping::Subspace s;
    s.factors.assign(machine_.levels.size() + 1, std::vector<std::int64_t>(extents.size(), 1));
    for (std::size_t l = 0; l < machine_.levels.size(); ++l) spread(rng, l, s.factors[l]);
    constexpr std::int64_t kMultiples[] = {1, 1, 2, 4, 8, 3};
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const std::int64_t inside = s.extentInside(-1, static_cast<int>(d));
      std::int64_t range = (extents[d] + inside - 1) / inside;
      const std::int64_t multiple = kMultiples[rng.below(std::size(kMultiples))];
      range = (range + multiple - 1) / multiple * multiple;
      s.factors.back()[d] = range + (rng.below(8) == 0 ? 1 : 0);
    }
    return s;
  }

  /// Takes the lower part of the box that is left, along a dim with room for a whole subspace; `left` becomes the rest.
  bool cut(Rng &rng, std::vector<std::int64_t> &left, std::vector<mapping::Subspace> &out) const {
    for (int attempt = 0; attempt < 8; ++attempt) {
      mapping::Subspace s = subspace(rng, left);
      const std::size_t d = rng.below(left.size());
      const std::int64_t units = s.extent(static_cast<int>(d)) / s.factors.back()[d];
      const std::int64_t most = (left[d] - 1) / units;
      if (most < 1) continue;
      s.factors.back()[d] = rng.integer(1, most);
      left[d] -= s.extent(static_cast<int>(d));
      out.push_back(std::move(s));
      return true;
    }
    return false;
  }

  static void number(Rng &rng, std::vector<mapping::Subspace> &subspaces) {
    std::vector<int> indices(subspaces.size());
    std::iota(indices.begin(), indices.end(), 1);
    for (std::size_t i = indices.size(); i > 1; --i) std::swap(indices[i - 1], indices[rng.below(i)]);
    for (std::size_t i = 0; i < subspaces.size(); ++i) subspaces[i].index = indices[i];
  }

  /// cyclic(level, chunk) for some levels, with a chunk that divides what every instance holds of every split dim.
  void deal(Rng &rng, mapping::Mapping &m) const {
    for (std::size_t l = 0; l < machine_.levels.size(); ++l) {
      if (rng.below(2) == 0) continue;
      std::int64_t common = 0;
      for (const mapping::Subspace &s : m.subspaces)
        for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
          if (s.factors[l][d] > 1) common = std::gcd(common, s.extentInside(static_cast<int>(l), static_cast<int>(d)));
      if (common == 0) continue;
      std::vector<std::int64_t> chunks;
      for (std::int64_t c = 1; c <= common; ++c)
        if (common % c == 0) chunks.push_back(c);
      m.cyclic[machine_.levels[l].name] = chunks[rng.below(chunks.size())];
    }
  }

  /// Any order with the reductions innermost.
  void order(Rng &rng, std::vector<std::string> &names) const {
    for (const bool wantsReductions : {false, true}) {
      const auto first = static_cast<std::ptrdiff_t>(names.size());
      for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
        if (isReduction(d) == wantsReductions) names.push_back(kernel_.dims[d].name);
      for (auto i = static_cast<std::ptrdiff_t>(names.size()) - 1; i > first; --i)
        std::swap(names[static_cast<std::size_t>(i)], names[static_cast<std::size_t>(rng.integer(first, i))]);
    }
  }

  const kernel::Kernel &kernel_;
  const machine::Machine &machine_;
  std::vector<int> batchDims_;
};

}  // namespace pimento::test
