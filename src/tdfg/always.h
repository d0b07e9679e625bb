// What holds of forms, ranges and boxes at every size that a program takes, whatever its loops' values are. A question
// without a sure answer is answered with no. Internal to the room.
#pragma once

#include <optional>
#include <vector>

#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

class Always {
 public:
  Always(const Program &program, const Region &region) : program_(program), region_(region) {}

  /// a <= b.
  bool isAtMost(const Form &a, const Form &b) const;
  /// Every cell of `part` is one of `whole`.
  bool covers(const Range &whole, const Range &part) const;
  bool covers(const Box &whole, const Box &part) const;
  /// Without loops that have one value.
  Form plain(Form form) const;
  /// Without bounds that others imply, in one order: equal ranges are written alike.
  Range plain(Range range) const;
  Box plain(Box box) const;
  /// What both have; nothing: strides that do not meet.
  std::optional<Range> meet(const Range &a, const Range &b) const;
  std::optional<Box> meet(const Box &a, const Box &b) const;
  /// From the least low to the greatest high, where these are known.
  std::optional<Box> hull(const Box &a, const Box &b) const;
  /// By dim, the region's bounding box (Instance::bounding); nothing: it hangs on sizes which array is the largest.
  std::vector<std::optional<Range>> bounding() const;

 private:
  bool isPositive(const Form &form) const;

  const Program &program_;
  const Region &region_;
};

/// All bounds `by` further up.
Range shifted(Range range, const Form &by);

}  // namespace pimento::tdfg
