#include "pimento/targets/upmem/compiled/cuttable.h"

#include <algorithm>

namespace pimento::targets::upmem::compiled {

using kernel::Access;
using kernel::Combine;
using kernel::Kernel;

namespace {

bool involves(const Access &a, std::size_t dim) {
  return std::any_of(a.index.begin(), a.index.end(), [dim](const auto &i) { return i.coefficients[dim] != 0; });
}

/// Do points along the dim update what others of them have left, in a time that hangs on what that is?
bool handsOn(const Kernel &k, const kernel::Graph &graph, std::size_t dim) {
  if (k.dims[dim].kind == kernel::DimKind::kSequential || k.dims[dim].kind == kernel::DimKind::kCounter) return true;
  for (const kernel::Store &s : k.stores) {
    const auto isSame = [&s](const Access &a) { return a.tensor == s.target.tensor; };
    if (std::any_of(k.loads.begin(), k.loads.end(), isSame) && (!involves(s.target, dim) || s.target.isIndirect()))
      return true;
    if (s.combine == Combine::kAssign && s.follows < 0) continue;
    if (involves(s.target, dim) && !s.target.isIndirect()) continue;
    const bool isSteady =
        s.combine == Combine::kAdd && !isFloat(graph.tensors[static_cast<std::size_t>(s.target.tensor)].type);
    if (!isSteady) return true;
  }
  return false;
}

}  // namespace

bool usesIndex(const Kernel &kernel, std::size_t dim) {
  const auto isIndex = [dim](const kernel::Value &v) {
    return v.op == kernel::Op::kIndex && v.dim == static_cast<int>(dim);
  };
  return std::any_of(kernel.body.begin(), kernel.body.end(), isIndex) ||
         std::any_of(kernel.guards.begin(), kernel.guards.end(),
                     [dim](const kernel::Affine &g) { return g.coefficients[dim] != 0; });
}

bool isCuttable(const Scheme &scheme, int dim) {
  const Kernel &k = scheme.kernel();
  const auto d = static_cast<std::size_t>(dim);
  if (scheme.isScan || k.limit >= 0 || !k.bounds.empty() || usesIndex(k, d) || handsOn(k, *scheme.graph, d))
    return false;
  // A point's operands go with it: along each side of a box that the dim moves in.
  return std::all_of(scheme.operands.begin(), scheme.operands.end(), [d](const Operand &o) {
    return !o.isPlaced() || std::all_of(o.positions.begin(), o.positions.end(),
                                        [d](const Position &p) { return p.coefficient[d] >= 0; });
  });
}

}  // namespace pimento::targets::upmem::compiled
