#include "pimento/trace/program.h"

#include <algorithm>

namespace pimento::trace {

const Function *functionAt(std::span<const Function> functions, std::uint64_t address) {
  auto after = std::upper_bound(functions.begin(), functions.end(), address,
                                [](std::uint64_t a, const Function &f) { return a < f.address; });
  while (after != functions.begin()) {
    --after;
    if (after->size == 0 || address < after->address + after->size) return &*after;
    // A function of another size at the same place may hold it.
    if (after == functions.begin() || (after - 1)->address != after->address) return nullptr;
  }
  return nullptr;
}

std::int32_t SourceMap::frameAt(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(places, address, {}, &Place::address);
  return after == places.begin() ? -1 : std::prev(after)->frame;
}

}  // namespace pimento::trace
