#include "pimento/evaluate/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/kernel/interpreter.h"

namespace pimento::evaluate {

using kernel::Op;

namespace {

/// Half a unit in the last place of 1, and the least number above 0.
struct Precision {
  double unit, least;
};
Precision precisionOf(DType type) {
  switch (type) {
    case DType::kF16:
      return {0x1p-11, 0x1p-24};
    case DType::kBF16:
      return {0x1p-8, 0x1p-133};
    case DType::kF32:
      return {0x1p-24, 0x1p-149};
    default:
      return {0x1p-53, 0x1p-1074};
  }
}

/// The kernel in double precision; `isMagnitude`: of what nothing cancels in.
kernel::Graph widened(const kernel::Graph &graph, int kernel, bool isMagnitude) {
  kernel::Graph wide = graph;
  for (kernel::Tensor &t : wide.tensors)
    if (isFloat(t.type)) t.type = DType::kF64;
  for (kernel::Value &v : wide.kernels[static_cast<std::size_t>(kernel)].body) {
    if (!isFloat(v.type)) continue;
    v.type = DType::kF64;
    if (!isMagnitude) continue;
    if (v.op == Op::kSub) v.op = Op::kAdd;
    if (v.op == Op::kNeg) v.op = Op::kAbs;
    v.constant = std::abs(v.constant);
  }
  return wide;
}

kernel::TensorData widened(const kernel::TensorData &data, bool isMagnitude) {
  if (!isFloat(data.type)) return data;
  kernel::TensorData wide(DType::kF64, data.shape);
  if (data.bytes.empty()) return wide;  // what nobody has written yet
  for (std::int64_t e = 0; e < data.elements(); ++e) {
    const double x = data.asDouble(e);
    wide.setDouble(e, isMagnitude ? std::abs(x) : x);
  }
  return wide;
}

}  // namespace

bool hasRoundingBound(const kernel::Kernel &kernel) {
  if (kernel.form != kernel::Form::kAffine) return false;
  std::optional<DType> type;
  for (const kernel::Value &v : kernel.body) {
    if (!isFloat(v.type)) {
      // Integers that come of floating-point numbers hang on how those are rounded.
      const bool isOfFloats = std::ranges::any_of(
          v.args, [&](int a) { return a >= 0 && isFloat(kernel.body[static_cast<std::size_t>(a)].type); });
      if (v.op != Op::kLoad && isOfFloats) return false;
      continue;
    }
    if (type && *type != v.type) return false;
    type = v.type;
    switch (v.op) {
      case Op::kConstant:
      case Op::kLoad:
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kNeg:
        break;
      default:
        return false;
    }
  }
  return type && (*type == DType::kF16 || *type == DType::kBF16 || *type == DType::kF32) &&
         std::ranges::all_of(kernel.stores, [](const kernel::Store &s) {
           return (s.combine == kernel::Combine::kAssign || s.combine == kernel::Combine::kAdd) && s.follows < 0;
         });
}

Result<RoundingBound> RoundingBound::of(const kernel::Graph &graph, int kernel, const kernel::DataSet &before) {
  RoundingBound bound;
  for (const bool isMagnitude : {false, true}) {
    const kernel::Graph wide = widened(graph, kernel, isMagnitude);
    kernel::DataSet data;
    for (const kernel::TensorData &t : before) data.push_back(widened(t, isMagnitude));
    if (Status s = kernel::interpretKernel(wide, kernel, data); !s) return s.diagnostics();
    (isMagnitude ? bound.magnitude_ : bound.exact_) = std::move(data);
  }
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  for (const kernel::Value &v : k.body)
    if (isFloat(v.type)) {
      bound.operations_ += v.op == Op::kAdd || v.op == Op::kSub || v.op == Op::kMul ? 2 : 0;
      bound.unit_ = precisionOf(v.type).unit;
    }
  double points = 1;
  for (const kernel::Dim &d : k.dims)
    if (d.kind != kernel::DimKind::kParallel) points *= static_cast<double>(d.extent);
  bound.operations_ += points + 2;
  return bound;
}

double RoundingBound::allowed(std::size_t t, std::int64_t element) const {
  // n operations: n u / (1 - n u) of the magnitude.
  const double share = std::min(operations_ * unit_, 0.5);
  return share / (1 - share) * magnitude_[t].asDouble(element);
}

std::optional<std::int64_t> RoundingBound::firstBeyond(std::size_t t, const kernel::TensorData &device) const {
  for (std::int64_t e = 0; e < device.elements(); ++e) {
    if (!isFloat(device.type)) {
      if (device.asInteger(e) != exact_[t].asInteger(e)) return e;
      continue;
    }
    const double x = device.asDouble(e), y = exact_[t].asDouble(e);
    const Precision p = precisionOf(device.type);
    // Beyond the type's largest number an order may overflow that another does not.
    if (!std::isfinite(x) || !std::isfinite(y)) {
      const double most = p.unit == 0x1p-11 ? 65504.0 : 3e38;
      if (!std::isfinite(x) && std::isfinite(y) && magnitude_[t].asDouble(e) < most) return e;
      continue;
    }
    if (std::abs(x - y) > allowed(t, e) + operations_ * p.least) return e;
  }
  return std::nullopt;
}

std::string RoundingBound::valueText(std::size_t t, std::int64_t element) const {
  return fmt::format("{} within {:.3g}", exact_[t].asDouble(element), allowed(t, element));
}

}  // namespace pimento::evaluate
