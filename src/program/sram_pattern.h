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

/// Numbers of 31 bits. Strides ascend, and no level reaches the next one's: numbers come in ascending order, each once.
class SramPattern {
 public:
  static constexpr int kMostLevels = 3;  ///< as many as a lattice has dims
  struct Level {
    std::int32_t stride = 1, count = 1;
    bool operator==(const Level &) const = default;
  };

  SramPattern() = default;
  explicit SramPattern(std::int64_t start) : start_(static_cast<std::int32_t>(start)) {}

  std::int64_t start() const { return start_; }
  int levels() const { return levels_; }
  const Level &level(int i) const { return level_[static_cast<std::size_t>(i)]; }

  /// A level outside the others; one of a single number is dropped, one that goes on where the last ends is joined
  /// with it.
  void add(std::int64_t stride, std::int64_t count) {
    if (count == 1) return;
    if (levels_ > 0) {
      Level &last = level_[static_cast<std::size_t>(levels_ - 1)];
      if (std::int64_t{last.stride} * last.count == stride) {
        last.count = static_cast<std::int32_t>(last.count * count);
        return;
      }
    }
    level_[static_cast<std::size_t>(levels_++)] = {static_cast<std::int32_t>(stride), static_cast<std::int32_t>(count)};
  }

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
    if (levels_ == 0) return body(start(), std::int64_t{1}, std::int64_t{1});
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
    const std::int64_t stride = l.stride, count = l.count;
    if (at == 0) return body(start, stride, count);
    for (std::int64_t i = 0; i < count; ++i) runs(start + i * stride, at - 1, body);
  }

  std::int32_t start_ = 0, levels_ = 0;
  std::array<Level, kMostLevels> level_{};
};

/// "1:2:2"; one number: "5".
std::string print(const SramPattern &pattern);
/// Nothing but a pattern. Diagnostic: sram-pattern (numbers, or strides that overlap).
Result<SramPattern> parseSramPattern(std::string_view text);

}  // namespace pimento::program
