#include "pimento/sim/sram/masks.h"

#include <algorithm>

#include "pimento/base/diagnostics.h"

namespace pimento::sim::sram {

Mask maskOf(const program::SramPattern &bitlines, const program::SramPattern &tiles, std::int64_t cellsPerTile,
            std::int64_t count) {
  Mask mask(static_cast<std::size_t>(count * cellsPerTile / 64));
  addTo(mask, bitlines, tiles, cellsPerTile, count);
  return mask;
}

void addTo(Mask &mask, const program::SramPattern &bitlines, const program::SramPattern &tiles,
           std::int64_t cellsPerTile, std::int64_t count) {
  PIMENTO_CHECK(cellsPerTile % 64 == 0 && bitlines.last() < cellsPerTile && tiles.last() < count);
  Mask one(static_cast<std::size_t>(cellsPerTile / 64));
  bitlines.forEach([&](std::int64_t b) { one[static_cast<std::size_t>(b / 64)] |= std::uint64_t{1} << (b % 64); });
  tiles.forEach([&](std::int64_t t) {
    std::uint64_t *tile = mask.data() + static_cast<std::size_t>(t) * one.size();
    for (std::size_t w = 0; w < one.size(); ++w) tile[w] |= one[w];
  });
}

Mask moved(const Mask &mask, std::int64_t distance) {
  Mask out(mask.size());
  const std::int64_t away = distance >> 6;
  const int by = static_cast<int>(distance & 63);
  const auto put = [&](std::int64_t word, std::uint64_t bits) {
    if (bits == 0) return;
    PIMENTO_CHECK(word >= 0 && word < static_cast<std::int64_t>(out.size()));
    out[static_cast<std::size_t>(word)] |= bits;
  };
  for (std::size_t w = 0; w < mask.size(); ++w) {
    if (mask[w] == 0) continue;
    const std::int64_t target = static_cast<std::int64_t>(w) + away;
    put(target, mask[w] << by);
    if (by != 0) put(target + 1, mask[w] >> (64 - by));
  }
  return out;
}

void unite(Mask &mask, const Mask &other) {
  for (std::size_t w = 0; w < mask.size(); ++w) mask[w] |= other[w];
}

}  // namespace pimento::sim::sram
