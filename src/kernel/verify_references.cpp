#include "pimento/kernel/verify_references.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::kernel {

Diagnostics ReferenceVerifier::check(const Kernel &kernel) {
  kernel_ = &kernel;
  for (const Access &access : kernel_->loads) {
    atLoad(access);
    checkAccess(access);
  }
  for (const Affine &guard : kernel_->guards) {
    at(&OfKernel::guards, kernel_->guards, guard);
    checkAffine(guard, "a guard");
  }
  for (std::size_t v = 0; v < kernel_->body.size(); ++v) {
    atValue(v);
    checkValue(v);
  }
  atKernel();
  if (kernel_->stores.empty()) report("no-store", "the kernel stores nothing", "add a store");
  for (const Store &store : kernel_->stores) {
    atStore(store);
    checkAccess(store.target);
    checkBodyIndex(store.value, "a stored value");
    if (store.follows != -1) checkFollower(store);
  }
  atKernel();
  if (kernel_->predicate != -1) checkBodyIndex(kernel_->predicate, "the predicate");
  for (const DataBounds &b : kernel_->bounds) {
    at(&OfKernel::bounds, kernel_->bounds, b);
    if (b.dim < 0 || b.dim >= static_cast<int>(kernel_->dims.size()))
      report("bad-reference", fmt::format("bounds of dim number {}", b.dim),
             fmt::format("the kernel has {} dims", kernel_->dims.size()));
    if (b.first != -1) checkBodyIndex(b.first, "a bound");
    if (b.end != -1) checkBodyIndex(b.end, "a bound");
  }
  return std::move(findings_);
}

void ReferenceVerifier::checkAffine(const Affine &affine, const std::string &what) {
  if (affine.coefficients.size() == kernel_->dims.size()) {
    auto isLarge = [](std::int64_t x) { return x > kMaxElements || x < -kMaxElements; };
    if (!isLarge(affine.constant) && std::none_of(affine.coefficients.begin(), affine.coefficients.end(), isLarge)) {
      return;
    }
    report("too-large", fmt::format("{} has a coefficient beyond 2^48", what), "use smaller coefficients");
    return;
  }
  report("bad-reference",
         fmt::format("{} has {} coefficients for {} dims", what, affine.coefficients.size(), kernel_->dims.size()),
         "use one coefficient per dim");
}

void ReferenceVerifier::checkAccess(const Access &access) {
  if (!isTensor(access.tensor)) {
    report("bad-reference", fmt::format("an access names tensor number {}", access.tensor),
           fmt::format("the graph has {} tensors", graph_.tensors.size()));
    return;
  }
  const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
  if (access.index.size() != tensor.shape.size()) {
    report("rank-mismatch",
           fmt::format("'{}' has {} dimensions, but gets {} indices", tensor.name, tensor.shape.size(),
                       access.index.size()),
           fmt::format("give {} indices", tensor.shape.size()));
  }
  for (const Affine &index : access.index) checkAffine(index, "an index of '" + tensor.name + "'");
  if (access.isIndirect()) {
    checkIndirect(access, tensor);
  } else if (access.indirectIndex != -1) {
    report("bad-form", fmt::format("an access to '{}' has an indirect index without a position", tensor.name),
           "specify which index it is");
  }
}

void ReferenceVerifier::checkIndirect(const Access &access, const Tensor &tensor) {
  checkBodyIndex(access.indirectIndex, "an indirect index");
  if (access.indirectAt >= static_cast<int>(access.index.size())) {
    report("bad-reference", fmt::format("index {} of '{}' is indirect", access.indirectAt + 1, tensor.name),
           fmt::format("it has {} indices", access.index.size()));
    return;
  }
  const Affine &form = access.index[static_cast<std::size_t>(access.indirectAt)];
  const bool isZero = form.constant == 0 && std::all_of(form.coefficients.begin(), form.coefficients.end(),
                                                        [](std::int64_t c) { return c == 0; });
  if (!isZero)
    report("bad-form", fmt::format("an indirect index of '{}' has an affine form", tensor.name), "make it 0");
}

void ReferenceVerifier::checkFollower(const Store &store) {
  const auto &list = kernel_->stores;
  if (store.follows < 0 || store.follows >= static_cast<int>(list.size()) ||
      &store == &list[static_cast<std::size_t>(store.follows)]) {
    report("bad-reference", fmt::format("a store follows store number {}", store.follows),
           fmt::format("name another store of the kernel: stores are numbered 0 to {}", list.size() - 1));
    return;
  }
  const Store &first = list[static_cast<std::size_t>(store.follows)];
  const bool isExtreme = first.combine == Combine::kMin || first.combine == Combine::kMax;
  if (!isExtreme || store.combine != Combine::kAssign || first.target.index != store.target.index ||
      store.target.isIndirect() || first.target.isIndirect() || kernel_->form != Form::kAffine)
    report("bad-form", "a store follows one that is not a minimum or maximum at the same indices",
           "let an assignment follow a min or max, both with the same affine indices");
}

void ReferenceVerifier::checkValue(std::size_t v) {
  const Value &value = kernel_->body[v];
  for (int a = 0; a < argumentCount(value.op); ++a) {
    const int argument = value.args[static_cast<std::size_t>(a)];
    if (argument < 0 || argument >= static_cast<int>(v)) {
      report("bad-reference",
             fmt::format("%{} ({}) uses %{}, which does not come before it", v, name(value.op), argument),
             "arguments must be earlier values");
    }
  }
  if (value.op == Op::kLoad && (value.access < 0 || value.access >= static_cast<int>(kernel_->loads.size()))) {
    report("bad-reference", fmt::format("%{} loads through access {}", v, value.access),
           fmt::format("the kernel has {} accesses", kernel_->loads.size()));
  }
  if (value.op == Op::kIndex && (value.dim < 0 || value.dim >= static_cast<int>(kernel_->dims.size()))) {
    report("bad-reference", fmt::format("%{} is the index of dim {}", v, value.dim),
           fmt::format("the kernel has {} dims", kernel_->dims.size()));
  }
}

void ReferenceVerifier::checkBodyIndex(int value, const std::string &what) {
  if (value >= 0 && value < static_cast<int>(kernel_->body.size())) return;
  report("bad-reference", fmt::format("{} is %{}", what, value),
         fmt::format("the body has {} values", kernel_->body.size()));
}

}  // namespace pimento::kernel
