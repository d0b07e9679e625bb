// What lies in a cache: which lines, which of them are dirty, and which one goes when another comes. No time.
//
// Least recently used, or bimodal re-reference interval prediction (Jaleel et al., ISCA 2010): a line has a prediction
// of a few bits, 0 when it was used again; one that comes is predicted to be used in a distant future, and in a share
// of the cases in a long one; the first line with the most distant prediction goes, and all others age until there is
// one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pimento/base/zeroed_array.h"
#include "pimento/machine/sections/core.h"

namespace pimento::sim::cache {

using machine::Replacement;

class Tags {
 public:
  struct Shape {
    std::int64_t sets = 1;  ///< a power of two
    int ways = 1;
    Replacement replacement = Replacement::kLru;
    int predictionBits = 2;  ///< of a line
    std::int64_t longEvery =
        32;  ///< of so many lines that come one is predicted for the long future, not the distant one
  };
  /// A line that had to go.
  struct Victim {
    std::uint64_t line = 0;
    bool isDirty = false;
  };

  explicit Tags(const Shape &shape);

  /// Line numbers are addresses divided by the length of a line; consecutive ones lie in consecutive sets.
  bool has(std::uint64_t line) const { return find(line) < numbers_.size(); }
  /// The place of a line that is there, of `places()`: for what a cache knows of it beyond this.
  std::size_t placeOf(std::uint64_t line) const { return find(line); }
  std::size_t places() const { return numbers_.size(); }
  /// Uses a line that is there; false: it is not.
  bool use(std::uint64_t line, bool isWrite);
  /// Brings a line in that is not there: what goes for it.
  std::optional<Victim> bringIn(std::uint64_t line, bool isDirty);
  /// Takes a line out: whether it was there, and dirty.
  std::optional<Victim> takeOut(std::uint64_t line);
  /// Takes all dirty lines of [from, to) and cleans them: numbers, rising.
  std::vector<std::uint64_t> clean(std::uint64_t from, std::uint64_t to);
  /// Only the first `ways` of each set hold lines from here on; the others lose theirs. Dirty ones among those, rising.
  std::vector<std::uint64_t> restrict(int ways);

  std::int64_t held() const { return held_; }

 private:
  struct Line {
    std::uint64_t order;  ///< LRU: of its last use; else its prediction
    bool isDirty;
  };
  static constexpr std::uint64_t kNone = 0;

  std::size_t setOf(std::uint64_t line) const {
    return static_cast<std::size_t>(line & setMask_) * static_cast<std::size_t>(shape_.ways);
  }
  /// Its place, or places() where it is not there.
  std::size_t find(std::uint64_t line) const {
    if (numbers_[last_] == line + 1) return last_;
    const std::size_t set = setOf(line);
    for (std::size_t place = set; place < set + static_cast<std::size_t>(usable_); ++place)
      if (numbers_[place] == line + 1) return last_ = place;
    return numbers_.size();
  }
  std::size_t victimIn(std::size_t set);
  void clear(std::size_t place);

  Shape shape_;
  int usable_;
  std::uint64_t setMask_;
  ZeroedArray<std::uint64_t> numbers_;  ///< of the line in each place and one: apart, as they are searched; 0: none
  ZeroedArray<Line> lines_;
  mutable std::size_t last_ = 0;  ///< the place that was found last: often that of the next one, too
  std::uint64_t clock_ = 0;
  std::int64_t held_ = 0, came_ = 0;
};

}  // namespace pimento::sim::cache
