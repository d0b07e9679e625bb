// Where a physical address lies in a machine's DRAM: its channel, bank, row and column, by organization.address_map.
#pragma once

#include <cstdint>
#include <string_view>

#include "pimento/machine/sections/dram.h"

namespace pimento::sim::dram {

struct Place {
  int channel = 0;
  int bank = 0;  ///< rank * banks per rank + bank
  std::int64_t row = 0, column = 0;
};

/// Addresses beyond the memory's size begin again at 0.
inline Place placeOf(const machine::Organization &o, std::uint64_t address) {
  Place p;
  std::int64_t rank = 0, group = 0, bank = 0;
  for (const machine::Organization::Field &f : o.addressMap) {
    const auto value = static_cast<std::int64_t>(address & ((std::uint64_t{1} << f.bits) - 1));
    address >>= f.bits;
    if (f.name == "channel") p.channel = static_cast<int>(value);
    if (f.name == "rank") rank = value;
    if (f.name == "bankgroup") group = value;
    if (f.name == "bank") bank = value;
    if (f.name == "row") p.row = value;
    if (f.name == "column") p.column = value;
  }
  p.bank = static_cast<int>((rank * o.bankGroups + group) * o.banksPerGroup + bank);
  return p;
}

}  // namespace pimento::sim::dram
