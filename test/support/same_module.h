// Whether two CNM modules say the same, places aside: constants by their bits, everything else member by member.
#pragma once

#include <bit>
#include <cstdint>

#include "pimento/mapping/cnm.h"

namespace pimento::test {

/// A struct, so that each finds those after it.
struct Same {
  static bool isSame(const kernel::Tensor &a, const kernel::Tensor &b) {
    return a.name == b.name && a.type == b.type && a.shape == b.shape && a.role == b.role &&
           a.isConstant == b.isConstant;
  }

  static bool isSame(const kernel::Dim &a, const kernel::Dim &b) {
    return a.name == b.name && a.extent == b.extent && a.kind == b.kind;
  }

  /// A constant is its bits, or the integer, as its type says.
  static bool isSame(const kernel::Value &a, const kernel::Value &b) {
    if (a.op != b.op || a.type != b.type) return false;
    if (a.op != kernel::Op::kConstant) return a.args == b.args && a.access == b.access && a.dim == b.dim;
    if (!isFloat(a.type)) return a.integer == b.integer;
    return std::bit_cast<std::uint64_t>(a.constant) == std::bit_cast<std::uint64_t>(b.constant);
  }

  static bool isSame(const kernel::DataBounds &a, const kernel::DataBounds &b) {
    return a.dim == b.dim && a.first == b.first && a.end == b.end;
  }

  static bool isSame(const kernel::Store &a, const kernel::Store &b) {
    return a.target == b.target && a.value == b.value && a.combine == b.combine && a.follows == b.follows;
  }

  template <typename T>
  static bool isSame(const std::vector<T> &a, const std::vector<T> &b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!isSame(a[i], b[i])) return false;
    return true;
  }

  static bool isSame(const kernel::Kernel &a, const kernel::Kernel &b) {
    return a.name == b.name && a.loads == b.loads && a.guards == b.guards && a.form == b.form &&
           a.predicate == b.predicate && a.limit == b.limit && isSame(a.dims, b.dims) && isSame(a.body, b.body) &&
           isSame(a.stores, b.stores) && isSame(a.bounds, b.bounds);
  }

  static bool isSame(const kernel::Loop &a, const kernel::Loop &b) {
    return a.name == b.name && a.extent == b.extent && a.first == b.first && a.end == b.end && a.swaps == b.swaps;
  }

  static bool isSame(const mapping::Subspace &a, const mapping::Subspace &b) {
    return a.index == b.index && a.factors == b.factors;
  }

  static bool isSame(const mapping::MapSpec &a, const mapping::MapSpec &b) {
    const mapping::Mapping &m = a.mapping, &n = b.mapping;
    return a.kind == b.kind && m.text == n.text && isSame(m.subspaces, n.subspaces) && m.cyclic == n.cyclic &&
           m.order == n.order && m.parameters == n.parameters && m.tail == n.tail && m.mergeAt == n.mergeAt &&
           m.program == n.program;
  }

  static bool isSame(const std::optional<mapping::MapSpec> &a, const std::optional<mapping::MapSpec> &b) {
    return a.has_value() == b.has_value() && (!a || isSame(*a, *b));
  }

  static bool isSame(const mapping::CnmModule &a, const mapping::CnmModule &b) {
    return a.graph.name == b.graph.name && isSame(a.graph.tensors, b.graph.tensors) &&
           isSame(a.graph.kernels, b.graph.kernels) && isSame(a.graph.loops, b.graph.loops) && a.target == b.target &&
           a.levels == b.levels && isSame(a.mappings, b.mappings);
  }
};

inline bool isSame(const mapping::CnmModule &a, const mapping::CnmModule &b) {
  return Same::isSame(a, b);
}

}  // namespace pimento::test
