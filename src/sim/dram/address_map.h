// Where a physical address lies in a machine's DRAM: its channel, bank, row and column, by organization.address_map.
#pragma once

#include <cstdint>
#include <iterator>
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
  constexpr std::string_view kFields[] = {"channel", "rank", "bankgroup", "bank", "row", "column"};
  std::int64_t values[std::size(kFields)] = {};
  for (const machine::Organization::Field &f : o.addressMap) {
    for (std::size_t i = 0; i < std::size(kFields); ++i)
      if (f.name == kFields[i]) values[i] = static_cast<std::int64_t>(address & ((std::uint64_t{1} << f.bits) - 1));
    address >>= f.bits;
  }
  const auto [channel, rank, group, bank, row, column] = values;
  return {static_cast<int>(channel), static_cast<int>((rank * o.bankGroups + group) * o.banksPerGroup + bank), row,
          column};
}

}  // namespace pimento::sim::dram
