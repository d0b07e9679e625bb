#include "pimento/lower/l3_sram/pieces.h"

#include <algorithm>

#include "pimento/base/integer.h"

namespace pimento::lower::l3_sram {

using program::SramCommand;
using program::SramCommandKind;
using program::SramPattern;
using tdfg::BoundBox;
using tdfg::BoundRange;

namespace {

constexpr int kMostPieces = 3;

/// Appends a piece of the part [low, high) of a range that lies in one tile.
void appendInTile(std::int64_t low, std::int64_t high, std::int64_t stride, std::int64_t tile, DimPieces &out) {
  if (low >= high) return;
  out.push_back({low / tile, 1, 1, low % tile, stride, (high - low + stride - 1) / stride});
}

/// The next element of a range from `x` on.
std::int64_t elementFrom(const BoundRange &r, std::int64_t x) {
  return x <= r.low ? r.low : r.low + ceilDiv(x - r.low, r.stride) * r.stride;
}

/// Pieces of N dims, crossed: `body` gets one piece per dim.
template <int N, typename Body>
void cross(const std::array<DimPieces, kMostDims> &pieces, const Body &body) {
  std::array<const DimPiece *, kMostDims> at{};
  const auto inner = [&](const auto &self, auto dim) -> void {
    constexpr int kDim = decltype(dim)::value;
    if constexpr (kDim < 0) {
      body(at);
    } else {
      for (const DimPiece &p : pieces[kDim]) {
        at[kDim] = &p;
        self(self, std::integral_constant<int, kDim - 1>{});
      }
    }
  };
  inner(inner, std::integral_constant<int, N - 1>{});
}

template <int N>
void setPlaces(const Layout &l, const std::array<const DimPiece *, kMostDims> &at, SramCommand &c) {
  std::int64_t bitline = 0, tile = 0;
  for (std::size_t d = 0; d < N; ++d) {
    bitline += at[d]->cell * l.cellStride[d];
    tile += at[d]->tile * l.tileStride[d];
  }
  c.bitlines = SramPattern(bitline);
  c.tiles = SramPattern(tile);
  for (std::size_t d = 0; d < N; ++d) {
    c.bitlines.add(at[d]->cellStep * l.cellStride[d], at[d]->cells);
    c.tiles.add(at[d]->tileStep * l.tileStride[d], at[d]->tiles);
  }
  c.banks = program::banksOf(c.tiles, l.arraysPerBank);
}

template <int N>
void emitCrossed(const Layout &l, const std::array<DimPieces, kMostDims> &pieces, const SramCommand &command,
                 std::vector<SramCommand> &out) {
  cross<N>(pieces, [&](const std::array<const DimPiece *, kMostDims> &at) {
    out.push_back(command);
    setPlaces<N>(l, at, out.back());
  });
}

void emitCrossed(const Layout &l, const std::array<DimPieces, kMostDims> &pieces, const SramCommand &command,
                 std::vector<SramCommand> &out) {
  switch (l.dims) {
    case 1:
      return emitCrossed<1>(l, pieces, command, out);
    case 2:
      return emitCrossed<2>(l, pieces, command, out);
    default:
      return emitCrossed<3>(l, pieces, command, out);
  }
}

std::array<DimPieces, kMostDims> decomposed(const Layout &l, const BoundBox &box) {
  PIMENTO_CHECK(box.size() == static_cast<std::size_t>(l.dims));
  std::array<DimPieces, kMostDims> pieces;
  for (std::size_t d = 0; d < box.size(); ++d) {
    pieces[d].reserve(kMostPieces);
    decompose(box[d], l.tile[d], pieces[d]);
  }
  return pieces;
}

/// The part of a piece whose cells lie in [low, high).
void appendMasked(const DimPiece &p, std::int64_t low, std::int64_t high, DimPieces &out) {
  const std::int64_t first = low <= p.cell ? 0 : ceilDiv(low - p.cell, p.cellStep);
  const std::int64_t end = high <= p.cell ? 0 : std::min(p.cells, ceilDiv(high - p.cell, p.cellStep));
  if (first >= end) return;
  DimPiece masked = p;
  masked.cell += first * p.cellStep;
  masked.cells = end - first;
  out.push_back(masked);
}

}  // namespace

void decompose(const BoundRange &range, std::int64_t tile, DimPieces &out) {
  const std::int64_t count = range.count();
  if (count == 0) return;
  const std::int64_t low = range.low, stride = count == 1 ? 1 : range.stride;
  const std::int64_t high = low + (count - 1) * stride + 1;
  if (stride > tile && stride % tile == 0) {
    out.push_back({low / tile, stride / tile, count, low % tile, 1, 1});
    return;
  }
  if (tile % stride != 0) {
    const BoundRange r{low, high, stride};
    for (std::int64_t x = low; x < high; x = elementFrom(r, (x / tile + 1) * tile))
      appendInTile(x, std::min(high, (x / tile + 1) * tile), stride, tile, out);
    return;
  }
  const std::int64_t offset = low % stride;  // of every whole tile's first element
  const std::int64_t begin = low / tile * tile + (low % tile == offset ? 0 : tile);  // of the first whole tile
  // A tile is whole where its last element is there.
  const std::int64_t end = (high - 1) / tile * tile + ((high - 1) % tile + stride >= tile ? tile : 0);
  if (begin >= end) {
    for (std::int64_t b = low / tile * tile; b < high; b += tile)
      appendInTile(std::max(low, b + offset), std::min(high, b + tile), stride, tile, out);
    return;
  }
  appendInTile(low, std::min(begin, high), stride, tile, out);
  out.push_back({begin / tile, 1, (end - begin) / tile, offset, stride, tile / stride});
  if (end < high) appendInTile(end + offset, high, stride, tile, out);
}

void emitOnBox(const Layout &layout, const BoundBox &box, const SramCommand &command, std::vector<SramCommand> &out) {
  emitCrossed(layout, decomposed(layout, box), command, out);
}

void emitMove(const Layout &layout, const BoundBox &source, int dim, std::int64_t distance, const SramCommand &command,
              std::vector<SramCommand> &out) {
  if (distance == 0) {
    SramCommand copy = command;
    copy.kind = SramCommandKind::kCopy;
    return emitOnBox(layout, source, copy, out);
  }
  const auto k = static_cast<std::size_t>(dim);
  const std::int64_t tile = layout.tile[k], away = distance < 0 ? -distance : distance;
  const std::int64_t near = away / tile, part = away % tile;
  std::array<DimPieces, kMostDims> pieces = decomposed(layout, source);
  const DimPieces all = std::move(pieces[k]);
  const auto shift = [&](std::int64_t low, std::int64_t high, std::int64_t tiles, std::int64_t cells) {
    pieces[k].clear();
    for (const DimPiece &p : all) appendMasked(p, low, high, pieces[k]);
    if (pieces[k].empty()) return;
    SramCommand c = command;
    c.kind = tiles == 0 ? SramCommandKind::kShift : SramCommandKind::kTileShift;
    c.tileDistance = tiles * layout.tileStride[k];
    c.bitlineDistance = cells * layout.cellStride[k];
    emitCrossed(layout, pieces, c, out);
  };
  if (distance > 0) {
    shift(0, tile - part, near, part);
    if (part > 0) shift(tile - part, tile, near + 1, part - tile);
  } else {
    if (part > 0) shift(0, part, -(near + 1), tile - part);
    shift(part, tile, -near, -part);
  }
}

void emitBroadcast(const Layout &layout, const BoundBox &source, int dim, const BoundRange &target,
                   const SramCommand &command, std::vector<SramCommand> &out) {
  const auto k = static_cast<std::size_t>(dim);
  PIMENTO_CHECK(source[k].count() == 1);
  const std::array<DimPieces, kMostDims> pieces = decomposed(layout, source);
  const DimPiece &from = pieces[k].front();
  DimPieces to;
  decompose(target, layout.tile[k], to);
  for (const DimPiece &p : to) {
    SramCommand c = command;
    c.kind = SramCommandKind::kBroadcast;
    c.tileDistance = (p.tile - from.tile) * layout.tileStride[k];
    c.bitlineDistance = (p.cell - from.cell) * layout.cellStride[k];
    c.tileCopies = SramPattern(0);
    c.tileCopies.add(p.tileStep * layout.tileStride[k], p.tiles);
    c.bitlineCopies = SramPattern(0);
    c.bitlineCopies.add(p.cellStep * layout.cellStride[k], p.cells);
    emitCrossed(layout, pieces, c, out);
  }
}

void emitInTiles(const Layout &layout, const BoundBox &tiles, int dim, std::int64_t first, std::int64_t cells,
                 const SramCommand &command, std::vector<SramCommand> &out) {
  const auto k = static_cast<std::size_t>(dim);
  BoundBox others = tiles;
  others[k] = {0, 1, 1};
  std::array<DimPieces, kMostDims> pieces = decomposed(layout, others);
  const std::int64_t tile = layout.tile[k];
  pieces[k] = {{tiles[k].low / tile, 1, (tiles[k].high - tiles[k].low) / tile, first, 1, cells}};
  emitCrossed(layout, pieces, command, out);
}

}  // namespace pimento::lower::l3_sram
