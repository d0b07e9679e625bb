#include "pimento/kernel/verify_forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"

namespace pimento::kernel {

Diagnostics FormVerifier::check(const Kernel &kernel) {
  kernel_ = &kernel;
  const auto indirect = std::count_if(kernel_->stores.begin(), kernel_->stores.end(),
                                      [](const Store &store) { return store.target.isIndirect(); });
  if (kernel_->form == Form::kIndirect && indirect != 1) {
    report("bad-form", fmt::format("an indirect kernel has {} stores with an indirect index", indirect),
           "use exactly one");
  } else if (kernel_->form != Form::kIndirect && indirect > 0) {
    report("bad-form", "a store has an indirect index in a kernel that is not indirect", "set the form");
  }
  for (const Store &store : kernel_->stores) {
    atStore(store);
    requireIntegerIndex(store.target);
  }
  for (const Access &load : kernel_->loads) {
    atLoad(load);
    requireIntegerIndex(load);
  }
  atKernel();
  if (kernel_->limit != -1 && kernel_->form != Form::kSelect)
    report("bad-form", fmt::format("a limit of {} without a selection", kernel_->limit),
           "a limit needs the form 'select'");
  else if (kernel_->limit != -1 && kernel_->limit < 1)
    report("bad-form", fmt::format("a limit of {}", kernel_->limit), "a selection must keep at least one");
  if ((kernel_->form == Form::kSelect) != (kernel_->predicate >= 0)) {
    report("bad-form", "a predicate and the form 'select' go together", "use both or neither");
  } else if (kernel_->form == Form::kSelect) {
    checkSelect();
  }
  return std::move(findings_);
}

void FormVerifier::checkSelect() {
  if (isFloat(typeOf(kernel_->predicate))) report("type-mismatch", "the predicate must be an integer", "compare");
  const auto &stores = kernel_->stores;
  const Access &append = stores[0].target;
  const Tensor &target = graph_.tensors[static_cast<std::size_t>(append.tensor)];
  const std::int64_t most = kernel_->limit >= 0 ? kernel_->limit : pointsPerRow(append);
  if (stores[0].combine != Combine::kAssign || target.shape.empty() || target.shape.back() < most) {
    report("bad-form",
           "the first store of a selection must append to a tensor whose rows hold every point, or the limit",
           fmt::format("make it an assignment to a tensor of {} elements per row", most));
    return;
  }
  if (stores.size() == 1) return;
  const Access &count = stores[1].target;
  const Tensor &counts = graph_.tensors[static_cast<std::size_t>(count.tensor)];
  const bool isOfRow = target.shape.size() == 1 ? counts.elements() == 1
                                                : std::equal(append.index.begin(), append.index.end() - 1,
                                                             count.index.begin(), count.index.end());
  atStore(stores[1]);
  if (stores.size() > 2 || stores[1].combine != Combine::kAdd)
    report("bad-form", "a selection may have only one more store, the count of each row",
           "add to a tensor of one element per row");
  else if (!isOfRow)
    report("bad-form",
           fmt::format("'{}' counts the elements appended to '{}', but has other rows", counts.name, target.name),
           "use the indices of the rows: all but the last index of the appended tensor");
  atKernel();
}

/// Points that may be appended to one row: those of dims that do not tell rows apart.
std::int64_t FormVerifier::pointsPerRow(const Access &append) const {
  std::int64_t points = 1;
  for (std::size_t d = 0; d < kernel_->dims.size(); ++d) {
    const bool isOfRow = std::any_of(append.index.begin(), append.index.end() - 1,
                                     [d](const Affine &form) { return form.coefficients[d] != 0; });
    if (!isOfRow && kernel_->dims[d].kind != DimKind::kCounter)
      points = multiplySaturated(points, kernel_->dims[d].extent);
  }
  return points;
}

void FormVerifier::requireIntegerIndex(const Access &access) {
  if (!access.isIndirect() || !isFloat(typeOf(access.indirectIndex))) return;
  report("type-mismatch",
         fmt::format("an index of '{}' is %{}, which is {}, not an integer",
                     graph_.tensors[static_cast<std::size_t>(access.tensor)].name, access.indirectIndex,
                     name(typeOf(access.indirectIndex))),
         "cast it");
}

}  // namespace pimento::kernel
