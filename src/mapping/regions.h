// Which subspaces contribute to which outputs. Internal to the room.
#pragma once

#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// Outputs that the same subspaces contribute to.
struct Region {
  Box box;                     ///< over the parallel dims, in dim order
  std::vector<int> subspaces;  ///< in execution order; empty where nothing is computed
};

/// Regions that tile the parallel dims, by ascending lower corner.
std::vector<Region> regionsOf(const PlacedMapping &placed, const kernel::Kernel &kernel);

}  // namespace pimento::mapping
