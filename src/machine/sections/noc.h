// A network on chip: a mesh of routers, one for each tile. Not here: how packets take their time in it (sim/noc).
#pragma once

#include <cstdint>

#include "pimento/base/units.h"

namespace pimento::machine {

struct Noc {
  enum class Routing : std::uint8_t { kXY, kYX };  ///< the dimension that packets go along first

  int columns = 1, rows = 1;           ///< tiles from west to east, and from north to south
  Routing routing = Routing::kXY;
  Cycles router;                       ///< from a head flit's arrival to its link, where nothing is in the way
  Cycles link;                         ///< between two routers; a link takes a flit per cycle
  Bytes flit;                          ///< what a link takes per cycle
  Bytes header;                        ///< of a packet, before its data

  int nodes() const { return columns * rows; }
  /// Flits of a packet with `data` behind its header: one at least.
  std::int64_t flits(Bytes data) const {
    const std::int64_t bytes = header.value + data.value;
    return bytes <= flit.value ? 1 : (bytes + flit.value - 1) / flit.value;
  }
};

}  // namespace pimento::machine
