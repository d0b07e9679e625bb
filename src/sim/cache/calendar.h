// How much of a resource is taken in each cycle, where users come in any order of time: issue slots, ports, units.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::sim {

class Calendar {
 public:
  /// `capacity` per cycle, at most 255. Cycles that lie further apart than `window` (a power of two) are not told apart
  /// as long as nobody looks back: what is asked about must be younger than the youngest cycle less the window.
  explicit Calendar(int capacity, std::size_t window = std::size_t{1} << 14)
      : capacity_(static_cast<std::uint64_t>(capacity)), slots_(window, kNever), mask_(window - 1) {}

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
    std::uint64_t &slot = slots_[static_cast<std::size_t>(at) & mask_];
    if (slot >> kTakenBits != static_cast<std::uint64_t>(at)) slot = static_cast<std::uint64_t>(at) << kTakenBits;
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
  /// A slot is a cycle, and how much of it is taken in the low bits.
  static constexpr int kTakenBits = 8;
  static constexpr std::uint64_t kTaken = (1U << kTakenBits) - 1, kNever = ~kTaken;

  std::uint64_t taken(std::int64_t cycle) const {
    const std::uint64_t slot = slots_[static_cast<std::size_t>(cycle) & mask_];
    return slot >> kTakenBits == static_cast<std::uint64_t>(cycle) ? slot & kTaken : 0;
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

  std::uint64_t capacity_;
  std::vector<std::uint64_t> slots_;
  std::size_t mask_;
  std::int64_t fullFrom_ = 0, fullTo_ = 0;
};

}  // namespace pimento::sim
