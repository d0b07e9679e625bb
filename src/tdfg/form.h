// Numbers of a tensor graph that sizes and loops decide: affine forms of names, ranges and boxes of them, and what they
// are once the names have values.
//
// Not here: iteration spaces of kernels with numeric extents (kernel/box.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::tdfg {

/// `factor` times the value of a name, a number of Program::names.
struct Term {
  int name = -1;
  std::int64_t factor = 0;
  bool operator==(const Term &) const = default;
};

/// constant + sum of terms. Terms stand by ascending name; no factor is 0.
struct Form {
  std::int64_t constant = 0;
  std::vector<Term> terms{};

  bool isConstant() const { return terms.empty(); }
  bool operator==(const Form &) const = default;
};

Form constantForm(std::int64_t constant);
Form nameForm(int name, std::int64_t factor = 1);
Form plus(const Form &a, const Form &b);
Form times(const Form &a, std::int64_t factor);
inline Form minus(const Form &a, const Form &b) {
  return plus(a, times(b, -1));
}

/// What names a form may use stand for.
struct Name {
  enum class Kind : std::uint8_t {
    kSize,      ///< given when the program runs, at least 1
    kQuotient,  ///< `of` / `divisor`, rounded down; of names before it
    kLoop,      ///< the value of a loop: of Program::loops or a region's rounds
  };
  Kind kind = Kind::kSize;
  std::string name;
  Form of{};
  std::int64_t divisor = 1;  ///< at least 2
};

/// By name, its value. Loops that have not begun: 0.
using Values = std::vector<std::int64_t>;

/// Beyond what any memory holds: coordinates, extents and distances are at most this far from 0, so that sums of a few
/// of them fit 64 bits.
inline constexpr std::int64_t kMostCoordinate = std::int64_t{1} << 46;

/// Value of a form; empty where it does not fit 64 bits.
std::optional<std::int64_t> valueOf(const Form &form, const Values &values);

/// From max(lows) to below min(highs), every `stride`th coordinate. Neither list is empty.
struct Range {
  std::vector<Form> lows{Form{}};
  std::vector<Form> highs{Form{}};
  std::int64_t stride = 1;
  bool operator==(const Range &) const = default;
};
/// One range per lattice dim, dim 0 first.
using Box = std::vector<Range>;

/// low, low + stride, ... below high. Empty: low == high; otherwise the last element is high - 1 (bindRange() trims).
struct BoundRange {
  std::int64_t low = 0, high = 0, stride = 1;

  std::int64_t count() const { return high <= low ? 0 : (high - low + stride - 1) / stride; }
  bool contains(std::int64_t x) const { return x >= low && x < high && (x - low) % stride == 0; }
  /// Whether each element of `other` is one of these.
  bool covers(const BoundRange &other) const;
  bool operator==(const BoundRange &) const = default;
};
using BoundBox = std::vector<BoundRange>;

bool isEmpty(const BoundBox &box);
std::int64_t elementsOf(const BoundBox &box);
bool covers(const BoundBox &box, const BoundBox &other);
/// What two boxes of one rank share; strides that do not meet give an empty box.
BoundBox intersect(const BoundBox &a, const BoundBox &b);

/// Empty where a bound does not fit 64 bits.
std::optional<BoundRange> bindRange(const Range &range, const Values &values);
std::optional<BoundBox> bindBox(const Box &box, const Values &values);

/// "2*n - k + 1".
std::string print(const Form &form, const std::vector<Name> &names);
/// "0:n - 1", "max(k + 1, j):n:2".
std::string print(const Range &range, const std::vector<Name> &names);
std::string print(const Box &box, const std::vector<Name> &names);

}  // namespace pimento::tdfg
