// Whether two accesses can touch one element, and in which order of a loop.
//
// Integer constraints, decided as far as substitution, greatest common divisors, intervals and pairs of constraints go
// (the tests of Banerjee, Dependence Analysis, 1997, chapters 4 to 6, without a full integer solver): "never" is
// proved, anything else counts as possible.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/kernel/box.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Affine equations and inequalities over integer variables, each within an interval.
class Constraints {
 public:
  explicit Constraints(std::vector<Interval> variables) : variables_(std::move(variables)) {}

  /// Forms have one coefficient per variable; missing ones are 0.
  void requireZero(Affine form);
  void requireNonNegative(Affine form);
  /// Whether it is proved that nothing satisfies them.
  bool isEmpty() const;

 private:
  Affine padded(Affine form) const;

  std::vector<Interval> variables_;
  std::vector<Affine> zeros_, nonNegative_;
};

/// Two accesses to one tensor at points p (of `first`) and q (of `second`) of loop nests whose first `shared` loops are
/// the same loops, in which p and q may differ all the same.
class Meeting {
 public:
  struct Side {
    std::vector<std::int64_t> extents;  ///< loops, outermost first
    std::vector<Affine> guards;         ///< one coefficient per loop; the access happens where all are >= 0
    const std::vector<Affine> *index;   ///< likewise
    int skipped = -1;                   ///< an index that is not known
  };
  Meeting(const Side &first, const Side &second, std::size_t shared);

  bool isPossible() const { return !constraints_.isEmpty(); }
  /// With q - p > 0 (`sign` 1), = 0 (0) or < 0 (-1) in shared loop `d`, and p = q in the first `equal` loops.
  bool isPossible(std::size_t d, int sign, std::size_t equal = 0) const;
  /// Whether p may come after q in the order of the shared loops, of which the first `equal` are at one round.
  bool mayBeLater(std::size_t equal = 0) const;
  /// Whether p = q is possible in the first `loops` loops.
  bool mayCoincideIn(std::size_t loops) const;
  /// ... in all shared loops.
  bool mayCoincide() const { return mayCoincideIn(shared_); }

 private:
  Affine difference(std::size_t d) const;

  std::size_t first_, shared_, variables_;
  Constraints constraints_;
};

/// Whether points that differ in dim `d` (and agree in counters) may touch one element that one of them stores to.
/// Stores that accumulate are no reason where nothing loads their tensor.
bool isCarried(const Kernel &kernel, std::size_t d);

}  // namespace pimento::kernel
