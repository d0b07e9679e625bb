#include "pimento/emit/mlir.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "pimento/base/text.h"
#include "pimento/emit/mlir_writer.h"

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

int soleDim(const Affine &form) {
  int dim = -1;
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    if (form.coefficients[d] == 0) continue;
    if (form.coefficients[d] != 1 || dim >= 0) return -1;
    dim = static_cast<int>(d);
  }
  return form.constant == 0 ? dim : -1;
}

std::string formText(const Affine &form, const std::vector<std::string> &names) {
  std::string text;
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    const std::int64_t c = form.coefficients[d];
    if (c == 0) continue;
    if (!text.empty()) text += " + ";
    text += c == 1 ? names[d] : fmt::format("{} * {}", names[d], c);
  }
  if (text.empty()) return std::to_string(form.constant);
  return form.constant == 0 ? text : fmt::format("{} + {}", text, form.constant);
}

std::string formTexts(const std::vector<Affine> &forms, const std::vector<std::string> &names) {
  std::vector<std::string> texts;
  for (const Affine &form : forms) texts.push_back(formText(form, names));
  return join(texts, ", ");
}

std::vector<std::string> dimNames(std::size_t dims, const std::string &prefix) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dims; ++d) names.push_back(fmt::format("{}{}", prefix, d));
  return names;
}

namespace {

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

std::string neutral(Combine combine, DType type) {
  const auto bits = static_cast<unsigned>(8 * sizeOf(type).value);
  const auto highest = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
  const bool isMin = combine == Combine::kMin, isMax = combine == Combine::kMax;
  if (isFloat(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return mlirLiteral(type, isMin ? infinity : isMax ? -infinity : combine == Combine::kMul ? 1.0 : 0.0);
  }
  const bool hasSign = isSigned(type);  // the bits of the largest unsigned number are those of -1
  return std::to_string(isMin   ? (hasSign ? highest : -1)
                        : isMax ? (hasSign ? -highest - 1 : 0)
                                : static_cast<std::int64_t>(combine == Combine::kMul));
}

}  // namespace

void MlirWriter::nameTensors() {
  std::set<std::string> taken;
  for (const Tensor &t : graph_.tensors) {
    // %d0, %v0, %c0, %s0 are loops and values.
    std::string stem = identifier(t.name);
    const bool isOurs = stem.size() > 1 && std::string("dvecs").find(stem[0]) != std::string::npos &&
                        (std::string("dve").find(stem[0]) != std::string::npos || (stem[1] >= '0' && stem[1] <= '9'));
    if (isOurs) stem = "t_" + stem;
    std::string name = stem;
    for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", stem, n);
    names_.push_back("%" + name);
  }
}

Result<std::string> MlirWriter::run() {
  if (Diagnostics found = check(); !found.empty()) return found;
  nameTensors();
  std::vector<std::string> arguments;
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
    if (graph_.tensors[t].role == Role::kTemporary) continue;
    const char *const note = graph_.tensors[t].isConstant ? " {pimento.constant}" : "";
    arguments.push_back(names_[t] + ": " + typeOf(t) + note);
  }
  out_ = fmt::format("func.func @{}({}){} {{\n", identifier(graph_.name.empty() ? "main" : graph_.name),
                     join(arguments, ", "),
                     target_.empty() ? "" : fmt::format(" attributes {{pimento.target = {}}}", quoted(target_)));
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
    if (graph_.tensors[t].role == Role::kTemporary)
      out_ += fmt::format("  {} = memref.alloc() : {}\n", names_[t], typeOf(t));
  }
  isWritten_.assign(graph_.tensors.size(), false);
  writeKernels(0, static_cast<int>(graph_.kernels.size()), 0);
  out_ += "  return\n}\n";
  return std::move(out_);
}

