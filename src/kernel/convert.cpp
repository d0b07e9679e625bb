#include "pimento/kernel/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

namespace {

DType typeBy(const std::vector<TypeRule> &rules, DType type) {
  const auto rule = std::ranges::find(rules, type, &TypeRule::from);
  return rule == rules.end() ? type : rule->to;
}

double largestOf(DType type) {
  return type == DType::kF64   ? std::numeric_limits<double>::max()
         : type == DType::kF32 ? static_cast<double>(std::numeric_limits<float>::max())
                               : std::numeric_limits<double>::infinity();
}

class KernelConverter {
 public:
  KernelConverter(const std::vector<TypeRule> &rules, Diagnostics &warnings) : rules_(rules), warnings_(warnings) {}

  Kernel convert(const Kernel &kernel) {
    Kernel out = kernel;
    out.body.clear();
    for (const Value &value : kernel.body) numbers_.push_back(add(value, kernel, out.body));
    for (Access &load : out.loads) renumber(load.indirectIndex);
    for (Store &store : out.stores) {
      renumber(store.value);
      renumber(store.target.indirectIndex);
    }
    renumber(out.predicate);
    for (DataBounds &b : out.bounds) {
      renumber(b.first);
      renumber(b.end);
    }
    return out;
  }

 private:
  int add(Value value, const Kernel &kernel, std::vector<Value> &body) {
    const DType from = value.type;
    value.type = typeBy(rules_, from);
    for (int &argument : value.args) renumber(argument);
    const bool isCastToOwn = value.op == Op::kCast && isFloat(value.type) &&
                             body[static_cast<std::size_t>(value.args[0])].type == value.type;
    if (isCastToOwn) return value.args[0];
    if (value.op == Op::kConstant && value.type != from) round(value, from, kernel);
    body.push_back(value);
    return static_cast<int>(body.size()) - 1;
  }

  void round(Value &value, DType from, const Kernel &kernel) {
    const double was = value.constant;
    value.constant = decodeFloat(value.type, encodeFloat(value.type, was));
    const bool isStandIn = std::abs(was) >= largestOf(from);
    if (!std::isfinite(was) || std::isfinite(value.constant) || isStandIn) return;
    Diagnostic d = error(
        "convert-overflow", kernel.where,
        fmt::format("the constant {} of kernel '{}' is {} in {}", was, kernel.name, value.constant, name(value.type)),
        "convert to a type with a larger range: bf16 has that of f32");
    d.severity = Severity::kWarning;
    warnings_.push_back(std::move(d));
  }

  void renumber(int &value) const {
    if (value >= 0) value = numbers_[static_cast<std::size_t>(value)];
  }

  const std::vector<TypeRule> &rules_;
  Diagnostics &warnings_;
  std::vector<int> numbers_;  ///< by value of the original
};

std::int64_t saturated(DType type, double x) {
  const std::int64_t low = integerIdentity(Combine::kMax, type), high = integerIdentity(Combine::kMin, type);
  if (std::isnan(x)) return 0;
  const double rounded = std::nearbyint(x);
  if (rounded <= static_cast<double>(low)) return low;
  if (rounded >= static_cast<double>(high)) return high;
  return static_cast<std::int64_t>(rounded);
}

}  // namespace

bool uses(const Graph &graph, DType type) {
  return std::ranges::any_of(graph.tensors, [&](const Tensor &t) { return t.type == type; }) ||
         std::ranges::any_of(graph.kernels, [&](const Kernel &k) {
           return std::ranges::any_of(k.body, [&](const Value &v) { return v.type == type; });
         });
}

Converted converted(const Graph &graph, const std::vector<TypeRule> &rules) {
  Converted out{graph, std::vector<double>(graph.tensors.size(), 1), {}};
  for (Tensor &tensor : out.graph.tensors) tensor.type = typeBy(rules, tensor.type);
  for (Kernel &kernel : out.graph.kernels) kernel = KernelConverter(rules, out.warnings).convert(kernel);
  return out;
}

DataSet convertedData(const Converted &to, const DataSet &original) {
  DataSet data(original.size());
  for (std::size_t t = 0; t < original.size(); ++t) {
    const TensorData &from = original[t];
    const Tensor &tensor = to.graph.tensors[t];
    if (from.bytes.empty() || from.type == tensor.type) {
      data[t] = from;
      data[t].type = tensor.type;
      continue;
    }
    data[t] = TensorData(tensor.type, from.shape);
    for (std::int64_t e = 0; e < from.elements(); ++e) {
      if (isFloat(tensor.type))
        data[t].setDouble(e, from.asDouble(e));
      else
        data[t].setInteger(e, saturated(tensor.type, from.asDouble(e) / to.scales[t]));
    }
  }
  return data;
}

}  // namespace pimento::kernel
