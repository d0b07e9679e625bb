// The tensor transpose units of a cache (Infinity Stream, section 5.2), one per way: each takes a line in as many
// cycles as an element has bits, one behind the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pimento/machine/sections/sram.h"

namespace pimento::sim::sram {

class TransposeUnits {
 public:
  explicit TransposeUnits(const machine::Sram &sram)
      : ways_(sram.ways), free_(static_cast<std::size_t>(sram.banks() * sram.ways), 0) {}

  /// A line of elements of `bits` bits comes to a way's unit in cycle `now`: when it has passed.
  std::int64_t pass(int bank, int way, int bits, std::int64_t now) {
    ++passes_;
    std::int64_t &free = free_[static_cast<std::size_t>(bank * ways_ + way)];
    return free = std::max(free, now) + bits;
  }
  /// Lines that have come to units; one whose elements lie in several ways counts in each.
  std::int64_t passes() const { return passes_; }

 private:
  std::int64_t ways_;
  std::vector<std::int64_t> free_;  ///< by bank and way: from then on
  std::int64_t passes_ = 0;
};

}  // namespace pimento::sim::sram
