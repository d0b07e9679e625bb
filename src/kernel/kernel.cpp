#include "pimento/kernel/kernel.h"

#include <algorithm>
#include <array>

#include "pimento/base/integer.h"
#include "pimento/kernel/data_bounds.h"

namespace pimento::kernel {

namespace {

struct OpEntry {
  Op op;
  std::string_view name;
  int arguments;
};

constexpr std::array<OpEntry, 30> kOps{{
    {Op::kConstant, "constant", 0}, {Op::kLoad, "load", 0},    {Op::kIndex, "index", 0},  {Op::kAdd, "add", 2},
    {Op::kSub, "sub", 2},           {Op::kMul, "mul", 2},      {Op::kDiv, "div", 2},      {Op::kRem, "rem", 2},
    {Op::kMin, "min", 2},           {Op::kMax, "max", 2},      {Op::kAnd, "and", 2},      {Op::kOr, "or", 2},
    {Op::kXor, "xor", 2},           {Op::kShl, "shl", 2},      {Op::kShr, "shr", 2},      {Op::kNeg, "neg", 1},
    {Op::kAbs, "abs", 1},           {Op::kExp, "exp", 1},      {Op::kLog, "log", 1},      {Op::kSqrt, "sqrt", 1},
    {Op::kTanh, "tanh", 1},         {Op::kRelu, "relu", 1},    {Op::kCmpEq, "cmp_eq", 2}, {Op::kCmpNe, "cmp_ne", 2},
    {Op::kCmpLt, "cmp_lt", 2},      {Op::kCmpLe, "cmp_le", 2}, {Op::kCmpGt, "cmp_gt", 2}, {Op::kCmpGe, "cmp_ge", 2},
    {Op::kSelect, "select", 3},     {Op::kCast, "cast", 1},
}};

constexpr bool isInEnumOrder() {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(isInEnumOrder());

std::int64_t product(const std::vector<std::int64_t> &extents) {
  std::int64_t n = 1;
  for (const std::int64_t extent : extents) n = multiplySaturated(n, extent);
  return n;
}

bool isArithmetic(Op op) {
  return argumentCount(op) > 0 && op != Op::kCast;
}

}  // namespace

std::string_view name(Op op) {
  return kOps[static_cast<std::size_t>(op)].name;
}
int argumentCount(Op op) {
  return kOps[static_cast<std::size_t>(op)].arguments;
}

std::string_view name(Combine c) {
  static constexpr std::array<std::string_view, 5> kNames{"assign", "add", "mul", "min", "max"};
  return kNames[static_cast<std::size_t>(c)];
}

Op opOf(Combine c) {
  PIMENTO_CHECK(c != Combine::kAssign);
  static constexpr std::array<Op, 5> kOpOf{Op::kConstant, Op::kAdd, Op::kMul, Op::kMin, Op::kMax};
  return kOpOf[static_cast<std::size_t>(c)];
}

std::int64_t Tensor::elements() const {
  return product(shape);
}

int Kernel::dimNamed(std::string_view dim) const {
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d].name == dim) return static_cast<int>(d);
  }
  return -1;
}

std::int64_t Kernel::points() const {
  std::int64_t n = 1;
  for (const Dim &dim : dims) n = multiplySaturated(n, dim.extent);
  return n;
}

bool Kernel::hasIndirectLoads() const {
  return std::any_of(loads.begin(), loads.end(), [](const Access &load) { return load.isIndirect(); });
}

const DataBounds *Kernel::boundsOf(int dim) const {
  const auto found = std::find_if(bounds.begin(), bounds.end(), [dim](const DataBounds &b) { return b.dim == dim; });
  return found == bounds.end() ? nullptr : &*found;
}

int Graph::tensorNamed(std::string_view tensor) const {
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].name == tensor) return static_cast<int>(t);
  }
  return -1;
}

std::int64_t scalarOperations(const Kernel &kernel) {
  std::int64_t perPoint = 0;
  for (const Value &value : kernel.body) perPoint += isArithmetic(value.op) ? 1 : 0;
  for (const Store &store : kernel.stores) perPoint += store.combine != Combine::kAssign ? 1 : 0;
  return multiplySaturated(perPoint, pointsOfRows(kernel));
}

std::int64_t scalarOperations(const Graph &graph) {
  std::int64_t total = 0;
  for (const Kernel &kernel : graph.kernels) total = addSaturated(total, scalarOperations(kernel));
  return total;
}

}  // namespace pimento::kernel
