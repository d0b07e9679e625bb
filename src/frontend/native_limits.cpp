#include <algorithm>

#include "pimento/frontend/native.h"

namespace pimento::frontend {

NativeLimits NativeLimits::of(const kernel::Graph &graph) {
  constexpr double kPerSecond = 20e6;
  NativeLimits limits;
  const double seconds = static_cast<double>(kernel::scalarOperations(graph)) / kPerSecond;
  limits.seconds = 10 + static_cast<int>(std::min(seconds, 1e6));
  return limits;
}

}  // namespace pimento::frontend
