// Modes of a device, as data: in some modes banks take no activates, and an activate may open a row in more banks than
// the one it names. What the modes are for is a target's business, who hands the table in (sim/pim/all_bank.h).
//
// Timing is that of the named bank in all modes. Modes that differ only in what commands do to data are one mode here.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/machine/sections/dram.h"

namespace pimento::sim::dram {

/// Banks are bits of a channel's 64; a device without modes is always in its one mode, which changes nothing.
struct Modes {
  struct Mode {
    std::uint64_t refused = 0;  ///< banks that take no activates
    std::uint64_t wide = 0;     ///< banks whose activates and precharges reach others, too
  };
  /// Once `command` for `row` has issued to every bank of `banks`, the device goes to mode `to`.
  struct Change {
    int to = 0;
    machine::CommandKind command = machine::CommandKind::kActivate;
    std::int64_t row = 0;
    std::uint64_t banks = 0;  ///< within a rank
  };

  std::vector<Mode> modes = {{}};  ///< the device begins in the first
  std::vector<Change> changes;
  int ranks = 0;                           ///< the first ones know the modes
  std::int64_t firstControlRow = 0;        ///< from here on rows open in the named bank only
  std::vector<std::int64_t> reservedRows;  ///< rows with a meaning, ascending

  bool reachesMany(int mode, int bank, std::int64_t row) const {
    return ((modes[static_cast<std::size_t>(mode)].wide >> bank) & 1U) != 0 && row < firstControlRow;
  }
};

}  // namespace pimento::sim::dram
