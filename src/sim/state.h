// A simulation state as a flat list of words in named parts: what fast-forward compares, keeps and restores.
//
// Two states match only if all words of the parts that are compared are equal; the hash is an index, never a proof.
// Writers put in everything that can influence what comes, times relative to now and addresses relative to the loop
// counters, which stand beside the words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::sim {

/// Parts of a state, one bit each.
using Parts = std::uint32_t;

/// Parts of the state that tests leave out when states are compared, to show that the tests would notice.
struct Weakening {
  Parts without = 0;

  template <typename Part>
  bool leavesOut(Part part) const {
    return ((without >> static_cast<int>(part)) & 1U) != 0;
  }
};

/// Words of one state. Reused between snapshots, so it allocates once.
class StateWords {
 public:
  static constexpr int kMostParts = 24;

  void clear() {
    words_.clear();
    parts_ = 0;
  }
  /// What follows is of this part. An engine begins its parts in their order, each once.
  template <typename Part>
  void begin(Part part) {
    PIMENTO_CHECK(static_cast<int>(part) == parts_ && parts_ < kMostParts);
    begins_[static_cast<std::size_t>(parts_++)] = size();
  }
  void put(std::int64_t w) { words_.push_back(w); }
  /// Two small values in one word; both must fit 32 bits.
  void put(std::int32_t a, std::int32_t b) {
    words_.push_back((static_cast<std::int64_t>(a) << 32) | static_cast<std::uint32_t>(b));
  }

  /// Words [first, end) of a part.
  std::pair<std::size_t, std::size_t> range(int part) const {
    const auto p = static_cast<std::size_t>(part);
    return {begins_[p], part + 1 < parts_ ? begins_[p + 1] : size()};
  }
  std::int64_t operator[](std::size_t i) const { return words_[i]; }
  std::size_t bytes() const { return words_.capacity() * sizeof(std::int64_t); }

  /// Whether all parts but those `without` are equal.
  bool matches(const StateWords &o, Parts without) const {
    if (parts_ != o.parts_) return false;
    for (int p = 0; p < parts_; ++p) {
      if (((without >> p) & 1U) != 0) continue;
      const auto [first, end] = range(p);
      const auto [from, to] = o.range(p);
      if (!std::equal(
              words_.begin() + static_cast<std::ptrdiff_t>(first), words_.begin() + static_cast<std::ptrdiff_t>(end),
              o.words_.begin() + static_cast<std::ptrdiff_t>(from), o.words_.begin() + static_cast<std::ptrdiff_t>(to)))
        return false;
    }
    return true;
  }

  std::uint64_t hash(Parts without) const {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (int p = 0; p < parts_; ++p) {
      if (((without >> p) & 1U) != 0) continue;
      const auto [first, end] = range(p);
      for (std::size_t i = first; i < end; ++i) {
        h ^= static_cast<std::uint64_t>(words_[i]);
        h *= 0xff51afd7ed558ccdULL;
        h ^= h >> 32;
      }
    }
    return h;
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }

  std::vector<std::int64_t> words_;
  std::array<std::uint32_t, kMostParts> begins_{};  ///< first word of each part
  int parts_ = 0;
};

/// Reads a state in the order in which it was written.
class StateReader {
 public:
  explicit StateReader(const StateWords &words) : words_(words) {}

  template <typename Part>
  void begin(Part part) {
    std::tie(at_, end_) = words_.range(static_cast<int>(part));
  }
  /// Whether the part has more words.
  bool hasMore() const { return at_ < end_; }
  std::size_t left() const { return end_ - at_; }
  std::int64_t get() { return words_[at_++]; }
  /// A time that was written relative to `now`; -1: `never`.
  std::int64_t getTime(std::int64_t now, std::int64_t never) {
    const std::int64_t w = get();
    return w < 0 ? never : now + w;
  }
  std::pair<std::int32_t, std::int32_t> getPair() {
    const std::int64_t w = get();
    return {static_cast<std::int32_t>(w >> 32), static_cast<std::int32_t>(w)};
  }

 private:
  const StateWords &words_;
  std::size_t at_ = 0, end_ = 0;
};

}  // namespace pimento::sim
