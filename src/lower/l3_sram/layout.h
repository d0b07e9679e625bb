// Where the cells of a lattice lie in arrays of bitlines: tiles, one per array, numbered with dim 0 fastest.
//
// Infinity Stream, section 4.1. Constraints: (1) a tile has as many cells as an array has bitlines (times the elements
// that share a bitline); (2) what a bank holds of dim 0 is whole cache lines. Lattices need not be whole tiles:
// boundary tiles have cells that nothing uses. All values of a region use one layout.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pimento/base/diagnostics.h"
#include "pimento/machine/machine.h"

namespace pimento::tdfg {
struct Region;
}

namespace pimento::lower::l3_sram {

inline constexpr int kMostDims = 3;
using Extents = std::array<std::int64_t, kMostDims>;  ///< dims beyond the lattice's: 1

/// A tiled lattice.
struct Layout {
  int dims = 1;
  Extents extents{1, 1, 1};  ///< of the lattice
  Extents tile{1, 1, 1};
  Extents tiles{1, 1, 1};           ///< how many along each dim
  Extents cellStride{1, 1, 1};      ///< bitlines from a cell to the next one along a dim, inside a tile
  Extents tileStride{1, 1, 1};      ///< the same of tiles
  std::int64_t cellsPerTile = 256;  ///< bitlines of a tile, those shared counted several times
  std::int64_t perBitline = 1;      ///< elements of one value on each bitline
  std::int64_t arraysPerBank = 256;

  std::int64_t tileCount() const { return tiles[0] * tiles[1] * tiles[2]; }
  /// Number of a cell: tile * cellsPerTile + bitline.
  std::int64_t at(const Extents &cell) const {
    std::int64_t tile_ = 0, bitline = 0;
    for (std::size_t d = 0; d < kMostDims; ++d) {
      tile_ += cell[d] / tile[d] * tileStride[d];
      bitline += cell[d] % tile[d] * cellStride[d];
    }
    return tile_ * cellsPerTile + bitline;
  }
  bool operator==(const Layout &) const = default;
};

/// What a region does with its tensors, for the choice of a tile: lattice dims, one bit each.
struct Wishes {
  std::uint32_t shifted = 0, broadcast = 0, reduced = 0;
};

/// A region's, from its hints.
Wishes wishesOf(const tdfg::Region &region);

/// The published heuristic's tile (the factor for elements that share a bitline included). Diagnostic:
/// capacity.
Result<Extents> heuristicTile(std::span<const std::int64_t> lattice, const Wishes &wishes, const machine::Sram &sram);

/// The layout with this tile, one extent per dim of the lattice. Diagnostics: illegal-tile (constraint 1 or 2),
/// capacity (more elements than share the bitlines).
Result<Layout> place(std::span<const std::int64_t> lattice, std::span<const std::int64_t> tile, int elementBytes,
                     const machine::Sram &sram);

}  // namespace pimento::lower::l3_sram
