// The caches that data of a core pass on their way to memory.
#pragma once

#include <algorithm>
#include <vector>

#include "pimento/machine/machine.h"

namespace pimento::machine {

/// Indices into Machine::caches, from the core on; none where no cache serves data.
inline std::vector<int> dataWay(const Machine &machine) {
  const auto first = std::ranges::find(machine.caches, true, &CacheLevel::servesData);
  std::vector<int> out;
  if (first == machine.caches.end()) return out;
  for (auto l = static_cast<int>(first - machine.caches.begin()); l >= 0;
       l = machine.caches[static_cast<std::size_t>(l)].next)
    out.push_back(l);
  return out;
}

}  // namespace pimento::machine
