// Kernels that linalg cannot say as loops, and rounds around kernels.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "pimento/base/text.h"
#include "pimento/emit/mlir_writer.h"
#include "pimento/kernel/data_bounds.h"
#include "pimento/kernel/rounds.h"

namespace pimento::emit {

using kernel::Access;
using kernel::Affine;
using kernel::Combine;
using kernel::Kernel;
using kernel::Role;
using kernel::Store;

// ---- Rounds ----

/// Kernels [first, end), with the loops from number `loop` on that lie among them.
void MlirWriter::writeKernels(int first, int end, std::size_t loop) {
  for (int k = first; k < end;) {
    while (loop < graph_.loops.size() && graph_.loops[loop].first < k) ++loop;
    const bool isAround = loop < graph_.loops.size() && graph_.loops[loop].first == k && graph_.loops[loop].end <= end;
    if (!isAround) {
      writeKernel(static_cast<std::size_t>(k++));
      continue;
    }
    k = graph_.loops[loop].end;
    loop = writeLoop(loop);
  }
}

/// Before the first round: what kernels of the rounds start from.
void MlirWriter::writeStarts(int first, int end) {
  for (int k = first; k < end; ++k) {
    const Kernel &kernel = graph_.kernels[static_cast<std::size_t>(k)];
    for (const Store &s : kernel.stores) {
      const std::vector<bool> names = kernel::swappedWith(graph_, s.target.tensor);
      for (std::size_t t = 0; t < names.size(); ++t) {
        if (!names[t]) continue;
        Store alike = s;
        alike.target.tensor = static_cast<int>(t);
        writeStart(kernel, alike);
      }
    }
  }
}

/// Tensors whose names the loop, or one in it, exchanges.
std::vector<std::size_t> MlirWriter::exchanged(std::size_t number) const {
  std::vector<std::size_t> tensors;
  for (std::size_t l = number; l < graph_.loops.size() && graph_.loops[l].first < graph_.loops[number].end; ++l) {
    for (const auto &swap : graph_.loops[l].swaps)
      for (const int t : swap) tensors.push_back(static_cast<std::size_t>(t));
  }
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  return tensors;
}

/// The number of the first loop behind it and those in it.
std::size_t MlirWriter::writeLoop(std::size_t number) {
  const kernel::Loop &loop = graph_.loops[number];
  if (counters_.empty()) writeStarts(loop.first, loop.end);
  const std::vector<std::size_t> carried = exchanged(number);
  std::vector<std::string> inits, types, yields;
  std::string results, arguments;
  for (std::size_t c = 0; c < carried.size(); ++c) {
    types.push_back(typeOf(carried[c]));
    inits.push_back(fmt::format("%s{}_{} = {}", number, c, names_[carried[c]]));
    names_[carried[c]] = fmt::format("%s{}_{}", number, c);
  }
  if (!carried.empty()) {
    results = fmt::format("%r{}:{} = ", number, carried.size());
    arguments = fmt::format(" iter_args({}) -> ({})", join(inits, ", "), join(types, ", "));
  }
  counters_.push_back(fmt::format("%c{}", number));
  out_ += fmt::format("{}{}affine.for {} = 0 to {}{} {{\n", indent_, results, counters_.back(), loop.extent, arguments);
  indent_ += "  ";
  writeKernels(loop.first, loop.end, number + 1);
  for (const auto &[a, b] : loop.swaps)
    std::swap(names_[static_cast<std::size_t>(a)], names_[static_cast<std::size_t>(b)]);
  for (const std::size_t t : carried) yields.push_back(names_[t]);
  if (!carried.empty()) out_ += fmt::format("{}affine.yield {} : {}\n", indent_, join(yields, ", "), join(types, ", "));
  indent_.resize(indent_.size() - 2);
  out_ += indent_ + "}\n";
  counters_.pop_back();
  for (std::size_t c = 0; c < carried.size(); ++c) names_[carried[c]] = fmt::format("%r{}#{}", number, c);
  std::size_t next = number + 1;
  while (next < graph_.loops.size() && graph_.loops[next].first < loop.end) ++next;
  return next;
}

// ---- Elements ----

/// A sum of loops as a value: affine ops do not take the variables of loops that data bound.
std::string MlirWriter::sum(const Affine &form, MlirBody &body, const std::vector<std::string> &dims) {
  std::string value;
  const auto constant = [&](std::int64_t x) { return body.line(fmt::format("arith.constant {} : index", x)); };
  const auto add = [&](const std::string &term) {
    value = value.empty() ? term : body.line(fmt::format("arith.addi {}, {} : index", value, term));
  };
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    const std::int64_t c = form.coefficients[d];
    if (c == 0) continue;
    add(c == 1 ? dims[d] : body.line(fmt::format("arith.muli {}, {} : index", dims[d], constant(c))));
  }
  if (form.constant != 0 || value.empty()) add(constant(form.constant));
  return value;
}

