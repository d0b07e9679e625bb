#include "pimento/kernel/builder.h"

#include <algorithm>
#include <bit>

namespace pimento::kernel {

namespace {

bool isSame(const Value &a, const Value &b) {
  return a.op == b.op && a.type == b.type && a.args == b.args && a.integer == b.integer && a.access == b.access &&
         a.dim == b.dim && std::bit_cast<std::uint64_t>(a.constant) == std::bit_cast<std::uint64_t>(b.constant);
}

}  // namespace

KernelBuilder::KernelBuilder(std::string name, std::vector<Dim> dims, Location where) {
  kernel_.name = std::move(name);
  kernel_.dims = std::move(dims);
  kernel_.where = std::move(where);
}

Affine KernelBuilder::index(int dim, std::int64_t coefficient, std::int64_t constant) const {
  Affine affine{std::vector<std::int64_t>(kernel_.dims.size(), 0), constant};
  affine.coefficients[static_cast<std::size_t>(dim)] = coefficient;
  return affine;
}

Affine KernelBuilder::at(std::int64_t constant) const {
  return {std::vector<std::int64_t>(kernel_.dims.size(), 0), constant};
}

int KernelBuilder::add(const Value &value) {
  const auto same =
      std::find_if(kernel_.body.begin(), kernel_.body.end(), [&](const Value &v) { return isSame(v, value); });
  if (same != kernel_.body.end()) return static_cast<int>(same - kernel_.body.begin());
  kernel_.body.push_back(value);
  return static_cast<int>(kernel_.body.size()) - 1;
}

namespace {

void clearIndirect(Access &access) {
  if (!access.isIndirect()) return;
  Affine &form = access.index[static_cast<std::size_t>(access.indirectAt)];
  std::fill(form.coefficients.begin(), form.coefficients.end(), 0);
  form.constant = 0;
}

}  // namespace

int KernelBuilder::load(DType type, Access access) {
  clearIndirect(access);
  const auto same = std::find(kernel_.loads.begin(), kernel_.loads.end(), access);
  Value value;
  value.op = Op::kLoad;
  value.type = type;
  value.access = static_cast<int>(same - kernel_.loads.begin());
  if (same == kernel_.loads.end()) kernel_.loads.push_back(std::move(access));
  return add(value);
}

int KernelBuilder::constant(DType type, double x) {
  if (!isFloat(type)) return integer(type, static_cast<std::int64_t>(x));
  Value value;
  value.type = type;
  value.constant = x;
  return add(value);
}

int KernelBuilder::integer(DType type, std::int64_t x) {
  if (isFloat(type)) return constant(type, static_cast<double>(x));
  Value value;
  value.type = type;
  value.integer = x;
  return add(value);
}

int KernelBuilder::indexValue(int dim, DType type) {
  Value value;
  value.op = Op::kIndex;
  value.type = type;
  value.dim = dim;
  return add(value);
}

int KernelBuilder::op(Op op, DType type, int a, int b, int c) {
  Value value;
  value.op = op;
  value.type = type;
  value.args = {a, b, c};
  return add(value);
}

int KernelBuilder::cast(DType type, int a) {
  return typeOf(a) == type ? a : op(Op::kCast, type, a);
}

void KernelBuilder::store(Access target, int value, Combine combine) {
  if (target.isIndirect()) kernel_.form = Form::kIndirect;
  clearIndirect(target);
  kernel_.stores.push_back({std::move(target), value, combine});
}

void KernelBuilder::storeWith(int tensor, int value) {
  const int last = static_cast<int>(kernel_.stores.size()) - 1, before = kernel_.stores.back().follows;
  const int followed = before >= 0 ? before : last;
  Access target = kernel_.stores.back().target;
  target.tensor = tensor;
  kernel_.stores.push_back({std::move(target), value, Combine::kAssign, followed});
}

void KernelBuilder::select(int predicate, std::int64_t limit) {
  kernel_.form = Form::kSelect;
  kernel_.predicate = predicate;
  kernel_.limit = limit;
}

}  // namespace pimento::kernel
