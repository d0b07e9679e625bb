#include "pimento/evaluate/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace pimento::evaluate {

std::optional<std::int64_t> firstDifference(const kernel::Tensor &tensor, const kernel::TensorData &a,
                                            const kernel::TensorData &b, std::int64_t from) {
  if (from == 0 && a.bytes == b.bytes) return std::nullopt;
  const auto size = static_cast<std::size_t>(sizeOf(tensor.type).value);
  for (std::int64_t i = from; i < tensor.elements(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    if (std::memcmp(a.bytes.data() + at, b.bytes.data() + at, size) == 0) continue;
    if (isFloat(tensor.type) && std::isnan(a.asDouble(i)) && std::isnan(b.asDouble(i))) continue;
    return i;
  }
  return std::nullopt;
}

std::string elementName(const kernel::Tensor &tensor, std::int64_t element) {
  std::vector<std::int64_t> index(tensor.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = element % tensor.shape[d];
    element /= tensor.shape[d];
  }
  return index.empty() ? tensor.name : fmt::format("{}[{}]", tensor.name, fmt::join(index, ", "));
}

std::string valueText(const kernel::TensorData &data, std::int64_t element) {
  if (isFloat(data.type)) return fmt::format("{}", data.asDouble(element));
  const std::int64_t value = data.asInteger(element);
  return isSigned(data.type) ? fmt::format("{}", value) : fmt::format("{}", static_cast<std::uint64_t>(value));
}

}  // namespace pimento::evaluate
