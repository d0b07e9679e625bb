// Moves of wordlines from bitlines to others, a block of bitlines at a time.
#include <algorithm>
#include <array>

#include "pimento/base/diagnostics.h"
#include "pimento/base/thread_pool.h"
#include "pimento/sim/sram/arrays.h"

namespace pimento::sim::sram {

namespace {

constexpr std::int64_t kBlocksAtOnce = 64;

/// 64 bits of a wordline, or of a mask, from a bit on that may lie outside: 0 there.
class Shifted {
 public:
  explicit Shifted(std::int64_t distance) : away_(distance >> 6), by_(static_cast<int>(distance & 63)) {}

  /// What comes to word `target`; `word(w)` has word w.
  template <typename Word>
  std::uint64_t at(std::int64_t target, const Word &word) const {
    const std::uint64_t low = word(target - away_) << by_;
    return by_ == 0 ? low : low | word(target - away_ - 1) >> (64 - by_);
  }

 private:
  std::int64_t away_;
  int by_;
};

}  // namespace

/// What comes to one block. Blocks that are read and written at once: see move().
void Arrays::moveInto(int from, int to, int rows, std::int64_t distance, std::span<const std::uint64_t> mask,
                      std::int64_t block) const {
  const Shifted shifted(distance);
  const auto masked = [&](std::int64_t w) {
    return w >= 0 && w < static_cast<std::int64_t>(mask.size()) ? mask[static_cast<std::size_t>(w)] : std::uint64_t{0};
  };
  std::array<std::uint64_t, kBlockWords> where{};
  std::uint64_t any = 0;
  for (std::int64_t i = 0; i < kBlockWords; ++i) {
    where[static_cast<std::size_t>(i)] = shifted.at(block * kBlockWords + i, masked);
    any |= where[static_cast<std::size_t>(i)];
  }
  if (any == 0) return;
  // What is shifted in may come from the block below and the one above.
  const std::int64_t firstWord = block * kBlockWords - (distance >> 6) - 1, words = blocks_ * kBlockWords;
  const int by = static_cast<int>(distance & 63);
  const std::int64_t low = std::max<std::int64_t>(firstWord, 0) / kBlockWords,
                     high = std::min(firstWord + kBlockWords, words - 1) / kBlockWords;
  for (int r = 0; r < rows; ++r) {
    std::array<std::uint64_t, kBlockWords + 1> source{};
    for (std::int64_t b = low; b <= high; ++b) {
      const std::uint64_t *line = wordline(b, from + r);
      const std::int64_t begin = std::max(b * kBlockWords, firstWord),
                         end = std::min((b + 1) * kBlockWords, firstWord + kBlockWords + 1);
      for (std::int64_t w = begin; w < end; ++w)
        source[static_cast<std::size_t>(w - firstWord)] = line[w - b * kBlockWords];
    }
    std::uint64_t *line = wordline(block, to + r);
    for (std::size_t i = 0; i < kBlockWords; ++i) {
      const std::uint64_t value = by == 0 ? source[i + 1] : source[i + 1] << by | source[i] >> (64 - by);
      line[i] ^= (line[i] ^ value) & where[i];
    }
  }
}

void Arrays::move(int from, int to, int rows, std::int64_t distance, std::span<const std::uint64_t> mask) {
  PIMENTO_CHECK(from >= 0 && to >= 0 && from + rows <= wordlines_ && to + rows <= wordlines_);
  std::int64_t first = 0, last = static_cast<std::int64_t>(mask.size()) - 1;
  while (first <= last && mask[static_cast<std::size_t>(first)] == 0) ++first;
  while (last >= first && mask[static_cast<std::size_t>(last)] == 0) --last;
  if (first > last) return;
  // Words that anything comes to, and the blocks that have them.
  const std::int64_t away = distance >> 6, words = blocks_ * kBlockWords;
  const std::uint64_t lowest = mask[static_cast<std::size_t>(first)] << (distance & 63);
  PIMENTO_CHECK(first + away + (lowest == 0 ? 1 : 0) >= 0 && last + away < words);
  const std::int64_t low = std::max<std::int64_t>(0, first + away) / kBlockWords,
                     high = std::min(words - 1, last + away + 1) / kBlockWords;
  const std::int64_t shares = (high - low + kBlocksAtOnce) / kBlocksAtOnce;
  // A wordline that is moved onto itself may be read while another thread writes it.
  const bool isApart = from + rows <= to || to + rows <= from || distance == 0;
  parallelFor(isApart && shares > 1 ? jobs_ : 1, shares, [&](std::int64_t share) {
    const std::int64_t end = std::min(high + 1, low + (share + 1) * kBlocksAtOnce);
    for (std::int64_t b = low + share * kBlocksAtOnce; b < end; ++b) moveInto(from, to, rows, distance, mask, b);
  });
}

void Arrays::fill(int row, int bits, std::uint64_t value, std::span<const std::uint64_t> mask) {
  PIMENTO_CHECK(row >= 0 && row + bits <= wordlines_);
  const std::int64_t words = std::min<std::int64_t>(static_cast<std::int64_t>(mask.size()), blocks_ * kBlockWords);
  for (std::int64_t w = 0; w < words; ++w) {
    const std::uint64_t m = mask[static_cast<std::size_t>(w)];
    if (m == 0) continue;
    for (int b = 0; b < bits; ++b) {
      std::uint64_t &at = word(w, row + b);
      at = ((value >> b) & 1) != 0 ? at | m : at & ~m;
    }
  }
}

}  // namespace pimento::sim::sram
