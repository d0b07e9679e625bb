#include "pimento/targets/l3_sram/chip_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::targets::l3_sram {

std::vector<std::size_t> ChipState::those(TensorState::At at) const {
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (tensors[t].at == at) order.push_back(t);
  std::ranges::sort(order, {}, [&](std::size_t t) { return std::pair(tensors[t].used, t); });
  return order;
}

bool ChipState::hasArrays() const {
  return std::ranges::any_of(tensors, [](const TensorState &t) { return t.at == TensorState::At::kArrays; });
}

std::string ChipState::key() const {
  std::string text = fmt::format("{}{:x}", isReserved ? "r" : "", lowered);
  // In the order in which they would go.
  for (const std::size_t t : those(TensorState::At::kArrays)) {
    const TensorState &s = tensors[t];
    text += fmt::format(" a{}{}@{}:", t, s.isDirty ? "d" : "", s.row);
    for (int d = 0; d < s.layout.dims; ++d)
      text += fmt::format("{}/{},", s.layout.extents[static_cast<std::size_t>(d)],
                          s.layout.tile[static_cast<std::size_t>(d)]);
  }
  for (const std::size_t t : those(TensorState::At::kL3))
    text += fmt::format(" l{}{}", t, tensors[t].isDirty ? "d" : "");
  return text;
}

}  // namespace pimento::targets::l3_sram
