// Cells of a lattice: visiting those of a box, and where the element that lies in one stands in its array.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "pimento/tdfg/form.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Coordinates, dim 0 first; dims beyond the lattice's: 0.
using Cell = std::array<std::int64_t, 3>;

/// Every cell of a box, dim 0 fastest.
template <typename See>
void forEachCell(const BoundBox &box, const See &see) {
  if (isEmpty(box)) return;
  const auto range = [&](std::size_t d) { return d < box.size() ? box[d] : BoundRange{0, 1, 1}; };
  const BoundRange r0 = range(0), r1 = range(1), r2 = range(2);
  Cell x{};
  for (x[2] = r2.low; x[2] < r2.high; x[2] += r2.stride)
    for (x[1] = r1.low; x[1] < r1.high; x[1] += r1.stride)
      for (x[0] = r0.low; x[0] < r0.high; x[0] += r0.stride) see(static_cast<const Cell &>(x));
}

/// The number of the element that lies in a cell, of an array of this shape: last dim in lattice dim 0, and so on.
inline std::int64_t elementAt(const std::vector<std::int64_t> &shape, const Cell &x) {
  std::int64_t element = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) element = element * shape[i] + x[shape.size() - 1 - i];
  return element;
}

/// An index of a pattern in a cell; empty where it does not fit 64 bits.
inline std::optional<std::int64_t> indexAt(const Pattern::Index &index, const Values &values, const Cell &x) {
  std::optional<std::int64_t> at = valueOf(index.form, values);
  for (std::size_t d = 0; at && d < index.factors.size(); ++d) {
    std::int64_t part = 0;
    if (__builtin_mul_overflow(index.factors[d], x[d], &part) || __builtin_add_overflow(*at, part, &*at))
      return std::nullopt;
  }
  return at;
}

}  // namespace pimento::tdfg
