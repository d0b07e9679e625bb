// How far a kernel's floating-point results may lie from their exact values if sums and products are taken in any
// order: a running error bound (Higham, "Accuracy and Stability of Numerical Algorithms", section 3). Every operation
// errs by half a unit in the last place of its result, which is no larger than what it would be if nothing cancelled.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"

namespace pimento::evaluate {

/// Is there such a bound? Of kernels whose floating-point operations are sums, differences, products and negations of
/// one type, and which accumulate sums or nothing.
bool hasRoundingBound(const kernel::Kernel &kernel);

class RoundingBound {
 public:
  /// `before`: all tensors as the kernel finds them. Diagnostics: those of the interpreter.
  static Result<RoundingBound> of(const kernel::Graph &graph, int kernel, const kernel::DataSet &before);
  /// The first element of tensor `t`, which the kernel writes, that is further from its exact value; integers must be
  /// equal. `device`: what was computed.
  std::optional<std::int64_t> firstBeyond(std::size_t t, const kernel::TensorData &device) const;
  /// "0.5 within 1e-07": the exact value and what it may be off by.
  std::string valueText(std::size_t t, std::int64_t element) const;

 private:
  double allowed(std::size_t t, std::int64_t element) const;

  kernel::DataSet exact_, magnitude_;  ///< in double precision; without signs
  double operations_ = 0;              ///< one behind the other, at most
  double unit_ = 0;                    ///< half a unit in the last place of 1
};

}  // namespace pimento::evaluate
