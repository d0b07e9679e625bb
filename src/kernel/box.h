// The smallest box known to hold all points that a kernel's guards let run, and what affine forms do on it.
//
// Interval reasoning, not integer programming: a form that is within bounds for a reason intervals cannot see is
// reported as out of bounds. Two cases beyond plain intervals are covered, since padded convolutions and triangular
// loops need them: guards tighten the box, and a form that differs from a guard, or from a sum of up to three, by
// something non-negative is itself non-negative.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// All integers from low to high.
struct Interval {
  std::int64_t low = 0, high = 0;
};

class Box {
 public:
  /// Extents must be at least 1.
  explicit Box(const Kernel &kernel);
  /// Points of `dims` where all guards are >= 0; each guard has one coefficient per dim.
  Box(std::vector<Interval> dims, std::vector<Affine> guards);

  /// True if the guards were seen to exclude every point.
  bool isEmpty() const { return isEmpty_; }
  const std::vector<Interval> &dims() const { return dims_; }

  /// The values `affine` takes on the box; empty where they do not fit 64 bits.
  std::optional<Interval> range(const Affine &affine) const;
  /// Whether `affine` >= 0 is proved for all points.
  bool isNeverNegative(const Affine &affine) const;

 private:
  bool tighten(const Affine &guard);

  std::vector<Interval> dims_;
  std::vector<Affine> guards_;
  bool isEmpty_ = false;
};

/// Conditions (>= 0) on dims with `isKept` alone that hold wherever a point with these values runs: of every guard, and
/// of sums of up to three that say more together, the most that the other dims give it, and the box where it is smaller
/// than the extents. Forms of those dims that verify() proved to lie within bounds do so wherever the conditions hold.
/// For triangles they are exact.
std::vector<Affine> projectedGuards(const Kernel &kernel, const std::vector<bool> &isKept);

}  // namespace pimento::kernel
