#include "pimento/kernel/verify_bounds.h"

#include <fmt/format.h>

#include <set>

#include "pimento/kernel/data_bounds.h"

namespace pimento::kernel {

Diagnostics BoundsVerifier::check(const Kernel &kernel) {
  kernel_ = &kernel;
  std::set<int> bounded;
  for (const DataBounds &b : kernel.bounds) {
    at(&OfKernel::bounds, kernel.bounds, b);
    const Dim &dim = kernel.dims[static_cast<std::size_t>(b.dim)];
    if (!bounded.insert(b.dim).second)
      report("bad-bounds", fmt::format("dim '{}' has two sets of bounds", dim.name), "use one start and one end");
    checkBounds(b, dim);
    checkValues(b, dim);
  }
  return std::move(findings_);
}

void BoundsVerifier::checkBounds(const DataBounds &bounds, const Dim &dim) {
  if (dim.kind == DimKind::kCounter)
    report("bad-bounds", fmt::format("dim '{}', a loop counter, has bounds from data", dim.name),
           "loop counts are fixed; bound a dim of the kernel");
  if (bounds.first < 0 && bounds.end < 0)
    report("bad-bounds", fmt::format("dim '{}' has empty bounds", dim.name),
           "set a start or an end, or remove the bounds");
  for (const int value : {bounds.first, bounds.end})
    if (value >= 0 && isFloat(kernel_->body[static_cast<std::size_t>(value)].type))
      report("type-mismatch", fmt::format("a bound of dim '{}' is not an integer", dim.name), "cast it");
}

/// Bounds are known before the dim runs, and stay.
void BoundsVerifier::checkValues(const DataBounds &bounds, const Dim &dim) {
  const std::vector<int> values = valuesBelow(*kernel_, bounds);
  const std::vector<bool> isIn = dimsIn(*kernel_, values);
  for (std::size_t d = static_cast<std::size_t>(bounds.dim); d < isIn.size(); ++d)
    if (isIn[d])
      report("bad-bounds",
             fmt::format("the bounds of dim '{}' depend on dim '{}', which does not come before it", dim.name,
                         kernel_->dims[d].name),
             "bounds may depend on outer dims only");
  for (const int v : values) {
    const Value &value = kernel_->body[static_cast<std::size_t>(v)];
    if (value.op != Op::kLoad) continue;
    const int tensor = kernel_->loads[static_cast<std::size_t>(value.access)].tensor;
    if (!stores(tensor)) continue;
    report("bad-bounds",
           fmt::format("the bounds of dim '{}' are read from '{}', which the kernel writes", dim.name,
                       graph_.tensors[static_cast<std::size_t>(tensor)].name),
           "read bounds from a tensor that the kernel does not write");
  }
}

}  // namespace pimento::kernel
