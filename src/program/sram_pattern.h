// Bitlines of an array, or tiles of a lattice, as commands of computing SRAM name them: `start[:stride:count]+`.
//
// The numbers start + i0 * stride0 + i1 * stride1 + ..., each index from 0 to below its count, innermost first.
// Infinity Stream, section 4.2. A box of a tiled lattice is one pattern of bitlines and one of tiles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento::program {

/// Strides ascend, and no level reaches the next one's: numbers come in ascending order, each once.
class SramPattern {
 public:
  static constexpr int kMostLevels = 6;
  struct Level {
    std::int64_t stride = 1, count = 1;
    bool operator==(const Level &) const = default;
  };

  SramPattern() = default;
  explicit SramPattern(std::int64_t start) : start_(start) {}

  std::int64_t start() const { return start_; }
  int levels() const { return levels_; }
  const Level &level(int i) const { return level_[static_cast<std::size_t>(i)]; }

  /// A level outside the others; one of a single number is dropped, one that goes on where the last ends is joined
  /// with it.
  void add(std::int64_t stride, std::int64_t count) {
    if (count == 1) return;
    if (levels_ > 0) {
      Level &last = level_[static_cast<std::size_t>(levels_ - 1)];
      if (last.stride * last.count == stride) {
        last.count *= count;
        return;
      }
    }
    level_[static_cast<std::size_t>(levels_++)] = {stride, count};
  }
  void shiftStart(std::int64_t by) { start_ += by; }

  std::int64_t count() const;
  /// The largest number.
  std::int64_t last() const;
  /// How many lie in [low, high).
  std::int64_t countWithin(std::int64_t low, std::int64_t high) const;
  /// Whether two patterns share a number. Exact where levels do not overlap, as here.
  bool meets(const SramPattern &other) const;

  /// Calls body(first, stride, count) for each innermost run.
  template <typename Body>
  void forEachRun(const Body &body) const {
    if (levels_ == 0) return body(start_, std::int64_t{1}, std::int64_t{1});
    runs(start_, levels_ - 1, body);
  }
  template <typename Body>
  void forEach(const Body &body) const {
    forEachRun([&](std::int64_t first, std::int64_t stride, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) body(first + i * stride);
    });
  }

  bool operator==(const SramPattern &o) const;

 private:
  std::int64_t countIn(int levels, std::int64_t start, std::int64_t low, std::int64_t high) const;
  std::int64_t span(int levels) const;
  template <typename Body>
  void runs(std::int64_t start, int at, const Body &body) const {
    const Level &l = level_[static_cast<std::size_t>(at)];
    if (at == 0) return body(start, l.stride, l.count);
    for (std::int64_t i = 0; i < l.count; ++i) runs(start + i * l.stride, at - 1, body);
  }

  std::int64_t start_ = 0;
  int levels_ = 0;
  std::array<Level, kMostLevels> level_{};
};

/// "1:2:2"; one number: "5".
std::string print(const SramPattern &pattern);
/// Nothing but a pattern. Diagnostic: sram-pattern (numbers, or strides that overlap).
Result<SramPattern> parseSramPattern(std::string_view text);

}  // namespace pimento::program
