// Blocks whose bitlines that take part leave room for each other's: they run a program as one.
//
// Reductions and strides enable the same few of every 64 bitlines. Since bitlines know nothing of each other, those of
// several blocks, side by side in the words of one, give the same bits in one run. A matter of the host's speed alone.
#pragma once

#include <array>
#include <cstdint>

#include "pimento/sim/sram/host_program.h"

namespace pimento::sim::sram {

/// Where the bitlines `lanes` of every word of a block go, so that those of `count` blocks do not meet.
struct LanePacking {
  std::uint64_t lanes = 0;
  int count = 0;
  std::array<std::int8_t, 64> shifts{};  ///< by block: towards the top of a word, or, below 0, the bottom

  explicit LanePacking(std::uint64_t lanes);
};

/// Adds block number `number` of a packing, `rows` wordlines of it, to a packed one, which is 0 at first.
void pack(const LanePacking &packing, int number, const std::uint64_t *block, int rows, std::uint64_t *packed);
/// Back, where `enabled` (kBlockWords words) is set.
void unpack(const LanePacking &packing, int number, const std::uint64_t *packed, int rows, const std::uint64_t *enabled,
            std::uint64_t *block);

}  // namespace pimento::sim::sram
