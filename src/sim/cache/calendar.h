// How much of a resource is taken in each cycle, where users come in any order of time: issue slots, ports, units.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace pimento::sim {

class Calendar {
 public:
  /// `capacity` per cycle, at most 255. Cycles that lie further apart than `window` (a power of two) are not told apart
  /// as long as nobody looks back: what is asked about must be younger than the youngest cycle less the window.
  explicit Calendar(int capacity, std::size_t window = std::size_t{1} << 14)
      : capacity_(static_cast<std::uint32_t>(capacity)),
        slots_(window, kNever),
        mask_(window - 1),
        shift_(std::countr_zero(window)) {}

  /// The first cycle from `at` on that has room.
  std::int64_t first(std::int64_t at) const {
    if (at >= fullFrom_ && at < fullTo_) at = fullTo_;
    while (taken(at) >= capacity_) ++at;
    return at;
  }
  /// The first cycle from `at` on from which `length` cycles have room.
  std::int64_t first(std::int64_t at, std::int64_t length) const {
    for (std::int64_t start = at;;) {
      std::int64_t c = start;
      while (c < start + length && taken(c) < capacity_) ++c;
      if (c == start + length) return start;
      start = c + 1;
    }
  }
  void book(std::int64_t at) {
    std::uint32_t &slot = slots_[static_cast<std::size_t>(at) & mask_];
    if ((slot & ~kTaken) != roundOf(at)) slot = roundOf(at);
    ++slot;
    if ((slot & kTaken) == capacity_) fill(at);
  }
  void book(std::int64_t at, std::int64_t length) {
    for (std::int64_t c = at; c < at + length; ++c) book(c);
  }
  std::int64_t take(std::int64_t at) {
    const std::int64_t found = first(at);
    book(found);
    return found;
  }
  std::int64_t take(std::int64_t at, std::int64_t length) {
    const std::int64_t found = first(at, length);
    book(found, length);
    return found;
  }

 private:
  /// A slot is how often its cycles went around the window, and how much of the last one is taken in the low bits;
  /// small, since cores pass through many of them. After 2^24 - 1 times around it begins again, 10^11 cycles.
  static constexpr int kTakenBits = 8;
  static constexpr std::uint32_t kTaken = (1U << kTakenBits) - 1, kNever = ~kTaken;

  std::uint32_t roundOf(std::int64_t cycle) const { return static_cast<std::uint32_t>(cycle >> shift_) << kTakenBits; }
  std::uint32_t taken(std::int64_t cycle) const {
    const std::uint32_t slot = slots_[static_cast<std::size_t>(cycle) & mask_];
    return (slot & ~kTaken) == roundOf(cycle) ? slot & kTaken : 0;
  }
  /// Full cycles in a row are passed over at once: those of the youngest such row.
  void fill(std::int64_t cycle) {
    if (cycle == fullTo_) {
      ++fullTo_;
    } else if (cycle > fullTo_) {
      fullFrom_ = cycle;
      fullTo_ = cycle + 1;
    }
  }

  std::uint32_t capacity_;
  std::vector<std::uint32_t> slots_;
  std::size_t mask_;
  int shift_;
  std::int64_t fullFrom_ = 0, fullTo_ = 0;
};

/// The same of what one user has at a time, for many cycles at a stretch: a bit per cycle, so that many of them stay
/// near.
class BitCalendar {
 public:
  /// As Calendar's, at least 128.
  explicit BitCalendar(std::size_t window) : words_(window / kBits), mask_(words_.size() - 1) {}

  /// Takes the first `length` free cycles in a row from `at` on. Returns where they begin.
  std::int64_t take(std::int64_t at, std::int64_t length) {
    if (length > kLongest) return takeMany(at, length);
    for (;;) {
      // Places in the next 64 cycles where a run may begin.
      const std::uint64_t free = ~taken(at);
      std::uint64_t runs = free & ~std::uint64_t{0} >> (length - 1);
      for (std::int64_t k = 1; k < length; ++k) runs &= free >> k;
      if (runs != 0) {
        at += std::countr_zero(runs);
        book(at, length);
        return at;
      }
      at += kBits - length + 1;
    }
  }

 private:
  std::int64_t takeMany(std::int64_t at, std::int64_t length) {
    for (std::int64_t run = 0; run < length;) {
      if ((taken(at + run) & 1) == 0) {
        ++run;
      } else {
        at += run + 1;
        run = 0;
      }
    }
    for (std::int64_t done = 0; done < length; done += kLongest) book(at + done, std::min(kLongest, length - done));
    return at;
  }

  static constexpr std::int64_t kLongest = 32;  ///< that one look at 64 cycles finds
  static constexpr std::int64_t kBits = 64;
  struct Word {
    std::int64_t block = -1;  ///< of 64 cycles
    std::uint64_t taken = 0;
  };
  Word &word(std::int64_t block) { return words_[static_cast<std::size_t>(block) & mask_]; }
  std::uint64_t takenIn(std::int64_t block) {
    const Word &w = word(block);
    return w.block == block ? w.taken : 0;
  }
  /// Of the 64 cycles from `at` on.
  std::uint64_t taken(std::int64_t at) {
    const std::int64_t block = at / kBits, shift = at % kBits;
    const std::uint64_t low = takenIn(block) >> shift;
    return shift == 0 ? low : low | takenIn(block + 1) << (kBits - shift);
  }
  void book(std::int64_t from, std::int64_t length) {
    const std::uint64_t run = (std::uint64_t{1} << length) - 1;
    const std::int64_t shift = from % kBits;
    mark(from / kBits, run << shift);
    if (shift + length > kBits) mark(from / kBits + 1, run >> (kBits - shift));
  }
  void mark(std::int64_t block, std::uint64_t bits) {
    Word &w = word(block);
    if (w.block != block) w = {block, 0};
    w.taken |= bits;
  }

  std::vector<Word> words_;
  std::size_t mask_;
};

}  // namespace pimento::sim
