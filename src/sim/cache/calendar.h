// How much of a resource is taken in each cycle, where users come in any order of time: issue slots, ports, units.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::sim {

class Calendar {
 public:
  /// `capacity` per cycle. Cycles that lie further apart than `window` (a power of two) are not told apart as long as
  /// nobody looks back: what is asked about must be younger than the youngest cycle less the window.
  explicit Calendar(int capacity, std::size_t window = std::size_t{1} << 14)
      : capacity_(static_cast<std::uint32_t>(capacity)), slots_(window), mask_(window - 1) {}

  /// The first cycle from `at` on from which `length` cycles have room.
  std::int64_t first(std::int64_t at, std::int64_t length = 1) const {
    for (std::int64_t start = at;;) {
      std::int64_t c = start;
      while (c < start + length && taken(c) < capacity_) ++c;
      if (c == start + length) return start;
      start = c + 1;
    }
  }
  void book(std::int64_t at, std::int64_t length = 1) {
    for (std::int64_t c = at; c < at + length; ++c) add(c);
  }
  std::int64_t take(std::int64_t at, std::int64_t length = 1) {
    const std::int64_t found = first(at, length);
    book(found, length);
    return found;
  }

 private:
  struct Slot {
    std::int64_t cycle = -1;
    std::uint32_t taken = 0;
  };

  std::uint32_t taken(std::int64_t cycle) const {
    const Slot &s = slots_[static_cast<std::size_t>(cycle) & mask_];
    return s.cycle == cycle ? s.taken : 0;
  }
  void add(std::int64_t cycle) {
    Slot &s = slots_[static_cast<std::size_t>(cycle) & mask_];
    if (s.cycle != cycle) s = {cycle, 0};
    ++s.taken;
  }

  std::uint32_t capacity_;
  std::vector<Slot> slots_;
  std::size_t mask_;
};

}  // namespace pimento::sim
