// Affine accesses as offsets into row-major arrays.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// a + b * c that wraps: coefficients of dims that never move may be of any size.
inline std::int64_t addProduct(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                   static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(c));
}

/// The value of an affine form at a point.
inline std::int64_t valueAt(const Affine &affine, const std::vector<std::int64_t> &point) {
  std::int64_t x = affine.constant;
  for (std::size_t d = 0; d < point.size(); ++d) x = addProduct(x, affine.coefficients[d], point[d]);
  return x;
}

/// An access as one affine form: the element's number in the row-major array. The last `dropped` indices count as 0.
inline Affine linearize(const Access &access, const Tensor &tensor, std::size_t dims, std::size_t dropped = 0) {
  Affine linear;
  linear.coefficients.assign(dims, 0);
  std::int64_t stride = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0; stride *= tensor.shape[i]) {
    if (i + dropped >= tensor.shape.size()) continue;
    const Affine &index = access.index[i];
    linear.constant = addProduct(linear.constant, stride, index.constant);
    for (std::size_t d = 0; d < dims; ++d) {
      linear.coefficients[d] = addProduct(linear.coefficients[d], stride, index.coefficients[d]);
    }
  }
  return linear;
}

/// Elements of its tensor that an access reaches, at most: the spans of its indices.
inline std::int64_t spanOf(const Access &access, const Kernel &kernel) {
  std::int64_t elements = 1;
  for (const Affine &index : access.index) {
    std::int64_t span = 1;
    for (std::size_t d = 0; d < kernel.dims.size(); ++d)
      span = addSaturated(span, multiplySaturated(std::abs(index.coefficients[d]), kernel.dims[d].extent - 1));
    elements = multiplySaturated(elements, span);
  }
  return elements;
}

/// Elements between two values of index number `i`.
inline std::int64_t strideOf(const Tensor &tensor, int i) {
  std::int64_t stride = 1;
  for (std::size_t later = static_cast<std::size_t>(i) + 1; later < tensor.shape.size(); ++later)
    stride *= tensor.shape[later];
  return stride;
}

/// Advances `point` to the row-major successor in [lower, upper); false after the last.
inline bool advance(std::vector<std::int64_t> &point, const std::vector<std::int64_t> &lower,
                    const std::vector<std::int64_t> &upper) {
  for (std::size_t d = point.size(); d-- > 0;) {
    if (++point[d] < upper[d]) return true;
    point[d] = lower[d];
  }
  return false;
}

}  // namespace pimento::kernel
