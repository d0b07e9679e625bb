// What a layer of a language model asks of a device, as numbers.
//
// Sizes are real: published models have layers of fractional width (8/3 of another).
#pragma once

#include <cstdint>
#include <string_view>

#include "pimento/base/units.h"

namespace pimento::llm {

/// Picoseconds in other units of time.
inline constexpr double kPsPerNs = 1e3, kPsPerUs = 1e6, kPsPerMs = 1e9, kPsPerSecond = 1e12;
inline double ns(Picoseconds t) {
  return t.value / kPsPerNs;
}

enum class OperationKind : std::uint8_t {
  kProducts,     ///< `count` products of m x k and k x n, one per multiprocessor at a time: attention
  kLinear,       ///< one product, cut into tiles: weights
  kSoftmax,      ///< `count` times m rows of n
  kNorm,         ///< m rows of n
  kActivation,   ///< of m x n elements
  kGated,        ///< likewise, each multiplied by a gate
  kElementwise,  ///< `count` times n elements, of `k` operands and one result
};
/// "products", "linear", ...: as tables of measured times have them.
std::string_view name(OperationKind kind);

struct Operation {
  OperationKind kind = OperationKind::kLinear;
  double m = 1, n = 1, k = 1, count = 1;
  double elementBytes = 2;

  /// Floating-point operations of products.
  double productFlops() const { return 2 * m * n * k * count; }
  bool operator==(const Operation &) const = default;
};

}  // namespace pimento::llm
