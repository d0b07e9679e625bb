#include "pimento/targets/cnm/operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/linear.h"
#include "pimento/lower/accumulation.h"

namespace pimento::targets::cnm {

using kernel::Access;
using kernel::Affine;
using kernel::Combine;
using kernel::DimKind;
using kernel::Form;
using kernel::Store;

namespace {

const kernel::Kernel &kernelOf(const kernel::Graph &graph, int number) {
  return graph.kernels[static_cast<std::size_t>(number)];
}

bool isSequential(const kernel::Kernel &k) {
  return std::any_of(k.dims.begin(), k.dims.end(), [](auto &d) { return d.kind == DimKind::kSequential; });
}

bool hasFollowers(const kernel::Kernel &k) {
  return std::any_of(k.stores.begin(), k.stores.end(), [](const Store &s) { return s.follows >= 0; });
}

bool isLoaded(const kernel::Kernel &k, int tensor) {
  return std::any_of(k.loads.begin(), k.loads.end(), [tensor](const Access &a) { return a.tensor == tensor; });
}

bool usesAllDims(const kernel::Kernel &k, const Access &target) {
  for (std::size_t d = 0; d < k.dims.size(); ++d)
    if (k.dims[d].extent > 1 &&
        std::none_of(target.index.begin(), target.index.end(), [d](auto &i) { return i.coefficients[d] != 0; }))
      return false;
  return true;
}

/// How results of a store come about.
Use useOf(const kernel::Graph &graph, const kernel::Kernel &k, const Store &s) {
  const bool isSum = s.combine != Combine::kAssign;
  const bool isFloating = isFloat(graph.tensors[static_cast<std::size_t>(s.target.tensor)].type);
  const bool isSeen = isSequential(k) && isLoaded(k, s.target.tensor);
  if (s.target.isIndirect()) return isSum && !isFloating && !isSeen ? Use::kTable : Use::kInPlace;
  if (k.form == Form::kIndirect && isSum && isFloating) return Use::kInPlace;
  if (hasFollowers(k) && (isSum || s.follows >= 0)) return Use::kInPlace;
  if (isSequential(k)) return !isSum && !isSeen && usesAllDims(k, s.target) ? Use::kWrite : Use::kInPlace;
  if (!isSum) return Use::kWrite;
  const bool reduces = std::any_of(k.dims.begin(), k.dims.end(), [](auto &d) { return d.kind == DimKind::kReduction; });
  return reduces ? Use::kPartial : Use::kInPlace;
}

/// Is index number `i` of what a store updates the same form in all that reads it, so that each point has its line?
bool isAlong(const kernel::Kernel &k, const Store &s, std::size_t i) {
  const auto isData = [i](const Access &a) { return a.indirectAt == static_cast<int>(i); };
  return std::all_of(k.loads.begin(), k.loads.end(), [&](const Access &a) {
    return a.tensor != s.target.tensor ||
           (isData(a) == isData(s.target) && a.index[i].coefficients == s.target.index[i].coefficients);
  });
}

/// Does each value of dim `d` have elements of its own in what the store updates?
bool hasLines(const kernel::Kernel &k, const Store &s, std::size_t d) {
  for (std::size_t i = 0; i < s.target.index.size(); ++i) {
    const Affine &form = s.target.index[i];
    const bool isAlone =
        form.coefficients[d] != 0 && std::count(form.coefficients.begin(), form.coefficients.end(), 0) + 1 ==
                                         static_cast<std::ptrdiff_t>(form.coefficients.size());
    const auto isSame = [&](const Access &a) { return a.tensor != s.target.tensor || a.index[i] == form; };
    if (isAlone && isAlong(k, s, i) && std::all_of(k.loads.begin(), k.loads.end(), isSame)) return true;
  }
  return false;
}

class Grouper {
 public:
  Grouper(Plan &plan, const machine::Machine &machine) : plan_(plan), kernel_(plan.kernel()), machine_(machine) {}

  Status run() {
    for (std::size_t d = 0; d < plan_.axes.size(); ++d)
      if (plan_.axes[d].isSplit() && !canSplit(*plan_.graph, plan_.number, d))
        return unsupported("unsupported-mapping",
                           fmt::format("dim '{}' is split, but its points pass on values that they update in place",
                                       plan_.axes[d].name),
                           "use factor 1 for it at every level but the range");
    for (const Store &s : kernel_.stores) addStore(s);
    for (const Access &a : kernel_.loads)
      if (const Status added = addLoad(a); !added) return added;
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (const Status reaches = checkReach(operandOf(plan_.stores[s]), kernel_.stores[s].target); !reaches)
        return reaches;
    for (std::size_t l = 0; l < kernel_.loads.size(); ++l)
      if (const Status reaches = checkReach(operandOf(plan_.loads[l]), kernel_.loads[l]); !reaches) return reaches;
    lower::settle(plan_, plan_.operands);
    return okStatus();
  }

 private:
  const Operand &operandOf(const Reference &r) const { return plan_.operands[static_cast<std::size_t>(r.operand)]; }

  Diagnostic unsupported(const char *code, std::string message, std::string hint) const {
    return refuse(code, kernel_, machine_, message, std::move(hint));
  }

  const kernel::Tensor &tensor(const Access &a) const {
    return plan_.graph->tensors[static_cast<std::size_t>(a.tensor)];
  }

