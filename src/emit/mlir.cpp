#include "pimento/emit/mlir.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "pimento/base/text.h"
#include "pimento/emit/mlir_body.h"

namespace pimento::emit {

using kernel::Access;
using kernel::Affine;
using kernel::Combine;
using kernel::Dim;
using kernel::DimKind;
using kernel::Kernel;
using kernel::Role;
using kernel::Store;
using kernel::Tensor;

namespace {

/// The loop a form consists of, or -1.
int soleDim(const Affine &form) {
  int dim = -1;
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    if (form.coefficients[d] == 0) continue;
    if (form.coefficients[d] != 1 || dim >= 0) return -1;
    dim = static_cast<int>(d);
  }
  return form.constant == 0 ? dim : -1;
}

std::string formText(const Affine &form, const std::string &prefix) {
  std::string text;
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    const std::int64_t c = form.coefficients[d];
    if (c == 0) continue;
    if (!text.empty()) text += " + ";
    text += c == 1 ? fmt::format("{}{}", prefix, d) : fmt::format("{}{} * {}", prefix, d, c);
  }
  if (text.empty()) return std::to_string(form.constant);
  return form.constant == 0 ? text : fmt::format("{} + {}", text, form.constant);
}

std::string formTexts(const std::vector<Affine> &forms, const std::string &prefix) {
  std::vector<std::string> texts;
  for (const Affine &form : forms) texts.push_back(formText(form, prefix));
  return join(texts, ", ");
}

std::string dimList(std::size_t dims, const std::string &prefix) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dims; ++d) names.push_back(fmt::format("{}{}", prefix, d));
  return join(names, ", ");
}

std::string quoted(const std::string &text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return "\"" + safe + "\"";
}

/// A name that MLIR takes after '%' or '@'.
std::string identifier(const std::string &name) {
  std::string safe;
  for (const char c : name) {
    const bool isWord = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    safe += isWord ? c : '_';
  }
  const bool startsWell = !safe.empty() && !(safe[0] >= '0' && safe[0] <= '9');
  return startsWell ? safe : "t" + safe;
}

class MlirWriter {
 public:
  MlirWriter(const kernel::Graph &graph, const std::vector<std::string> &mappings, const std::string &target)
      : graph_(graph), mappings_(mappings), target_(target) {}

