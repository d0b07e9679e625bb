// The memory accesses of a loop nest as a stream has them: groups of elements, and the lines that these touch.
//
// A nest is walked in order; its innermost loop goes in groups of `lanes` iterations, fewer at the end of a row. A
// stream visits the lines that its elements lie in, one after the other; a line that it has just visited is not visited
// again. So a stream that does not move with the inner loops visits its line once.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::sim::stream {

/// Trip counts, outermost first, and how many iterations of the innermost loop go together.
struct Nest {
  std::vector<std::int64_t> extents;
  std::int64_t lanes = 16;

  std::int64_t rowGroups() const { return (extents.back() + lanes - 1) / lanes; }
  std::int64_t rows() const;
  std::int64_t groups() const { return rows() * rowGroups(); }
  /// Iterations of group `g`.
  std::int64_t width(std::int64_t g) const;
};

/// Addresses of one stream: base + sum of strides[d] * iteration of loop d, in bytes.
struct Pattern {
  std::uint64_t base = 0;
  std::vector<std::int64_t> strides;  ///< by loop of the nest
  std::int64_t elementBytes = 4;

  /// Of the first element of group `g`.
  std::uint64_t address(const Nest &nest, std::int64_t g) const;
  bool operator==(const Pattern &) const = default;
};

/// A line that a stream visits.
struct Visit {
  std::uint64_t line = 0;
  std::int64_t group = 0;  ///< the first that needs it
  std::int64_t bytes = 0;  ///< of the line that its elements have, while it stays there; each element once
};

/// Goes from visit to visit.
class Walk {
 public:
  Walk(const Nest &nest, const Pattern &pattern, std::int64_t lineBytes);

  /// Nothing is left to visit.
  bool isAtEnd() const { return !hasVisit_; }
  /// The one it is at, unless it is at the end.
  const Visit &visit() const { return current_; }
  /// Its number, from 0.
  std::int64_t number() const { return number_; }
  /// Goes to the next one.
  void next();

 private:
  void expand();

  Nest nest_;
  Pattern pattern_;
  std::uint64_t lineBytes_;
  std::int64_t groups_ = 0, group_ = 0;  ///< the next group to look at
  std::int64_t number_ = -1;
  bool hasVisit_ = false;
  Visit current_;
  std::vector<Visit> pending_;  ///< of groups that were looked at, last first
};

}  // namespace pimento::sim::stream
