// Moves of wordlines from bitlines to others, 64 bitlines at a time.
#include <algorithm>

#include "pimento/base/diagnostics.h"
#include "pimento/sim/sram/arrays.h"

namespace pimento::sim::sram {

void Arrays::move(int from, int to, int rows, std::int64_t distance, std::span<const std::uint64_t> mask) {
  PIMENTO_CHECK(from >= 0 && to >= 0 && from + rows <= wordlines_ && to + rows <= wordlines_);
  const std::int64_t words = std::min<std::int64_t>(static_cast<std::int64_t>(mask.size()), blocks_ * kBlockWords);
  const std::int64_t away = distance >> 6;
  const int by = static_cast<int>(distance & 63);
  const auto put = [&](std::int64_t word, int row, std::uint64_t bits, std::uint64_t where) {
    std::uint64_t &w = wordline(word / kBlockWords, row)[word % kBlockWords];
    w = (w & ~where) | bits;
  };
  for (std::int64_t w = 0; w < words; ++w) {
    const std::uint64_t m = mask[static_cast<std::size_t>(w)];
    if (m == 0) continue;
    const std::uint64_t low = m << by, high = by == 0 ? 0 : m >> (64 - by);
    const std::int64_t target = w + away;
    PIMENTO_CHECK(low == 0 || (target >= 0 && target < blocks_ * kBlockWords));
    PIMENTO_CHECK(high == 0 || (target + 1 >= 0 && target + 1 < blocks_ * kBlockWords));
    for (int r = 0; r < rows; ++r) {
      const std::uint64_t bits = wordline(w / kBlockWords, from + r)[w % kBlockWords] & m;
      if (low != 0) put(target, to + r, bits << by, low);
      if (high != 0) put(target + 1, to + r, bits >> (64 - by), high);
    }
  }
}

void Arrays::fill(int row, int bits, std::uint64_t value, std::span<const std::uint64_t> mask) {
  PIMENTO_CHECK(row >= 0 && row + bits <= wordlines_);
  const std::int64_t words = std::min<std::int64_t>(static_cast<std::int64_t>(mask.size()), blocks_ * kBlockWords);
  for (std::int64_t w = 0; w < words; ++w) {
    const std::uint64_t m = mask[static_cast<std::size_t>(w)];
    if (m == 0) continue;
    for (int b = 0; b < bits; ++b) {
      std::uint64_t &at = wordline(w / kBlockWords, row + b)[w % kBlockWords];
      at = ((value >> b) & 1) != 0 ? at | m : at & ~m;
    }
  }
}

}  // namespace pimento::sim::sram
