// Sums of loops of a nest. Knows nothing of C or MLIR.
#pragma once

#include <optional>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// An element of a buffer; forms have one coefficient per loop of the nest (missing ones are 0).
struct NestAccess {
  int buffer = -1;
  std::vector<kernel::Affine> index;
  std::vector<int> loops;  ///< around it, from the outside
  int order = 0;           ///< position in the text
  int unknown = -1;        ///< an index that data decide
};

/// Coefficient of a loop in a form that may have been made before the loop was known.
std::int64_t coefficient(const kernel::Affine &form, int loop);
/// a + factor * b; none where that does not fit 64 bits.
std::optional<kernel::Affine> plus(const kernel::Affine &a, const kernel::Affine &b, std::int64_t factor);
/// Lowest and highest value for loops that run from 0 to extents[l] - 1; none where they do not fit 64 bits.
struct FormRange {
  std::int64_t low = 0, high = 0;
};
std::optional<FormRange> rangeOf(const kernel::Affine &form, const std::vector<std::int64_t> &extents);

/// Which of `loops` an element determines: two points that touch one element agree in them.
std::vector<bool> determined(const std::vector<kernel::Affine> &index, const std::vector<int> &loops,
                             const std::vector<std::int64_t> &extents);

}  // namespace pimento::frontend
