// Translation lookaside buffers: which pages a core, or a stream engine, can translate at once, and what others take.
//
// Two levels of sets and ways, least recently used; what both miss takes a page walk, of fixed length. Pages are
// numbers; which frame one has is pages.h's business.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/sim/cache/tags.h"

namespace pimento::sim::cache {

class Tlb {
 public:
  struct Level {
    std::int64_t entries = 64;
    int ways = 8;
    std::int64_t latency = 0;  ///< cycles that a hit adds
  };
  struct Counts {
    std::int64_t lookups = 0, misses = 0, walks = 0;  ///< misses: of the first level
  };

  /// `levels`: one or two, the nearest first. `walk`: cycles that a page walk adds.
  Tlb(const std::vector<Level> &levels, std::int64_t walk);

  /// Cycles until the page is translated; it is there from then on.
  std::int64_t translate(std::uint64_t page) {
    ++counts_.lookups;
    if (page == last_) return levels_.front().latency;  // the most recent one stays so
    last_ = page;
    return find(page);
  }
  const Counts &counts() const { return counts_; }

 private:
  std::int64_t find(std::uint64_t page);

  std::vector<Level> levels_;
  std::vector<Tags> tags_;
  std::int64_t walk_;
  std::uint64_t last_ = ~std::uint64_t{0};
  Counts counts_;
};

}  // namespace pimento::sim::cache
