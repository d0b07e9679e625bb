// Which bitlines of a lattice a command means, one bit each.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/program/sram_pattern.h"

namespace pimento::sim::sram {

using Mask = std::vector<std::uint64_t>;

/// Bitlines `bitlines` of tiles `tiles`, of `count` tiles with `cellsPerTile` bitlines (a multiple of 64).
Mask maskOf(const program::SramPattern &bitlines, const program::SramPattern &tiles, std::int64_t cellsPerTile,
            std::int64_t count);
/// Adds them to a mask of as many.
void addTo(Mask &mask, const program::SramPattern &bitlines, const program::SramPattern &tiles,
           std::int64_t cellsPerTile, std::int64_t count);
/// The bitlines `distance` further; none leaves the lattice.
Mask moved(const Mask &mask, std::int64_t distance);
void unite(Mask &mask, const Mask &other);

}  // namespace pimento::sim::sram
