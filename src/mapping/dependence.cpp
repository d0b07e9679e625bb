#include "pimento/mapping/dependence.h"

#include <algorithm>
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

bool isPrefixSum(const kernel::Kernel &kernel) {
  const auto isFixed = [](const kernel::Access &a) {
    return std::all_of(a.index.begin(), a.index.end(), [](const kernel::Affine &index) {
      return std::all_of(index.coefficients.begin(), index.coefficients.end(), [](auto c) { return c == 0; });
    });
  };
  if (kernel.dims.size() != 1 || kernel.dims[0].kind != DimKind::kSequential || !kernel.guards.empty()) return false;
  if (!kernel.bounds.empty()) return false;
  if (kernel.form != kernel::Form::kAffine) return false;
  const kernel::Store *carried = nullptr;
  for (const kernel::Store &s : kernel.stores) {
    if (s.follows >= 0) return false;
    if (s.combine == kernel::Combine::kAssign) {
      // What one point stores and another reads goes from point to point by another way than the sum.
      const auto isOther = [&](const kernel::Access &load) {
        return load.tensor == s.target.tensor && (load.index != s.target.index || isFixed(s.target));
      };
      if (std::any_of(kernel.loads.begin(), kernel.loads.end(), isOther)) return false;
      continue;
    }
    if (carried != nullptr || !isFixed(s.target)) return false;
    carried = &s;
  }
  if (carried == nullptr || isFloat(kernel.body[static_cast<std::size_t>(carried->value)].type)) return false;
  // What was accumulated is read only to add the point's own value to it, and that only to be stored.
  std::vector<bool> isCarried(kernel.body.size()), isSum(kernel.body.size());
  for (std::size_t v = 0; v < kernel.body.size(); ++v) {
    const kernel::Value &value = kernel.body[v];
    const auto isOfTensor = [&](int access) {
      return kernel.loads[static_cast<std::size_t>(access)].tensor == carried->target.tensor;
    };
    if (value.op == kernel::Op::kLoad && isOfTensor(value.access)) {
      if (kernel.loads[static_cast<std::size_t>(value.access)] != carried->target) return false;
      isCarried[v] = true;
      continue;
    }
    for (int i = 0; i < kernel::argumentCount(value.op); ++i) {
      const auto arg = static_cast<std::size_t>(value.args[static_cast<std::size_t>(i)]);
      if (isSum[arg]) return false;
      if (!isCarried[arg]) continue;
      const int other = value.args[static_cast<std::size_t>(1 - i)];
      if (value.op != kernel::opOf(carried->combine) || other != carried->value) return false;
      isSum[v] = true;
    }
  }
  return !isCarried[static_cast<std::size_t>(carried->value)] && !isSum[static_cast<std::size_t>(carried->value)];
}

}  // namespace pimento::mapping
