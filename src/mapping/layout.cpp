#include <cstddef>

#include "pimento/base/integer.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

std::int64_t Subspace::extentInside(int level, int dim) const {
  std::int64_t product = 1;
  for (std::size_t row = static_cast<std::size_t>(level + 1); row < factors.size(); ++row) {
    product = multiplySaturated(product, factors[row][static_cast<std::size_t>(dim)]);
  }
  return product;
}

std::int64_t Subspace::extent(int dim) const {
  return extentInside(-1, dim);
}

std::int64_t chunkAt(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels,
                     int level, int dim) {
  const auto found = mapping.cyclic.find(levels[static_cast<std::size_t>(level)].name);
  const std::int64_t inside = subspace.extentInside(level, dim);
  // An unsplit dim has nothing to distribute: one chunk.
  const bool isSplit = subspace.factors[static_cast<std::size_t>(level)][static_cast<std::size_t>(dim)] > 1;
  return found != mapping.cyclic.end() && isSplit ? found->second : inside;
}

DimPosition locate(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels, int dim,
                   std::int64_t x) {
  DimPosition position;
  position.instance.reserve(levels.size());
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::int64_t factor = subspace.factors[level][static_cast<std::size_t>(dim)];
    const std::int64_t chunk = chunkAt(mapping, subspace, levels, static_cast<int>(level), dim);
    position.instance.push_back(x / chunk % factor);
    x = x / chunk / factor * chunk + x % chunk;
  }
  position.local = x;
  return position;
}

std::int64_t globalIndex(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels,
                         int dim, const DimPosition &position) {
  std::int64_t x = position.local;
  for (std::size_t level = levels.size(); level-- > 0;) {
    const std::int64_t factor = subspace.factors[level][static_cast<std::size_t>(dim)];
    const std::int64_t chunk = chunkAt(mapping, subspace, levels, static_cast<int>(level), dim);
    x = (x / chunk * factor + position.instance[level]) * chunk + x % chunk;
  }
  return x;
}

}  // namespace pimento::mapping
