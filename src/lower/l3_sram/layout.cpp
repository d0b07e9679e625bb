#include "pimento/lower/l3_sram/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "pimento/base/integer.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::lower::l3_sram {

namespace {

std::string textOf(std::span<const std::int64_t> extents) {
  std::string text;
  for (const std::int64_t e : extents) text += fmt::format("{}{}", text.empty() ? "" : "x", e);
  return text;
}

std::int64_t floorPower(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}
std::int64_t ceilPower(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

/// The middle one of the powers of two in [low, high].
std::int64_t middlePower(std::int64_t low, std::int64_t high) {
  const std::int64_t first = ceilPower(low), last = floorPower(high);
  if (last <= first) return std::max<std::int64_t>(last, 1);
  const int powers = std::countr_zero(static_cast<std::uint64_t>(last / first)) + 1;
  return first << (powers / 2);
}

Extents planeTile(std::int64_t inner, std::int64_t outer, std::int64_t cells, const Wishes &w) {
  std::int64_t t = 0;
  if (w.reduced & 1U) {
    t = inner <= cells ? ceilPower(inner) : std::min<std::int64_t>(64, cells);
  } else if (w.shifted == 0 && w.broadcast != 0 && inner > cells) {
    t = 4;
  } else if (std::popcount(w.shifted) == 1) {
    // Shifts along one dim: as much of it as there is.
    const bool isInner = (w.shifted & 1U) != 0;
    const std::int64_t along = std::min(cells, ceilPower(isInner ? inner : outer));
    t = isInner ? along : cells / along;
  } else if (inner <= 32) {
    t = 32;
  } else if (inner <= 128) {
    t = 64;
  } else {
    t = std::int64_t{1} << (std::countr_zero(static_cast<std::uint64_t>(cells)) / 2);
  }
  t = std::clamp<std::int64_t>(t, 1, cells);
  return {t, cells / t, 1};
}

/// Elements that share a bitline where a lattice has more cells than there are bitlines, at least 1.
std::int64_t elementsPerBitline(std::span<const std::int64_t> lattice, const machine::Sram &sram) {
  std::int64_t cells = 1;
  for (const std::int64_t e : lattice) cells = multiplySaturated(cells, e);
  return std::max<std::int64_t>(1, ceilDiv(cells, sram.arrays() * sram.bitlines));
}

Status checkRoom(std::span<const std::int64_t> lattice, const machine::Sram &sram) {
  const std::int64_t shared = elementsPerBitline(lattice, sram);
  if (shared <= sram.mostPerBitline) return okStatus();
  return capacityError("capacity", {},
                       fmt::format("a lattice of {} puts {} elements on each bitline, at most {} may share one",
                                   textOf(lattice), shared, sram.mostPerBitline),
                       "make the arrays smaller");
}

}  // namespace

Wishes wishesOf(const tdfg::Region &region) {
  Wishes w;
  for (const tdfg::Hints &h : region.hints) {
    w.shifted |= h.shifted;
    w.broadcast |= h.broadcast;
    w.reduced |= h.reduced;
  }
  return w;
}

Result<Extents> heuristicTile(std::span<const std::int64_t> lattice, const Wishes &wishes, const machine::Sram &sram) {
  PIMENTO_CHECK(!lattice.empty() && lattice.size() <= kMostDims);
  if (Status fits = checkRoom(lattice, sram); !fits) return fits.diagnostics();
  const std::int64_t cells = sram.bitlines * ceilPower(elementsPerBitline(lattice, sram));
  if (lattice.size() == 1) return Extents{cells, 1, 1};
  if (lattice.size() == 2) return planeTile(lattice[0], lattice[1], cells, wishes);
  const std::int64_t plane = multiplySaturated(lattice[0], lattice[1]);
  const std::int64_t z = middlePower(ceilDiv(cells, plane), std::min(cells, lattice[2]));
  const std::int64_t y = middlePower(ceilDiv(cells, multiplySaturated(lattice[0], z)), std::min(cells / z, lattice[1]));
  return Extents{cells / (y * z), y, z};
}

Result<Layout> place(std::span<const std::int64_t> lattice, std::span<const std::int64_t> tile, int elementBytes,
                     const machine::Sram &sram) {
  PIMENTO_CHECK(!lattice.empty() && lattice.size() <= kMostDims);
  if (Status fits = checkRoom(lattice, sram); !fits) return fits.diagnostics();
  if (tile.size() != lattice.size())
    return error("illegal-tile", {},
                 fmt::format("tile {} is of {} dims, the lattice of {}", textOf(tile), tile.size(), lattice.size()),
                 "give one extent per dim of the lattice, the contiguous one first");
  Layout l;
  l.dims = static_cast<int>(lattice.size());
  l.arraysPerBank = sram.arraysPerBank();
  std::int64_t cells = 1, tiles = 1;
  for (std::size_t d = 0; d < lattice.size(); ++d) {
    if (tile[d] < 1)
      return error("illegal-tile", {}, fmt::format("tile {} has an extent below 1", textOf(tile)), "use powers of two");
    l.extents[d] = lattice[d];
    l.tile[d] = tile[d];
    l.tiles[d] = ceilDiv(lattice[d], tile[d]);
    l.cellStride[d] = cells;
    l.tileStride[d] = tiles;
    cells = multiplySaturated(cells, tile[d]);
    tiles = multiplySaturated(tiles, l.tiles[d]);
  }
  for (std::size_t d = lattice.size(); d < kMostDims; ++d) {
    l.cellStride[d] = cells;
    l.tileStride[d] = tiles;
  }
  l.cellsPerTile = cells;
  if (cells % sram.bitlines != 0 || cells / sram.bitlines > sram.mostPerBitline)
    return error("illegal-tile", {},
                 fmt::format("tile {} has {} cells, an array {} bitlines", textOf(tile), cells, sram.bitlines),
                 fmt::format("make the product {} (up to {} times that where elements share bitlines)", sram.bitlines,
                             sram.mostPerBitline));
  l.perBitline = cells / sram.bitlines;
  const std::int64_t perLine = std::max<std::int64_t>(1, sram.line.value / elementBytes);
  if (multiplySaturated(tile[0], sram.arraysPerBank()) % perLine != 0)
    return error("illegal-tile", {},
                 fmt::format("tile {}: the {} elements of dim 0 in a bank are no whole lines of {}", textOf(tile),
                             multiplySaturated(tile[0], sram.arraysPerBank()), perLine),
                 "use an extent of dim 0 that is a power of two");
  if (tiles > sram.arrays())
    return capacityError("capacity", {},
                         fmt::format("a lattice of {} takes {} tiles of {}, the cache has {} arrays", textOf(lattice),
                                     tiles, textOf(tile), sram.arrays()),
                         fmt::format("let up to {} elements share a bitline: a larger tile", sram.mostPerBitline));
  return l;
}

}  // namespace pimento::lower::l3_sram
