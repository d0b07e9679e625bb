// The text of a graph for `compile --emit kernel`. One way only: nothing reads it back.
#include <fmt/format.h>

#include <array>

#include "pimento/base/text.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

namespace {

std::string affineText(const Affine &affine, const Kernel &kernel) {
  std::string s;
  auto add = [&s](std::int64_t factor, const std::string &what) {
    const bool isNegative = factor < 0;
    const std::uint64_t magnitude =
        isNegative ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    s += s.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    if (what.empty()) {
      s += std::to_string(magnitude);
    } else {
      s += magnitude == 1 ? what : fmt::format("{}*{}", magnitude, what);
    }
  };
  for (std::size_t d = 0; d < affine.coefficients.size(); ++d) {
    if (affine.coefficients[d] != 0) add(affine.coefficients[d], kernel.dims[d].name);
  }
  if (affine.constant != 0 || s.empty()) add(affine.constant, "");
  return s;
}

std::string accessText(const Access &access, const Kernel &kernel, const Graph &graph) {
  std::vector<std::string> indices;
  for (const Affine &index : access.index) indices.push_back(affineText(index, kernel));
  if (access.isIndirect())
    indices[static_cast<std::size_t>(access.indirectAt)] = fmt::format("%{}", access.indirectIndex);
  return fmt::format("{}[{}]", graph.tensors[static_cast<std::size_t>(access.tensor)].name, join(indices, ", "));
}

std::string valueText(const Value &value, const Kernel &kernel, const Graph &graph) {
  switch (value.op) {
    case Op::kConstant:
      return isFloat(value.type) ? numberText(value.constant) : std::to_string(value.integer);
    case Op::kLoad:
      return "load " + accessText(kernel.loads[static_cast<std::size_t>(value.access)], kernel, graph);
    case Op::kIndex:
      return "index " + kernel.dims[static_cast<std::size_t>(value.dim)].name;
    default: {
      std::vector<std::string> arguments;
      for (int a = 0; a < argumentCount(value.op); ++a) {
        arguments.push_back(fmt::format("%{}", value.args[static_cast<std::size_t>(a)]));
      }
      return fmt::format("{} {}", name(value.op), join(arguments, ", "));
    }
  }
}

/// The row that a selection appends to.
std::string appendText(const Access &target, const Kernel &kernel, const Graph &graph) {
  std::string row;
  for (std::size_t i = 0; i + 1 < target.index.size(); ++i)
    row += (i == 0 ? "" : ", ") + affineText(target.index[i], kernel);
  const std::string &name = graph.tensors[static_cast<std::size_t>(target.tensor)].name;
  return row.empty() ? "append " + name : fmt::format("append {}[{}]", name, row);
}

std::string kernelText(const Kernel &kernel, const Graph &graph) {
  static constexpr std::array<const char *, 4> kKinds{"parallel", "reduction", "sequential", "counter"};
  static constexpr std::array<const char *, 3> kForms{"", " indirect", " select"};
  std::vector<std::string> dims;
  for (const Dim &dim : kernel.dims) {
    dims.push_back(fmt::format("{}: {} {}", dim.name, kKinds[static_cast<std::size_t>(dim.kind)], dim.extent));
  }
  std::string s = fmt::format("  kernel {}{} ({}) {{\n", kernel.name, kForms[static_cast<std::size_t>(kernel.form)],
                              join(dims, ", "));
  for (const Affine &guard : kernel.guards) s += fmt::format("    where {} >= 0\n", affineText(guard, kernel));
  for (std::size_t v = 0; v < kernel.body.size(); ++v) {
    s += fmt::format("    %{} = {} : {}\n", v, valueText(kernel.body[v], kernel, graph), name(kernel.body[v].type));
  }
  for (const DataBounds &b : kernel.bounds) {
    const Dim &dim = kernel.dims[static_cast<std::size_t>(b.dim)];
    s += fmt::format("    for {} in {}..{}\n", dim.name, b.first < 0 ? "0" : fmt::format("%{}", b.first),
                     b.end < 0 ? std::to_string(dim.extent) : fmt::format("%{}", b.end));
  }
  for (const Store &store : kernel.stores) {
    const bool isAppend = kernel.form == Form::kSelect && store.combine == Combine::kAssign;
    const std::string combine = store.combine == Combine::kAssign ? "" : std::string(name(store.combine));
    s += fmt::format("    {} {}= %{}",
                     isAppend ? appendText(store.target, kernel, graph) : accessText(store.target, kernel, graph),
                     combine, store.value);
    if (kernel.predicate >= 0) s += fmt::format(" if %{}", kernel.predicate);
    if (isAppend && kernel.limit >= 0) s += fmt::format(" limit {}", kernel.limit);
    if (store.follows >= 0) {
      const Store &first = kernel.stores[static_cast<std::size_t>(store.follows)];
      s += fmt::format(" with {}", graph.tensors[static_cast<std::size_t>(first.target.tensor)].name);
    }
    s += "\n";
  }
  return s + "  }\n";
}

std::string endText(const Loop &loop, const Graph &graph) {
  std::string s;
  const auto nameOf = [&](int t) { return graph.tensors[static_cast<std::size_t>(t)].name; };
  for (const auto &[a, b] : loop.swaps) s += fmt::format("  swap {}, {}\n", nameOf(a), nameOf(b));
  return s + "  }\n";
}

}  // namespace

std::string print(const Graph &graph) {
  static constexpr std::array<const char *, 4> kRoles{"input", "output", "inout", "temporary"};
  std::string s = fmt::format("graph {} {{\n", graph.name);
  for (const Tensor &tensor : graph.tensors) {
    s += fmt::format("  {} {} : {}[{}]\n",
                     tensor.isConstant ? "constant" : kRoles[static_cast<std::size_t>(tensor.role)], tensor.name,
                     name(tensor.type), fmt::join(tensor.shape, ", "));
  }
  // Loops open before their first kernels and close behind their last ones.
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
    for (const Loop &loop : graph.loops)
      if (loop.first == static_cast<int>(k)) s += fmt::format("  for {} in 0..{} {{\n", loop.name, loop.extent);
    s += kernelText(graph.kernels[k], graph);
    for (std::size_t l = graph.loops.size(); l-- > 0;)
      if (graph.loops[l].end == static_cast<int>(k) + 1) s += endText(graph.loops[l], graph);
  }
  return s + "}\n";
}

}  // namespace pimento::kernel