  Result<std::string> run() {
    if (Diagnostics found = check(); !found.empty()) return found;
    std::set<std::string> taken;
    for (const Tensor &t : graph_.tensors) {
      // %d0 and %v0 are loops and values.
      std::string stem = identifier(t.name);
      if (stem.size() > 1 && (stem[0] == 'd' || stem[0] == 'v' || stem[0] == 'e')) stem = "t_" + stem;
      std::string name = stem;
      for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", stem, n);
      names_.push_back("%" + name);
    }
    std::vector<std::string> arguments;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (graph_.tensors[t].role != Role::kTemporary) arguments.push_back(names_[t] + ": " + typeOf(t));
    }
    out_ = fmt::format("func.func @{}({}){} {{\n", identifier(graph_.name.empty() ? "main" : graph_.name),
                       join(arguments, ", "),
                       target_.empty() ? "" : fmt::format(" attributes {{pimento.target = {}}}", quoted(target_)));
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (graph_.tensors[t].role == Role::kTemporary)
        out_ += fmt::format("  {} = memref.alloc() : {}\n", names_[t], typeOf(t));
    }
    isWritten_.assign(graph_.tensors.size(), false);
    for (std::size_t k = 0; k < graph_.kernels.size(); ++k) writeKernel(k);
    out_ += "  return\n}\n";
    return std::move(out_);
  }

 private:
  Diagnostics check() const {
    Diagnostics found;
    for (const kernel::Loop &loop : graph_.loops)
      found.push_back(unsupported("no-mlir-form", loop.where,
                                  fmt::format("kernels run in rounds of loop '{}'", loop.name),
                                  "--emit kernel and --emit cnm print loops around kernels"));
    for (const Kernel &k : graph_.kernels) {
      if (!k.bounds.empty())
        found.push_back(unsupported("no-mlir-form", k.where,
                                    fmt::format("data say how far dim '{}' of kernel '{}' runs",
                                                k.dims[static_cast<std::size_t>(k.bounds[0].dim)].name, k.name),
                                    "linalg and affine loops say only what indices decide; --emit kernel prints it"));
      const bool follows = std::any_of(k.stores.begin(), k.stores.end(), [](const auto &s) { return s.follows >= 0; });
      if (k.hasIndirectLoads() || follows)
        found.push_back(
            unsupported("no-mlir-form", k.where,
                        fmt::format("kernel '{}' {}", k.name,
                                    follows ? "takes a minimum or maximum with its index" : "reads where its data say"),
                        "linalg and affine loops say only what indices decide; --emit kernel prints it"));
      if (k.form == kernel::Form::kAffine) continue;
      found.push_back(unsupported(
          "no-mlir-form", k.where,
          fmt::format("kernel '{}' {}", k.name,
                      k.form == kernel::Form::kIndirect ? "writes where its data say" : "keeps some of its points"),
          "linalg and affine loops say only what indices decide; --emit kernel prints it"));
    }
    for (const Tensor &t : graph_.tensors) {
      if (isFloat(t.type) || isSigned(t.type)) continue;
      found.push_back(unsupported("no-mlir-form", {}, fmt::format("'{}' has elements of type {}", t.name, name(t.type)),
                                  "MLIR's arithmetic is on signless integers: use a signed --dtype"));
    }
    return found;
  }

  std::string typeOf(std::size_t t) const {
    const Tensor &tensor = graph_.tensors[t];
    std::string shape;
    for (const std::int64_t e : tensor.shape) shape += std::to_string(e) + "x";
    return fmt::format("memref<{}{}>", shape, mlirType(tensor.type));
  }
  const std::string &nameOf(const Access &a) const { return names_[static_cast<std::size_t>(a.tensor)]; }
  std::string typeOf(const Access &a) const { return typeOf(static_cast<std::size_t>(a.tensor)); }
  const Tensor &tensorOf(const Access &a) const { return graph_.tensors[static_cast<std::size_t>(a.tensor)]; }

  std::vector<std::string> attributes(std::size_t k) const {
    std::vector<std::string> a{"pimento.kernel = " + quoted(graph_.kernels[k].name)};
    if (k < mappings_.size() && !mappings_[k].empty()) a.push_back("pimento.mapping = " + quoted(mappings_[k]));
    return a;
  }

  /// Whether the points write every element of the target.
  bool covers(const Kernel &k, const Access &target) const {
    std::set<int> used;
    const Tensor &t = tensorOf(target);
    for (std::size_t i = 0; i < target.index.size(); ++i) {
      const Affine &form = target.index[i];
      const bool isOnly =
          t.shape[i] == 1 && form.constant == 0 &&
          std::all_of(form.coefficients.begin(), form.coefficients.end(), [](auto c) { return c == 0; });
      if (isOnly) continue;
      const int d = soleDim(form);
      if (d < 0 || !used.insert(d).second || k.dims[static_cast<std::size_t>(d)].extent != t.shape[i]) return false;
    }
    return k.guards.empty();
  }

  /// Whether linalg.generic can say it: all loops found from shapes, no order, no guards.
  bool isStructured(const Kernel &k) const {
    if (k.dims.empty() || !k.guards.empty()) return false;
    std::vector<bool> isFound(k.dims.size());
    const auto look = [&](const Access &a) {
      for (std::size_t i = 0; i < a.index.size(); ++i) {
        const int d = soleDim(a.index[i]);
        if (d < 0) continue;
        if (k.dims[static_cast<std::size_t>(d)].extent != tensorOf(a).shape[i]) return false;
        isFound[static_cast<std::size_t>(d)] = true;
      }
      return true;
    };
    for (const Access &a : k.loads) {
      if (!look(a)) return false;
      for (const Store &s : k.stores) {
        if (s.target.tensor == a.tensor && (s.combine != Combine::kAssign || !(s.target == a))) return false;
      }
    }
    bool hasReduction = false;
    for (const Dim &d : k.dims) {
      if (d.kind == DimKind::kSequential) return false;
      hasReduction = hasReduction || d.kind == DimKind::kReduction;
    }
    for (const Store &s : k.stores) {
      std::set<int> used;
      if (!look(s.target) || (hasReduction && s.combine == Combine::kAssign)) return false;
      for (const Affine &form : s.target.index) {
        const int d = soleDim(form);
        if (d < 0 || !used.insert(d).second || k.dims[static_cast<std::size_t>(d)].kind == DimKind::kReduction)
          return false;
      }
    }
    return std::all_of(isFound.begin(), isFound.end(), [](bool b) { return b; });
  }

  static std::string neutral(Combine combine, DType type) {
    const auto bits = static_cast<unsigned>(8 * sizeOf(type).value);
    const auto highest = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
    const bool isMin = combine == Combine::kMin, isMax = combine == Combine::kMax;
    if (isFloat(type)) {
      const double infinity = std::numeric_limits<double>::infinity();
      return mlirLiteral(type, isMin ? infinity : isMax ? -infinity : combine == Combine::kMul ? 1.0 : 0.0);
    }
    return std::to_string(isMin ? highest : isMax ? -highest - 1 : combine == Combine::kMul ? 1 : 0);
  }

  /// What is not given starts from the neutral element, or from 0 where the points leave elements out.
  void writeStart(const Kernel &k, const Store &s) {
    const auto t = static_cast<std::size_t>(s.target.tensor);
    const bool isFirst = !isWritten_[t] && graph_.tensors[t].role != Role::kInOut;
    isWritten_[t] = true;
    if (!isFirst || (s.combine == Combine::kAssign && covers(k, s.target))) return;
    const std::string type = mlirType(graph_.tensors[t].type), value = fmt::format("%e{}", constants_++);
    out_ += fmt::format("  {} = arith.constant {} : {}\n", value, neutral(s.combine, graph_.tensors[t].type), type);
    out_ += fmt::format("  linalg.fill ins({} : {}) outs({} : {})\n", value, type, names_[t], typeOf(t));
  }

  void writeKernel(std::size_t number) {
    const Kernel &k = graph_.kernels[number];
    for (const Store &s : k.stores) writeStart(k, s);
    isStructured(k) ? writeGeneric(number) : writeLoops(number);
  }

  void writeGeneric(std::size_t number) {
    const Kernel &k = graph_.kernels[number];
    std::vector<std::string> maps, kinds, ins, inTypes, outs, outTypes, arguments, loads, indices;
    const std::string dims = dimList(k.dims.size(), "d");
    const auto operand = [&](const Access &a, std::vector<std::string> &to, std::vector<std::string> &types) {
      maps.push_back(fmt::format("affine_map<({}) -> ({})>", dims, formTexts(a.index, "d")));
      to.push_back(nameOf(a));
      types.push_back(typeOf(a));
    };
    for (std::size_t l = 0; l < k.loads.size(); ++l) {
      operand(k.loads[l], ins, inTypes);
      loads.push_back(fmt::format("%in{}", l));
      arguments.push_back(fmt::format("%in{}: {}", l, mlirType(tensorOf(k.loads[l]).type)));
    }
    for (std::size_t s = 0; s < k.stores.size(); ++s) {
      operand(k.stores[s].target, outs, outTypes);
      arguments.push_back(fmt::format("%out{}: {}", s, mlirType(tensorOf(k.stores[s].target).type)));
    }
    for (const Dim &d : k.dims) kinds.push_back(d.kind == DimKind::kReduction ? "\"reduction\"" : "\"parallel\"");
    out_ += fmt::format("  linalg.generic {{indexing_maps = [{}],\n      iterator_types = [{}]}}\n", join(maps, ", "),
                        join(kinds, ", "));
    if (!ins.empty()) out_ += fmt::format("      ins({} : {})\n", join(ins, ", "), join(inTypes, ", "));
    out_ += fmt::format("      outs({} : {}) attrs = {{{}}} {{\n  ^bb0({}):\n", join(outs, ", "), join(outTypes, ", "),
                        join(attributes(number), ", "), join(arguments, ", "));
    std::set<int> used;
    for (const kernel::Value &v : k.body) {
      if (v.op == kernel::Op::kIndex) used.insert(v.dim);
    }
    for (std::size_t d = 0; d < k.dims.size(); ++d) {
      indices.push_back(fmt::format("%i{}", d));
      if (used.contains(static_cast<int>(d))) out_ += fmt::format("    %i{} = linalg.index {} : index\n", d, d);
    }
    MlirBody body(k, "    ", loads, indices, out_);
    body.write();
    std::vector<std::string> results, types;
    for (std::size_t s = 0; s < k.stores.size(); ++s) {
      const DType type = tensorOf(k.stores[s].target).type;
      const std::string term = body.as(k.stores[s].value, type);
      results.push_back(body.combine(k.stores[s].combine, fmt::format("%out{}", s), term, type));
      types.push_back(mlirType(type));
    }
    out_ += fmt::format("    linalg.yield {} : {}\n  }}\n", join(results, ", "), join(types, ", "));
  }

  void writeLoops(std::size_t number) {
    const Kernel &k = graph_.kernels[number];
    std::string indent = "  ";
    std::vector<std::string> indices, loads;
    for (std::size_t d = 0; d < k.dims.size(); ++d) {
      indices.push_back(fmt::format("%d{}", d));
      out_ += fmt::format("{}affine.for %d{} = 0 to {} {{\n", indent, d, k.dims[d].extent);
      indent += "  ";
    }
    if (!k.guards.empty()) {
      std::vector<std::string> guards;
      for (const Affine &g : k.guards) guards.push_back(formText(g, "d") + " >= 0");
      out_ += fmt::format("{}affine.if affine_set<({}) : ({})>({}) {{\n", indent, dimList(k.dims.size(), "d"),
                          join(guards, ", "), dimList(k.dims.size(), "%d"));
      indent += "  ";
    }
    for (std::size_t l = 0; l < k.loads.size(); ++l) {
      loads.push_back(fmt::format("%in{}", l));
      out_ += fmt::format("{}%in{} = affine.load {}[{}] : {}\n", indent, l, nameOf(k.loads[l]),
                          formTexts(k.loads[l].index, "%d"), typeOf(k.loads[l]));
    }
    MlirBody body(k, indent, loads, indices, out_);
    body.write();
    std::vector<std::string> values;
    for (std::size_t s = 0; s < k.stores.size(); ++s) {
      const Store &store = k.stores[s];
      const DType type = tensorOf(store.target).type;
      const std::string term = body.as(store.value, type), at = formTexts(store.target.index, "%d");
      std::string old;
      if (store.combine != Combine::kAssign) {
        old = body.line(fmt::format("affine.load {}[{}] : {}", nameOf(store.target), at, typeOf(store.target)));
      }
      values.push_back(body.combine(store.combine, old, term, type));
    }
    for (std::size_t s = 0; s < k.stores.size(); ++s) {
      const Access &target = k.stores[s].target;
      out_ += fmt::format("{}affine.store {}, {}[{}] : {}\n", indent, values[s], nameOf(target),
                          formTexts(target.index, "%d"), typeOf(target));
    }
    if (!k.guards.empty()) {
      indent.resize(indent.size() - 2);
      out_ += indent + "}\n";
    }
    for (std::size_t d = k.dims.size(); d-- > 0;) {
      indent.resize(indent.size() - 2);
      out_ += indent + "}" + (d == 0 ? fmt::format(" {{{}}}", join(attributes(number), ", ")) : "") + "\n";
    }
  }

  const kernel::Graph &graph_;
  const std::vector<std::string> &mappings_;
  const std::string &target_;
  std::vector<std::string> names_;
  std::vector<bool> isWritten_;
  int constants_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> toMlir(const kernel::Graph &graph, const std::vector<std::string> &mappings,
                           const std::string &target) {
  return MlirWriter(graph, mappings, target).run();
}

}  // namespace pimento::emit
