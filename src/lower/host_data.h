// The host's part of a lowered kernel: what it does with the bytes of tensors.
//
// Operands are gathered box by box into dense arrays, results scattered element by element; partial results merge in
// the mapping's order (kernel/order.h): those of a unit, units of the level around them, and so on outwards, then onto
// what is there. Arithmetic as the interpreter's. Which boxes and arrays there are, is each target's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pimento/kernel/box.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/linear.h"

namespace pimento::lower {

/// One dimension of a box of a tensor's elements, and of the array that they go to.
struct BoxSide {
  int index = 0;                     ///< which of the tensor's
  std::int64_t first = 0, step = 1;  ///< its value at the first element, and from one to the next
  std::int64_t extent = 1;           ///< elements
  std::int64_t pitch = 1;            ///< bytes from one to the next in the array; of the last side: an element's
};

/// Copies a box into the array at `to`, row by row; elements beyond the tensor, which only points that do not run read,
/// stay as they are.
void gather(const kernel::TensorData &tensor, const std::vector<BoxSide> &box, std::byte *to);

/// Where a result has elements, as conditions (>= 0): where points run if `isPerPoint`, one for each element that is
/// written; else where some point runs that has the values of dims for which `involves(d)` says yes.
template <typename Involves>
std::vector<kernel::Affine> guardsOf(const kernel::Kernel &kernel, bool isPerPoint, Involves &&involves) {
  std::vector<bool> isKept;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) isKept.push_back(involves(static_cast<int>(d)));
  return isPerPoint ? kernel.guards : kernel::projectedGuards(kernel, isKept);
}

/// Calls visit(value of `at`, value of `element`) for the points of a unit where all `guards` are >= 0: from `first` on,
/// `ranges` of each dim at most, of dims that neither a guard has nor `involves(d)` says yes to one. `at` is a form of
/// positions from `first` on, `element` one of points.
template <typename Involves, typename Visit>
void forEachPoint(const kernel::Kernel &kernel, const std::vector<std::int64_t> &first,
                  const std::vector<std::int64_t> &ranges, const std::vector<kernel::Affine> &guards,
                  const kernel::Affine &at, const kernel::Affine &element, Involves &&involves, Visit &&visit) {
  const std::size_t dims = first.size();
  std::vector<std::int64_t> lower(dims, 0), count(dims, 1), point(dims, 0), x(dims);
  for (std::size_t d = 0; d < dims; ++d) {
    const bool isGuarded =
        std::any_of(guards.begin(), guards.end(), [d](const kernel::Affine &g) { return g.coefficients[d] != 0; });
    if (involves(static_cast<int>(d)) || isGuarded)
      count[d] = std::clamp<std::int64_t>(kernel.dims[d].extent - first[d], 0, ranges[d]);
    if (count[d] == 0) return;
  }
  do {
    for (std::size_t d = 0; d < dims; ++d) x[d] = first[d] + point[d];
    const bool runs = std::all_of(guards.begin(), guards.end(),
                                  [&](const kernel::Affine &g) { return kernel::valueAt(g, x) >= 0; });
    if (runs) visit(kernel::valueAt(at, point), kernel::valueAt(element, x));
  } while (kernel::advance(point, lower, count));
}

/// Sets results that no one has given to where their accumulation starts.
void startAccumulations(const kernel::Graph &graph, int kernel, kernel::DataSet &data);

/// Partial results of one store by element of its tensor, as far as there are any.
class PartialSums {
 public:
  /// `instances`: per level of units, outermost first, how many share an instance of the one around it.
  PartialSums(kernel::Combine combine, DType type, std::int64_t elements, std::vector<std::int64_t> instances);

  /// A part of the unit that is next, in the order of parts.
  void add(std::int64_t element, kernel::Scalar x) { merge(levels_.back(), element, x); }
  /// The unit is complete, and with it perhaps the instances around it.
  void closeUnit();
  /// After the last unit: into the tensor, onto what is there if that is an initial value.
  void finish(kernel::TensorData &tensor, bool hasInitial);

 private:
  struct Level {
    std::vector<kernel::Scalar> values;
    std::vector<bool> isThere;
    std::vector<std::int64_t> touched;
  };
  void merge(Level &into, std::int64_t element, kernel::Scalar x) const;

  kernel::Combine combine_;
  DType type_;
  std::vector<std::int64_t> instances_;
  std::vector<Level> levels_;  ///< [0]: of all, [n]: of an instance of level n - 1
  std::int64_t units_ = 0;     ///< that are complete
};

}  // namespace pimento::lower
