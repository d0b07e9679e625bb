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

std::string accessText(const Access &access, const Kernel &kernel, const Graph &graph, int indirect = -1) {
  std::vector<std::string> indices;
  for (const Affine &index : access.index) indices.push_back(affineText(index, kernel));
  if (indirect >= 0 && !indices.empty()) indices.back() = fmt::format("%{}", indirect);
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

std::string kernelText(const Kernel &kernel, const Graph &graph) {
  static constexpr std::array<const char *, 3> kKinds{"parallel", "reduction", "sequential"};
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
  for (const Store &store : kernel.stores) {
    const bool isAppend = kernel.form == Form::kSelect && store.combine == Combine::kAssign;
    const std::string target = isAppend ? "append " + graph.tensors[static_cast<std::size_t>(store.target.tensor)].name
                                        : accessText(store.target, kernel, graph, store.indirectIndex);
    const std::string combine = store.combine == Combine::kAssign ? "" : std::string(name(store.combine));
    s += fmt::format("    {} {}= %{}", target, combine, store.value);
    s += kernel.predicate >= 0 ? fmt::format(" if %{}\n", kernel.predicate) : "\n";
  }
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
  for (const Kernel &kernel : graph.kernels) s += kernelText(kernel, graph);
  return s + "}\n";
}

}  // namespace pimento::kernel
