#include "pimento/lower/tensor_place.h"

#include <fmt/format.h>

#include "pimento/base/integer.h"
#include "pimento/lower/operand.h"

namespace pimento::lower {

void TensorPlace::fit(const std::vector<Position> &positions, const std::vector<std::int64_t> &sizes, std::int64_t size,
                      std::int64_t unit, std::int64_t slack) {
  const auto rounded = [unit](std::int64_t n) { return multiplySaturated(ceilDiv(n, unit), unit); };
  pitch.assign(positions.size(), size);
  bytes = size;
  for (std::size_t p = positions.size(); p-- > 0;) {
    const bool isRow = p + 1 == positions.size();
    if (!isRow) pitch[p] = bytes;
    bytes = multiplySaturated(bytes, positions[p].extent(sizes));
    if (isRow) bytes = rounded(addSaturated(bytes, slack));
  }
  bytes = rounded(bytes);
}

Status checkCapacity(const kernel::Kernel &kernel, std::int64_t taken, std::string_view what, std::int64_t there,
                     std::string_view who, std::string hint) {
  if (taken <= there) return okStatus();
  return capacityError(
      "capacity", kernel.where,
      fmt::format("kernel '{}' takes {} {}; {} {}: {} too many", kernel.name, taken, what, who, there, taken - there),
      std::move(hint));
}

}  // namespace pimento::lower