/// Indices of an element as values.
std::vector<std::string> MlirWriter::indices(const Access &a, MlirBody &body, const std::vector<std::string> &dims) {
  std::vector<std::string> at;
  for (std::size_t i = 0; i < a.index.size(); ++i) {
    const Affine &form = a.index[i];
    if (static_cast<int>(i) == a.indirectAt) {
      at.push_back(body.index(a.indirectIndex));
    } else if (const int d = soleDim(form); d >= 0) {
      at.push_back(dims[static_cast<std::size_t>(d)]);
    } else if (isBoundByData_) {
      at.push_back(sum(form, body, dims));
    } else {
      const std::vector<std::string> names = dimNames(dims.size(), "d");
      at.push_back(body.line(fmt::format("affine.apply affine_map<({}) -> ({})>({})", join(names, ", "),
                                         formText(form, names), join(dims, ", "))));
    }
  }
  return at;
}

std::string MlirWriter::load(const Access &a, MlirBody &body, const std::vector<std::string> &dims) {
  if (a.isIndirect() || isBoundByData_)
    return body.line(fmt::format("memref.load {}[{}] : {}", nameOf(a), join(indices(a, body, dims), ", "), typeOf(a)));
  return body.line(fmt::format("affine.load {}[{}] : {}", nameOf(a), formTexts(a.index, dims), typeOf(a)));
}

void MlirWriter::store(const std::string &value, const Access &a, MlirBody &body,
                       const std::vector<std::string> &dims) {
  const bool isByValue = a.isIndirect() || isBoundByData_;
  const std::string at = isByValue ? join(indices(a, body, dims), ", ") : formTexts(a.index, dims);
  out_ += fmt::format("{}{}.store {}, {}[{}] : {}\n", body.indent(), isByValue ? "memref" : "affine", value, nameOf(a),
                      at, typeOf(a));
}

// ---- Kernels ----

/// A minimum or maximum with its index: both are stored where the value is less, or greater.
void MlirWriter::writeFollowed(const Kernel &k, std::size_t leader, MlirBody &body,
                               const std::vector<std::string> &dims) {
  const Store &extreme = k.stores[leader];
  const DType type = tensorOf(extreme.target).type;
  const std::string value = body.as(extreme.value, type), old = load(extreme.target, body, dims);
  const bool isMin = extreme.combine == Combine::kMin;
  const std::string better = body.line(fmt::format("arith.{} {}{}, {}, {} : {}", isFloat(type) ? "cmpf" : "cmpi",
                                                   isFloat(type)    ? "o"
                                                   : isSigned(type) ? "s"
                                                                    : "u",
                                                   isMin ? "lt" : "gt", value, old, mlirType(type)));
  std::vector<std::pair<std::string, const Access *>> with;
  for (const Store &s : k.stores)
    if (s.follows == static_cast<int>(leader)) with.emplace_back(body.as(s.value, tensorOf(s.target).type), &s.target);
  body.open("scf.if " + better);
  store(value, extreme.target, body, dims);
  for (const auto &[follower, target] : with) store(follower, *target, body, dims);
  body.close();
}

/// out[count] = x; count += 1.
void MlirWriter::writeSelection(const Kernel &k, MlirBody &body, const std::vector<std::string> &dims) {
  const Access &out = k.stores[0].target, &count = k.stores[1].target;
  const DType type = tensorOf(count).type;
  const std::string value = body.as(k.stores[0].value, tensorOf(out).type);
  body.open("scf.if " + body.bit(k.predicate));
  const std::string old = load(count, body, dims);
  const std::string at = body.line(fmt::format("arith.index_cast {} : {} to index", old, mlirType(type)));
  out_ += fmt::format("{}memref.store {}, {}[{}] : {}\n", body.indent(), value, nameOf(out), at, typeOf(out));
  const std::string one = body.line(fmt::format("arith.constant 1 : {}", mlirType(type)));
  store(body.combine(Combine::kAdd, old, one, type), count, body, dims);
  body.close();
}

/// A point's loads come before its stores.
void MlirWriter::writeStores(const Kernel &k, MlirBody &body, const std::vector<std::string> &dims) {
  std::vector<std::string> values;
  for (const Store &store : k.stores) {
    const DType type = tensorOf(store.target).type;
    const std::string term = body.as(store.value, type);
    const std::string old = store.combine == Combine::kAssign ? std::string() : load(store.target, body, dims);
    values.push_back(body.combine(store.combine, old, term, type));
  }
  for (std::size_t s = 0; s < k.stores.size(); ++s) store(values[s], k.stores[s].target, body, dims);
}

