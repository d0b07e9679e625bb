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

namespace {

/// Through the levels from `first` on; those outside have been dealt with.
void locateInside(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels, int dim,
                  std::size_t first, std::int64_t x, DimPosition &position) {
  for (std::size_t level = first; level < levels.size(); ++level) {
    const std::int64_t factor = subspace.factors[level][static_cast<std::size_t>(dim)];
    const std::int64_t chunk = chunkAt(mapping, subspace, levels, static_cast<int>(level), dim);
    position.instance.push_back(x / chunk % factor);
    x = x / chunk / factor * chunk + x % chunk;
  }
  position.local = x;
}

/// Back again.
std::int64_t indexInside(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels,
                         int dim, std::size_t first, const DimPosition &position) {
  std::int64_t x = position.local;
  for (std::size_t level = levels.size(); level-- > first;) {
    const std::int64_t factor = subspace.factors[level][static_cast<std::size_t>(dim)];
    const std::int64_t chunk = chunkAt(mapping, subspace, levels, static_cast<int>(level), dim);
    x = (x / chunk * factor + position.instance[level]) * chunk + x % chunk;
  }
  return x;
}

}  // namespace

DimPosition locate(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels, int dim,
                   std::int64_t x) {
  DimPosition position;
  position.instance.reserve(levels.size());
  locateInside(mapping, subspace, levels, dim, 0, x, position);
  return position;
}

std::int64_t globalIndex(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels,
                         int dim, const DimPosition &position) {
  return indexInside(mapping, subspace, levels, dim, 0, position);
}

DimPosition locate(const PlacedMapping &placed, int subspace, const std::vector<machine::Level> &levels, int dim,
                   std::int64_t x) {
  const auto d = static_cast<std::size_t>(dim);
  const Subspace &part = placed.mapping.subspaces[static_cast<std::size_t>(subspace)];
  if (d >= placed.tiles.size() || placed.tiles[d].empty()) return locate(placed.mapping, part, levels, dim, x);
  const std::vector<Stretch> &tiles = placed.tiles[d];
  std::size_t tile = 0;
  while (x < tiles[tile].first || x >= tiles[tile].end) ++tile;
  DimPosition position;
  const std::size_t outside = machine::unitLevels(levels);
  position.instance.resize(outside);
  auto number = static_cast<std::int64_t>(tile);
  for (std::size_t level = outside; level-- > 0; number /= part.factors[level][d])
    position.instance[level] = number % part.factors[level][d];
  locateInside(placed.mapping, part, levels, dim, outside, x - tiles[tile].first, position);
  return position;
}

std::int64_t globalIndex(const PlacedMapping &placed, int subspace, const std::vector<machine::Level> &levels, int dim,
                         const DimPosition &position) {
  const auto d = static_cast<std::size_t>(dim);
  const Subspace &part = placed.mapping.subspaces[static_cast<std::size_t>(subspace)];
  if (d >= placed.tiles.size() || placed.tiles[d].empty())
    return globalIndex(placed.mapping, part, levels, dim, position);
  const std::size_t outside = machine::unitLevels(levels);
  std::int64_t tile = 0;
  for (std::size_t level = 0; level < outside; ++level) tile = tile * part.factors[level][d] + position.instance[level];
  return placed.tiles[d][static_cast<std::size_t>(tile)].first +
         indexInside(placed.mapping, part, levels, dim, outside, position);
}

}  // namespace pimento::mapping
