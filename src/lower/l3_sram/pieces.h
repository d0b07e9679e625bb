// Boxes of a tiled lattice as patterns: Infinity Stream's algorithms 1 and 2.
//
// Algorithm 1 cuts a box along tile boundaries so that each piece has the same bitlines in all of its tiles; as printed
// it emits an empty middle where a box starts at a boundary and ends inside that tile, which is left out here.
// Algorithm 2 splits a move into what stays at its distance in tiles and what goes one tile further. Broadcasts are
// cut by where they go. Pieces are disjoint and cover the box.
#pragma once

#include "pimento/lower/l3_sram/layout.h"
#include "pimento/program/sram_command.h"
#include "pimento/tdfg/form.h"

namespace pimento::lower::l3_sram {

/// What of one dim has the same places in each of several tiles.
struct DimPiece {
  std::int64_t tile = 0, tileStep = 1, tiles = 1;  ///< tile, tile + tileStep, ...
  std::int64_t cell = 0, cellStep = 1, cells = 1;  ///< inside each of them
};
using DimPieces = std::vector<DimPiece>;

/// Algorithm 1 in one dim; for strides that neither divide the tile nor are multiples of it, a piece per tile.
void decompose(const tdfg::BoundRange &range, std::int64_t tile, DimPieces &out);

/// Commands that do `command` on the cells of `box`.
void emitOnBox(const Layout &layout, const tdfg::BoundBox &box, const program::SramCommand &command,
               std::vector<program::SramCommand> &out);
/// Moves `source` by `distance` along `dim`; all of it stays in the lattice.
void emitMove(const Layout &layout, const tdfg::BoundBox &source, int dim, std::int64_t distance,
              const program::SramCommand &command, std::vector<program::SramCommand> &out);
/// Copies `source`, one cell thick along `dim`, to all of `target` along it.
void emitBroadcast(const Layout &layout, const tdfg::BoundBox &source, int dim, const tdfg::BoundRange &target,
                   const program::SramCommand &command, std::vector<program::SramCommand> &out);

/// Commands on cells [first, first + cells) along `dim` of all tiles of `tiles`, which is whole tiles along it.
void emitInTiles(const Layout &layout, const tdfg::BoundBox &tiles, int dim, std::int64_t first, std::int64_t cells,
                 const program::SramCommand &command, std::vector<program::SramCommand> &out);

}  // namespace pimento::lower::l3_sram
