// Moves of wordlines from bitlines to others, a block of bitlines at a time.
#include <algorithm>
#include <array>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/sim/sram/arrays.h"
#include "pimento/sim/sram/host_vector.h"

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

/// Words in a row, as they lie in wordlines of up to two blocks: `count` of `first`, then those of `second`. Null:
/// zeros.
struct Source {
  const std::uint64_t *first, *second;
  std::ptrdiff_t count;
};

/// `rows` wordlines of a block become `source`'s, shifted to the top by less than a word, where `where` is set.
/// `source` begins a word below what comes to the block.
PIMENTO_WIDEST
void mergeShifted(std::uint64_t *to, const Source &source, int rows, int by, const std::uint64_t *where) {
  constexpr std::ptrdiff_t kWords = kBlockWords;
  alignas(64) std::uint64_t words[2 * kWords + kVectorWords] = {};
  for (int r = 0; r < rows; ++r, to += kWords) {
    if (source.first != nullptr) std::memcpy(words, source.first + r * kWords, kWords * sizeof(std::uint64_t));
    if (source.second != nullptr)
      std::memcpy(words + kWords, source.second + r * kWords, kWords * sizeof(std::uint64_t));
    const std::uint64_t *low = words + kWords - source.count;
    for (std::ptrdiff_t w = 0; w < kWords; w += kVectorWords) {
      Vector value, below, mask;
      load(value, low + w + 1);
      if (by != 0) {
        load(below, low + w);
        value = value << by | below >> (64 - by);
      }
      load(mask, where + w);
      merge(to + w, value, mask);
    }
  }
}

/// The same of words that lie side by side, shifted to the top by `by` or, below 0, to the bottom; none comes from
/// a word's neighbour.
PIMENTO_WIDEST
void mergeWords(std::uint64_t *to, const std::uint64_t *from, int rows, int by, const std::uint64_t *where) {
  for (std::ptrdiff_t v = 0; v < kBlockWords; v += kVectorWords) {
    Vector mask;
    load(mask, where + v);
    for (std::ptrdiff_t w = v; w < rows * kBlockWords; w += kBlockWords) {
      Vector value;
      load(value, from + w);
      if (by >= 0)
        value <<= by;
      else
        value >>= -by;
      merge(to + w, value, mask);
    }
  }
}

}  // namespace

/// What comes to one block. Blocks that are read and written at once: see move().
void Arrays::moveInto(int from, int to, int rows, std::int64_t distance, std::span<const std::uint64_t> mask,
                      std::int64_t block) const {
  const Shifted shifted(distance);
  const auto masked = [&](std::int64_t w) {
    return w >= 0 && w < static_cast<std::int64_t>(mask.size()) ? mask[static_cast<std::size_t>(w)] : std::uint64_t{0};
  };
  BlockMask where{};
  std::uint64_t any = 0;
  for (std::int64_t i = 0; i < kBlockWords; ++i)
    any |= where[static_cast<std::size_t>(i)] = shifted.at(block * kBlockWords + i, masked);
  if (any == 0) return;
  const int by = static_cast<int>(distance & 63);
  const std::uint64_t fromBelow = (std::uint64_t{1} << by) - 1;  ///< bits that come from the word below
  const std::int64_t firstWord = block * kBlockWords - (distance >> 6) - 1;
  std::uint64_t *line = wordline(block, to);
  const auto isOneBlock = [&](std::int64_t word) { return word % kBlockWords == 0 && word >= 0; };
  if ((any & fromBelow) == 0 && isOneBlock(firstWord + 1))
    return mergeWords(line, wordline((firstWord + 1) / kBlockWords, from), rows, by, where.data());
  if ((any & ~fromBelow) == 0 && isOneBlock(firstWord))
    return mergeWords(line, wordline(firstWord / kBlockWords, from), rows, by - 64, where.data());
  const std::int64_t below = (firstWord >= 0 ? firstWord : firstWord - (kBlockWords - 1)) / kBlockWords;
  const auto lineOf = [&](std::int64_t b) { return b >= 0 && b < blocks_ ? wordline(b, from) : nullptr; };
  mergeShifted(line, {lineOf(below), lineOf(below + 1), kBlockWords - (firstWord - below * kBlockWords)}, rows, by,
               where.data());
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
  const Work where{.enabled = mask};
  const std::int64_t shares = (blocks_ + kBlocksAtOnce - 1) / kBlocksAtOnce;
  parallelFor(shares > 1 ? jobs_ : 1, shares, [&](std::int64_t share) {
    BlockMask enabled;
    const std::int64_t end = std::min(blocks_, (share + 1) * kBlocksAtOnce);
    for (std::int64_t block = share * kBlocksAtOnce; block < end; ++block) {
      if (!readMask(where, block, enabled)) continue;
      for (int b = 0; b < bits; ++b) {
        const bool isOne = ((value >> b) & 1) != 0;
        std::uint64_t *line = wordline(block, row + b);
        for (std::size_t i = 0; i < enabled.size(); ++i) line[i] = isOne ? line[i] | enabled[i] : line[i] & ~enabled[i];
      }
    }
  });
}

}  // namespace pimento::sim::sram
