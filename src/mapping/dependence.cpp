#include "pimento/mapping/dependence.h"

#include <cstddef>
#include <map>
#include <utility>

#include "pimento/base/integer.h"
#include "pimento/mapping/box.h"
#include "pimento/mapping/regions.h"

namespace pimento::mapping {

namespace {

using kernel::DimKind;

/// One subspace's merges, innermost level first.
void mergesInside(const PlacedMapping &placed, int subspace, const kernel::Kernel &kernel,
                  const machine::Machine &machine, std::vector<Merge> &out) {
  const Subspace &part = placed.mapping.subspaces[static_cast<std::size_t>(subspace)];
  const Box &box = placed.boxes[static_cast<std::size_t>(subspace)];
  std::int64_t results = 1;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    if (kernel.dims[d].kind == DimKind::kParallel) results = multiplySaturated(results, box.size[d]);
  }
  std::vector<Merge> outermostFirst;
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    Merge merge{subspace, machine.levels[l].name, machine.levels[l].merge, {}, 1, results};
    for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
      if (kernel.dims[d].kind != DimKind::kReduction || part.factors[l][d] == 1) continue;
      merge.dims.push_back(static_cast<int>(d));
      merge.partials *= part.factors[l][d];
    }
    results = multiplySaturated(results, merge.partials);  // the levels inside yield this many partial results
    if (merge.partials > 1) outermostFirst.push_back(std::move(merge));
  }
  out.insert(out.end(), outermostFirst.rbegin(), outermostFirst.rend());
}

/// Reduction dims along which the subspaces' boxes differ.
std::vector<int> dimsBetween(const PlacedMapping &placed, const std::vector<int> &subspaces,
                             const kernel::Kernel &kernel) {
  std::vector<int> dims;
  const Box &first = placed.boxes[static_cast<std::size_t>(subspaces.front())];
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    if (kernel.dims[d].kind != DimKind::kReduction) continue;
    bool differs = false;
    for (const int s : subspaces) {
      const Box &box = placed.boxes[static_cast<std::size_t>(s)];
      differs = differs || box.lower[d] != first.lower[d] || box.size[d] != first.size[d];
    }
    if (differs) dims.push_back(static_cast<int>(d));
  }
  return dims;
}

}  // namespace

std::vector<Merge> merges(const PlacedMapping &placed, const kernel::Kernel &kernel, const machine::Machine &machine) {
  std::vector<Merge> out;
  for (const int subspace : placed.executionOrder) mergesInside(placed, subspace, kernel, machine, out);

  std::map<std::pair<std::size_t, std::vector<int>>, std::int64_t> between;
  for (const Region &region : regionsOf(placed, kernel)) {
    if (region.subspaces.size() < 2) continue;
    std::int64_t &results = between[{region.subspaces.size(), dimsBetween(placed, region.subspaces, kernel)}];
    results = addSaturated(results, volume(region.box));
  }
  for (const auto &[shared, results] : between) {
    out.push_back({-1, "subspaces", "host", shared.second, static_cast<std::int64_t>(shared.first), results});
  }
  return out;
}

}  // namespace pimento::mapping