  Operand &add(const Access &a, Use use) {
    Operand o;
    o.use = use;
    o.tensor = a.tensor;
    o.type = o.isPartial() ? lower::accumulatorOf(tensor(a).type) : tensor(a).type;
    o.positions = lower::positionsOf(a, tensor(a), false);
    o.home.home = use == Use::kInput ? lower::TensorPlace::Home::kUnit : lower::TensorPlace::Home::kThread;
    plan_.operands.push_back(std::move(o));
    return plan_.operands.back();
  }

  void addStore(const Store &s) {
    Operand &o = add(s.target, useOf(*plan_.graph, kernel_, s));
    o.store = static_cast<int>(plan_.stores.size());
    if (o.use == Use::kInPlace) {  // what is read along other lines is there as a whole
      const std::vector<lower::Position> whole = lower::wholeOf(tensor(s.target), kernel_.dims.size());
      for (std::size_t i = 0; i < o.positions.size(); ++i)
        if (!isAlong(kernel_, s, i)) o.positions[i] = whole[i];
    }
    plan_.stores.push_back({static_cast<int>(plan_.operands.size()) - 1, {}});
  }

  Status addLoad(const Access &a) {
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      const Operand &o = plan_.operands[i];
      if (o.tensor != a.tensor) continue;
      // Points of other kernels read their own element, or what no point writes: as it was before.
      const bool isOwn = !o.isShared() && (isSequential(kernel_) || a == plan_.storeOf(o).target);
      if (isOwn && (o.isPartial() || hasFollowers(kernel_)))
        return unsupported("unsupported-pattern", fmt::format("it reads '{}' while it accumulates it", tensor(a).name),
                           "split the kernel");
      if (!isOwn && (!o.isShared() || !lower::matches(o, a))) continue;
      plan_.loads.push_back({static_cast<int>(i), {}});
      return okStatus();
    }
    add(a, Use::kInput);
    plan_.loads.push_back({static_cast<int>(plan_.operands.size()) - 1, {}});
    return okStatus();
  }

  /// An address has one index from data. It cannot keep points that guards leave out inside the array as well.
  Status checkReach(const Operand &o, const Access &a) const {
    if (!a.isIndirect()) return okStatus();
    for (const lower::Position &p : o.positions) {
      if (!p.isWhole || a.indirectAt == static_cast<int>(p.index)) continue;
      const kernel::Interval range = rangeOf(plan_, a.index[p.index]);
      if (range.low < 0 || range.high >= p.limit)
        return unsupported("unsupported-pattern",
                           fmt::format("with its index from data, index {} of '{}' runs over {}..{} where guards "
                                       "skip points, but its extent is {}",
                                       p.index + 1, tensor(a).name, range.low, range.high, p.limit),
                           "write to a tensor that it does not read");
    }
    return okStatus();
  }

  Plan &plan_;
  const kernel::Kernel &kernel_;
  const machine::Machine &machine_;
};

}  // namespace

Diagnostic refuse(std::string code, const kernel::Kernel &kernel, const machine::Machine &machine,
                  const std::string &message, std::string hint) {
  return pimento::unsupported(
      std::move(code), kernel.where,
      fmt::format("kernel '{}' has no virtual instructions for {}: {}", kernel.name, machine.name, message),
      std::move(hint));
}

bool runsInOrder(const kernel::Graph &graph, int kernel) {
  const kernel::Kernel &k = kernelOf(graph, kernel);
  return isSequential(k) || hasFollowers(k) ||
         (k.form == Form::kIndirect && std::any_of(k.stores.begin(), k.stores.end(), [&](const Store &s) {
            return useOf(graph, k, s) == Use::kInPlace;
          }));
}

bool canSplit(const kernel::Graph &graph, int kernel, std::size_t d) {
  const kernel::Kernel &k = kernelOf(graph, kernel);
  if (k.dims[d].kind == DimKind::kSequential) return false;
  return !runsInOrder(graph, kernel) || std::all_of(k.stores.begin(), k.stores.end(), [&](const Store &s) {
    return useOf(graph, k, s) != Use::kInPlace || hasLines(k, s, d);
  });
}

Status makeOperands(Plan &plan, const machine::Machine &machine) {
  return Grouper(plan, machine).run();
}

Affine ownElement(const Operand &o, const lower::TensorPlace &place, const Access &access) {
  Affine out{PerDim(access.index.empty() ? 0 : access.index.front().coefficients.size(), 0), 0};
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const lower::Position &position = o.positions[p];
    if (!position.isWhole || access.indirectAt == static_cast<int>(position.index)) continue;
    const Affine &index = access.index[position.index];
    const std::int64_t pitch = place.pitch[p] / o.size();
    out.constant = kernel::addProduct(out.constant, pitch, index.constant);
    for (std::size_t d = 0; d < out.coefficients.size(); ++d)
      out.coefficients[d] = kernel::addProduct(out.coefficients[d], pitch, index.coefficients[d]);
  }
  return out;
}

kernel::Interval rangeOf(const Plan &plan, const Affine &form) {
  kernel::Interval out{form.constant, form.constant};
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    const std::int64_t end = form.coefficients[d] * (plan.axes[d].padded() - 1);
    (end < 0 ? out.low : out.high) += end;
  }
  return out;
}

}  // namespace pimento::targets::cnm