Diagnostics MlirWriter::check() const {
  Diagnostics found;
  for (std::size_t n = 0; n < graph_.kernels.size(); ++n) {
    const Kernel &k = graph_.kernels[n];
    const auto follower = std::find_if(k.stores.begin(), k.stores.end(), [](const Store &s) { return s.follows >= 0; });
    const bool isMixed =
        follower != k.stores.end() && std::any_of(k.stores.begin(), k.stores.end(), [&](const Store &s) {
          return s.follows != follower->follows && &s != &k.stores[static_cast<std::size_t>(follower->follows)];
        });
    if (isMixed)
      found.push_back(unsupported(
          "no-mlir-form", k.where,
          fmt::format("kernel '{}' stores a minimum or maximum with its index and also other results", k.name),
          "split the kernel; --emit kernel prints it"));
    if (k.form != kernel::Form::kSelect) continue;
    const char *why = k.stores.size() < 2                    ? "counts nothing"
                      : k.stores[0].target.index.size() != 1 ? "selects by rows"
                      : k.limit >= 0                         ? "has a limit"
                      : countersOf(k) > 0                    ? "selects in rounds"
                                                             : nullptr;
    if (why != nullptr)
      found.push_back(
          unsupported("no-mlir-form", k.where, fmt::format("kernel '{}' {}", k.name, why),
                      "MLIR can express a selection only as one list without a limit; --emit kernel prints it"));
  }
  return found;
}

std::size_t MlirWriter::countersOf(const Kernel &k) const {
  const auto end = std::find_if(k.dims.begin(), k.dims.end(), [](const Dim &d) { return d.kind != DimKind::kCounter; });
  return static_cast<std::size_t>(end - k.dims.begin());
}

std::string MlirWriter::typeOf(std::size_t t) const {
  const Tensor &tensor = graph_.tensors[t];
  std::string shape;
  for (const std::int64_t e : tensor.shape) shape += std::to_string(e) + "x";
  return fmt::format("memref<{}{}>", shape, mlirType(tensor.type));
}

/// A mapping is that of one round: it is written where all rounds of the kernel are alike.
std::vector<std::string> MlirWriter::attributes(std::size_t k) const {
  const Kernel &kernel = graph_.kernels[k];
  std::vector<std::string> a{"pimento.kernel = " + quoted(kernel.name)};
  const auto counters = static_cast<std::ptrdiff_t>(countersOf(kernel));
  const bool moves = std::any_of(kernel.guards.begin(), kernel.guards.end(), [&](const Affine &guard) {
    return std::any_of(guard.coefficients.begin(), guard.coefficients.begin() + counters,
                       [](std::int64_t c) { return c != 0; });
  });
  const bool isMapped = k < mappings_.size() && !mappings_[k].empty();
  if (isMapped && !moves && countersOf(kernel) < kernel.dims.size())
    a.push_back("pimento.mapping = " + quoted(mappings_[k]));
  return a;
}

/// Whether the points write every element of the target.
bool MlirWriter::covers(const Kernel &k, const Access &target) const {
  std::set<int> used;
  const Tensor &t = tensorOf(target);
  for (std::size_t i = 0; i < target.index.size(); ++i) {
    const Affine &form = target.index[i];
    const bool isOnly = t.shape[i] == 1 && form.constant == 0 &&
                        std::all_of(form.coefficients.begin(), form.coefficients.end(), [](auto c) { return c == 0; });
    if (isOnly) continue;
    const int d = soleDim(form);
    if (d < 0 || !used.insert(d).second || k.dims[static_cast<std::size_t>(d)].extent != t.shape[i]) return false;
  }
  return k.guards.empty();
}

