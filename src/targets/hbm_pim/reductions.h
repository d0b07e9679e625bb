// How a unit counts the terms of a reduction.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::hbm_pim {

/// Sorts reduction dims as order(...) nests them.
inline void nestReductions(std::vector<int> &dims, const kernel::Kernel &kernel, const mapping::Mapping &mapping) {
  const std::vector<std::string> &order = mapping.order;
  const auto depth = [&](int d) {
    return std::find(order.begin(), order.end(), kernel.dims[static_cast<std::size_t>(d)].name) - order.begin();
  };
  std::stable_sort(dims.begin(), dims.end(), [&](int a, int b) { return depth(a) < depth(b); });
}

}  // namespace pimento::targets::hbm_pim
