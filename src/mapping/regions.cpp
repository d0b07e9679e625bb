#include "pimento/mapping/regions.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "pimento/mapping/box.h"

namespace pimento::mapping {

namespace {

Box parallelPart(const Box &box, const kernel::Kernel &kernel) {
  Box part;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    if (kernel.dims[d].kind != kernel::DimKind::kParallel) continue;
    part.lower.push_back(box.lower[d]);
    part.size.push_back(box.size[d]);
  }
  return part;
}

}  // namespace

std::vector<Region> regionsOf(const PlacedMapping &placed, const kernel::Kernel &kernel) {
  Box all;
  for (const kernel::Dim &dim : kernel.dims) {
    all.lower.push_back(0);
    all.size.push_back(dim.extent);
  }
  std::vector<Region> regions = {{parallelPart(all, kernel), {}}};
  for (const int subspace : placed.executionOrder) {
    const Box box = parallelPart(placed.boxes[static_cast<std::size_t>(subspace)], kernel);
    std::vector<Region> split;
    for (Region &region : regions) {
      const Box both = intersection(region.box, box);
      if (isEmpty(both)) {
        split.push_back(std::move(region));
        continue;
      }
      std::vector<Box> outside;
      subtract(region.box, box, outside);
      for (Box &rest : outside) split.push_back({std::move(rest), region.subspaces});
      region.subspaces.push_back(subspace);
      split.push_back({both, std::move(region.subspaces)});
    }
    regions = std::move(split);
  }
  std::sort(regions.begin(), regions.end(), [](const Region &a, const Region &b) { return a.box.lower < b.box.lower; });
  return regions;
}

}  // namespace pimento::mapping
