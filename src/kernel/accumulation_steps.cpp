#include "pimento/kernel/accumulation_steps.h"

#include <bit>

namespace pimento::kernel {

std::optional<AccumulationSteps> AccumulationSteps::of(const Accumulation &sum, std::int64_t points) {
  AccumulationSteps steps;
  steps.type_ = sum.type;
  steps.leaves_.assign(static_cast<std::size_t>(points), -1);
  if (!steps.add(sum)) return std::nullopt;
  return steps;
}

/// The node's value stands where its first leaf's does.
bool AccumulationSteps::add(const Accumulation &node) {
  if (node.type != type_) return false;
  const int first = count_;
  if (node.children.empty()) {
    ++count_;
    for (const Terms &t : node.terms) {
      if (t.count > 1) return false;
      if (t.count < 1 || t.first < 0 || t.first >= static_cast<std::int64_t>(leaves_.size())) continue;
      int &leaf = leaves_[static_cast<std::size_t>(t.first)];
      if (leaf >= 0 || node.terms.size() > 1) return false;
      leaf = first;
    }
    return true;
  }
  for (std::size_t c = 0; c < node.children.size(); ++c) {
    const int child = count_;
    if (!add(node.children[c])) return false;
    if (c > 0) steps_.emplace_back(first, child);
  }
  return true;
}

Scalar AccumulationSteps::run(Combine combine, std::span<Scalar> values) const {
  if (combine == Combine::kAdd && type_ == DType::kF32) {
    for (const auto &[to, from] : steps_)
      values[static_cast<std::size_t>(to)].f += values[static_cast<std::size_t>(from)].f;
    // NaN has one form.
    if (values[0].f != values[0].f) values[0].f = std::bit_cast<float>(0x7fc00000U);
    return values[0];
  }
  for (const auto &[to, from] : steps_) {
    Scalar &value = values[static_cast<std::size_t>(to)];
    value = merge(combine, type_, value, values[static_cast<std::size_t>(from)]);
  }
  return values[0];
}

}  // namespace pimento::kernel