/// The loop of dim `d`, and before it what bounds it.
void MlirWriter::openLoop(const Kernel &k, std::size_t d, const std::string &prefix,
                          const std::vector<std::string> &dims) {
  const auto bounds = std::find_if(k.bounds.begin(), k.bounds.end(),
                                   [d](const kernel::DataBounds &b) { return b.dim == static_cast<int>(d); });
  if (bounds == k.bounds.end()) {
    out_ += fmt::format("{}affine.for {} = 0 to {} {{\n", indent_, dims[d], k.dims[d].extent);
    indent_ += "  ";
    return;
  }
  MlirBody *current = nullptr;
  const auto loadOf = [&](const Access &a, int) { return load(a, *current, dims); };
  MlirBody body(k, indent_, loadOf, dims, out_, fmt::format("{}b{}_", prefix, d));
  current = &body;
  body.write(kernel::valuesBelow(k, *bounds));
  const auto bound = [&](int value, std::int64_t otherwise) {
    return value >= 0 ? body.index(value) : body.line(fmt::format("arith.constant {} : index", otherwise));
  };
  const std::string first = bound(bounds->first, 0), end = bound(bounds->end, k.dims[d].extent);
  const std::string step = bound(-1, 1);
  out_ += fmt::format("{}scf.for {} = {} to {} step {} {{\n", indent_, dims[d], first, end, step);
  indent_ += "  ";
}

/// Opens what holds where the guards do.
void MlirWriter::openGuards(const Kernel &k, MlirBody &body, const std::vector<std::string> &dims) {
  if (!isBoundByData_) {
    std::vector<std::string> guards;
    const std::vector<std::string> names = dimNames(k.dims.size(), "d");
    for (const Affine &g : k.guards) guards.push_back(formText(g, names) + " >= 0");
    return body.open(
        fmt::format("affine.if affine_set<({}) : ({})>({})", join(names, ", "), join(guards, ", "), join(dims, ", ")));
  }
  std::string all;
  for (const Affine &g : k.guards) {
    const std::string value = sum(g, body, dims), zero = body.line("arith.constant 0 : index");
    const std::string holds = body.line(fmt::format("arith.cmpi sge, {}, {} : index", value, zero));
    all = all.empty() ? holds : body.line(fmt::format("arith.andi {}, {} : i1", all, holds));
  }
  body.open("scf.if " + all);
}

/// What a point computes; what only bounds loops is left out.
std::vector<int> MlirWriter::valuesOfPoints(const Kernel &k) const {
  std::set<int> needed;
  const auto need = [&](int value) {
    const std::vector<int> below = kernel::valuesBelow(k, value);
    needed.insert(below.begin(), below.end());
  };
  need(k.predicate);
  for (const Store &s : k.stores) {
    need(s.value);
    need(s.target.indirectIndex);
  }
  return {needed.begin(), needed.end()};
}

void MlirWriter::writeLoops(std::size_t number) {
  const Kernel &k = graph_.kernels[number];
  const std::size_t counters = countersOf(k), own = k.dims.size() - counters;
  isBoundByData_ = !k.bounds.empty();
  // Values of kernels without loops of their own lie next to one another.
  const std::string prefix = own == 0 ? fmt::format("%s{}_", number) : "%";
  std::vector<std::string> dims = counters_;
  for (std::size_t d = 0; d < own; ++d) dims.push_back(fmt::format("%d{}", d));
  for (std::size_t d = 0; d < own; ++d) openLoop(k, counters + d, prefix, dims);
  std::vector<std::string> loads(k.loads.size());
  MlirBody *current = nullptr;
  const auto loadOf = [&](const Access &a, int n) {
    return a.isIndirect() || isBoundByData_ ? load(a, *current, dims) : loads[static_cast<std::size_t>(n)];
  };
  MlirBody body(k, indent_, loadOf, dims, out_, prefix + "v");
  current = &body;
  if (!k.guards.empty()) openGuards(k, body, dims);
  for (std::size_t l = 0; l < k.loads.size(); ++l) {
    if (k.loads[l].isIndirect() || isBoundByData_) continue;
    loads[l] = fmt::format("{}in{}", prefix, l);
    out_ += fmt::format("{}{} = affine.load {}[{}] : {}\n", body.indent(), loads[l], nameOf(k.loads[l]),
                        formTexts(k.loads[l].index, dims), typeOf(k.loads[l]));
  }
  if (isBoundByData_) {
    body.write(valuesOfPoints(k));
  } else {
    body.write();
  }
  const auto follower = std::find_if(k.stores.begin(), k.stores.end(), [](const Store &s) { return s.follows >= 0; });
  if (k.form == kernel::Form::kSelect) {
    writeSelection(k, body, dims);
  } else if (follower != k.stores.end()) {
    writeFollowed(k, static_cast<std::size_t>(follower->follows), body, dims);
  } else {
    writeStores(k, body, dims);
  }
  isBoundByData_ = false;
  if (!k.guards.empty()) body.close();
  for (std::size_t d = own; d-- > 0;) {
    indent_.resize(indent_.size() - 2);
    out_ += indent_ + "}" + (d == 0 ? fmt::format(" {{{}}}", join(attributes(number), ", ")) : "") + "\n";
  }
}

}  // namespace pimento::emit
