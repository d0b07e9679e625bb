// A simulation state as a flat list of words: what fast-forward compares.
//
// Two states match only if all words are equal; the hash is an index, never a proof. Writers put in everything that can
// influence a future command, times relative to now and addresses relative to the loop counters that may be shifted.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::sim {

/// Words of one state. Reused between snapshots, so it allocates once.
class StateWords {
 public:
  void clear() { words_.clear(); }
  void put(std::int64_t w) { words_.push_back(w); }
  /// Two small values in one word; both must fit 32 bits.
  void put(std::int32_t a, std::int32_t b) {
    words_.push_back((static_cast<std::int64_t>(a) << 32) | static_cast<std::uint32_t>(b));
  }
  const std::vector<std::int64_t> &words() const { return words_; }
  bool operator==(const StateWords &o) const { return words_ == o.words_; }

  std::uint64_t hash() const {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ words_.size();
    for (const std::int64_t w : words_) {
      h ^= static_cast<std::uint64_t>(w);
      h *= 0xff51afd7ed558ccdULL;
      h ^= h >> 32;
    }
    return h;
  }

 private:
  std::vector<std::int64_t> words_;
};

}  // namespace pimento::sim