/// Whether linalg.generic can say it: all loops found from shapes, no order, no guards.
bool MlirWriter::isStructured(const Kernel &k) const {
  const std::size_t counters = countersOf(k);
  const auto isUnsignedExtreme = [&](const Store &s) {  // signless elements come back as signed ones
    const DType type = tensorOf(s.target).type;
    return !isFloat(type) && !isSigned(type) && (s.combine == Combine::kMin || s.combine == Combine::kMax);
  };
  if (k.dims.size() == counters || !k.guards.empty() || !k.bounds.empty() || k.form != kernel::Form::kAffine)
    return false;
  std::vector<bool> isFound(k.dims.size());
  std::fill_n(isFound.begin(), counters, true);
  const auto isOfCounters = [&](const Access &a) {
    return a.isIndirect() || std::any_of(a.index.begin(), a.index.end(), [&](const Affine &form) {
             return std::any_of(form.coefficients.begin(),
                                form.coefficients.begin() + static_cast<std::ptrdiff_t>(counters),
                                [](std::int64_t c) { return c != 0; });
           });
  };
  if (std::any_of(k.loads.begin(), k.loads.end(), isOfCounters)) return false;
  for (const Store &s : k.stores)
    if (s.follows >= 0 || isOfCounters(s.target) || isUnsignedExtreme(s)) return false;
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

/// What is not given starts from the neutral element, or from 0 where the points leave elements out.
void MlirWriter::writeStart(const Kernel &k, const Store &s) {
  const auto t = static_cast<std::size_t>(s.target.tensor);
  const bool isFirst = !isWritten_[t] && graph_.tensors[t].role != Role::kInOut;
  isWritten_[t] = true;
  if (!isFirst || (s.combine == Combine::kAssign && s.follows < 0 && covers(k, s.target))) return;
  fill(t, neutral(s.combine, graph_.tensors[t].type));
}

void MlirWriter::fill(std::size_t t, const std::string &constant) {
  const std::string type = mlirType(graph_.tensors[t].type), value = fmt::format("%e{}", constants_++);
  out_ += fmt::format("  {} = arith.constant {} : {}\n", value, constant, type);
  // No kernel of the graph: it must not take the name of one.
  const bool isMistaken = std::any_of(graph_.kernels.begin(), graph_.kernels.end(),
                                      [](const Kernel &k) { return k.name.starts_with("fill"); });
  const std::string note = isMistaken ? fmt::format("{{pimento.kernel = \"start_{}\"}} ", graph_.tensors[t].name) : "";
  out_ += fmt::format("  linalg.fill {}ins({} : {}) outs({} : {})\n", note, value, type, names_[t], typeOf(t));
}

void MlirWriter::writeKernel(std::size_t number) {
  const Kernel &k = graph_.kernels[number];
  if (counters_.empty())
    for (const Store &s : k.stores) writeStart(k, s);
  isStructured(k) ? writeGeneric(number) : writeLoops(number);
}

void MlirWriter::writeGeneric(std::size_t number) {
  const Kernel &k = graph_.kernels[number];
  std::vector<std::string> maps, kinds, ins, inTypes, outs, outTypes, arguments, loads, indices;
  const std::size_t counters = countersOf(k);
  const std::vector<std::string> dims = dimNames(k.dims.size() - counters, "d");
  std::vector<std::string> names = counters_;
  names.insert(names.end(), dims.begin(), dims.end());
  const auto operand = [&](const Access &a, std::vector<std::string> &to, std::vector<std::string> &types) {
    maps.push_back(fmt::format("affine_map<({}) -> ({})>", join(dims, ", "), formTexts(a.index, names)));
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
  for (std::size_t d = counters; d < k.dims.size(); ++d)
    kinds.push_back(k.dims[d].kind == DimKind::kReduction ? "\"reduction\"" : "\"parallel\"");
  out_ += fmt::format("{0}linalg.generic {{indexing_maps = [{1}],\n{0}    iterator_types = [{2}]}}\n", indent_,
                      join(maps, ", "), join(kinds, ", "));
  if (!ins.empty()) out_ += fmt::format("{}    ins({} : {})\n", indent_, join(ins, ", "), join(inTypes, ", "));
  out_ += fmt::format("{0}    outs({1} : {2}) attrs = {{{3}}} {{\n{0}^bb0({4}):\n", indent_, join(outs, ", "),
                      join(outTypes, ", "), join(attributes(number), ", "), join(arguments, ", "));
  std::set<int> used;
  for (const kernel::Value &v : k.body) {
    if (v.op == kernel::Op::kIndex) used.insert(v.dim);
  }
  for (std::size_t d = 0; d < k.dims.size(); ++d) {
    indices.push_back(d < counters ? counters_[d] : fmt::format("%i{}", d - counters));
    if (d >= counters && used.contains(static_cast<int>(d)))
      out_ += fmt::format("{}  {} = linalg.index {} : index\n", indent_, indices.back(), d - counters);
  }
  MlirBody body(
      k, indent_ + "  ", [&](const Access &, int number0) { return loads[static_cast<std::size_t>(number0)]; }, indices,
      out_);
  body.write();
  std::vector<std::string> results, types;
  for (std::size_t s = 0; s < k.stores.size(); ++s) {
    const DType type = tensorOf(k.stores[s].target).type;
    const std::string term = body.as(k.stores[s].value, type);
    results.push_back(body.combine(k.stores[s].combine, fmt::format("%out{}", s), term, type));
    types.push_back(mlirType(type));
  }
  out_ += fmt::format("{0}  linalg.yield {1} : {2}\n{0}}}\n", indent_, join(results, ", "), join(types, ", "));
}

Result<std::string> toMlir(const kernel::Graph &graph, const std::vector<std::string> &mappings,
                           const std::string &target) {
  return MlirWriter(graph, mappings, target).run();
}

}  // namespace pimento::emit
