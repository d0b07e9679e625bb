#include "pimento/targets/upmem/compiled/scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/mapping/dependence.h"
#include "pimento/targets/c_text/helpers.h"
#include "pimento/targets/upmem/compiled/merging.h"
#include "pimento/targets/upmem/compiled/operands.h"
#include "pimento/targets/upmem/compiled/tiling.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;
using kernel::DimKind;
using kernel::Form;

const Operand &Scheme::carry() const {
  const auto found = std::find_if(operands.begin(), operands.end(), [this](const Operand &o) { return isCarry(o); });
  PIMENTO_CHECK(found != operands.end());
  return *found;
}

bool Scheme::merges() const {
  return std::any_of(operands.begin(), operands.end(), [](const Operand &o) { return o.isMerged; });
}

bool Scheme::isSameForAll(const Operand &o) const {
  for (std::size_t d = 0; d < axes.size(); ++d)
    if (axes[d].units() > 1 && o.involves(static_cast<int>(d))) return false;
  return true;
}

bool hasInitial(const Scheme &scheme, const kernel::Store &store) {
  return lower::hasInitial(*scheme.graph, scheme.number, store);
}

namespace {

class Maker {
 public:
  Maker(const kernel::Graph &graph, int number, const mapping::PlacedMapping &placed, const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(number)]),
        mapping_(placed.mapping),
        machine_(machine),
        number_(number),
        placed_(placed) {}

  Result<Scheme> run() {
    if (const Status s = checkMapping(); !s) return s.diagnostics();
    makeAxes();
    if (const Status s = checkTypes(); !s) return s.diagnostics();
    if (const Status s = checkSplits(); !s) return s.diagnostics();
    Result<Unit> made = makeOperands(scheme_);
    if (!made) return made.diagnostics();
    if (const Status s = checkInPlace(); !s) return s.diagnostics();
    markCarries();
    makeNest();
    arrangeOperands(scheme_);
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
      if (isOfRow(kernel_, d) && scheme_.axes[d].isWhole && scheme_.axes[d].range > 1)
        return Diagnostics{
            unsupported("form",
                        fmt::format("it runs backwards along dim '{}', which distinguishes the rows of a "
                                    "selection",
                                    scheme_.axes[d].name),
                        "reverse the tensor that it reads")};
    const auto buffer = mapping_.parameters.find("buffer");
    if (const Status s = chooseTiles(scheme_, machine_, buffer == mapping_.parameters.end() ? 0 : buffer->second); !s)
      return s.diagnostics();
    chooseMerging(scheme_, machine_, mapping_.mergeAt);
    return placeArrays();
  }

 private:
  Diagnostic illegal(const std::string &message, const std::string &hint) const {
    return error("illegal-mapping", kernel_.where, fmt::format("kernel '{}': {}", kernel_.name, message), hint);
  }
  Diagnostic unsupported(const std::string &code, const std::string &message, const std::string &hint) const {
    return pimento::unsupported("unsupported-" + code, kernel_.where,
                                fmt::format("kernel '{}' cannot run on {}: {}", kernel_.name, machine_.name, message),
                                hint);
  }

  Status checkMapping() const {
    if (mapping_.subspaces.size() != 1)
      return illegal(fmt::format("the mapping has {} subspaces; a program runs one", mapping_.subspaces.size()),
                     "use one subspace: M1:{...}");
    if (!mapping_.cyclic.empty())
      return illegal("cyclic(...) is not available: every tasklet has a contiguous slice", "omit cyclic(...)");
    for (const char *name : {"dpus", "tasklets"})
      if (mapping_.parameters.contains(name))
        return illegal(fmt::format("{}= repeats what the factors specify", name),
                       fmt::format("omit {}=, or use 'auto;{}=N'", name, name));
    if (mapping_.tail == mapping::Tail::kTruncate)
      return illegal("tail=truncate is not available: a compiled program computes all elements", "omit tail=truncate");
    for (const auto &[dim, borders] : mapping_.by)
      if (borders.function.scale < 0 && (kernel_.form == Form::kSelect || hasExtremes())) {
        const auto at = mapping_.where.find("by(" + dim + ")");
        return pimento::unsupported(
            "unsupported-mapping", at == mapping_.where.end() ? kernel_.where : at->second,
            fmt::format(
                "by({}: ...) gives the first DPUs the last values, and kernel '{}' takes the first of equals, or "
                "keeps an order",
                dim, kernel_.name),
            "use a function that rises");
      }
    const auto buffer = mapping_.parameters.find("buffer");
    if (buffer != mapping_.parameters.end() && buffer->second < 1)
      return illegal(fmt::format("a buffer of {} elements", buffer->second), "choose 1 or more");
    return okStatus();
  }

  void makeAxes() {
    scheme_ = Scheme(graph_, number_, placed_, 0, machine_);
    std::set<std::string> names;
    for (Axis &a : scheme_.axes) a.name = c_text::uniqueName(a.name, names);
    const bool isOrdered =
        kernel_.form == Form::kSelect || std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                                     [](const auto &dim) { return dim.kind == DimKind::kSequential; });
    scheme_.isRowwise = isRowwise(kernel_);
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
      Axis &a = scheme_.axes[d];
      a.isOrdered = scheme_.isRowwise ? !isOfRow(kernel_, d) : isOrdered || a.kind == DimKind::kReduction;
    }
    scheme_.isScan = mapping::isPrefixSum(kernel_) && scheme_.axes[0].range < scheme_.axes[0].extent;
  }

  static bool isSplit(const Axis &a) { return a.isSplit(); }

  Status checkTypes() const {
    const auto small = [](DType t) { return t == DType::kF8E4M3 || t == DType::kF8E5M2; };
    std::set<DType> sums;
    bool sumsFloats = false;
    for (const kernel::Value &v : kernel_.body) {
      if (v.type == DType::kF64 && (v.op == kernel::Op::kExp || v.op == kernel::Op::kLog || v.op == kernel::Op::kTanh))
        return unsupported("op",
                           fmt::format("it computes {} in f64, whose last bit depends on the host library", name(v.op)),
                           "compute in f32, or leave the kernel on the host: --offload possible");
      if (small(v.type))
        return unsupported("type", fmt::format("it computes in {}", pimento::name(v.type)), "use f16, bf16 or f32");
    }
    for (const kernel::Store &s : kernel_.stores) {
      const DType t = graph_.tensors[static_cast<std::size_t>(s.target.tensor)].type;
      if (small(t)) return unsupported("type", fmt::format("it stores {}", pimento::name(t)), "use f16, bf16 or f32");
      if (s.combine == Combine::kAssign) continue;
      sums.insert(t);
      sumsFloats |= isFloat(t);
    }
    if (kernel_.form == Form::kSelect && !kernel_.bounds.empty())
      return unsupported("form",
                         fmt::format("it selects among points of dim '{}', whose bounds come from data",
                                     kernel_.dims[static_cast<std::size_t>(kernel_.bounds[0].dim)].name),
                         "run the selection on the host");
    if (kernel_.form == Form::kSelect)
      if (const Status s = checkSelection(); !s) return s;
    const auto isRounded = [&](const kernel::Store &s) {
      return (s.combine == Combine::kAdd || s.combine == Combine::kMul) &&
             isFloat(graph_.tensors[static_cast<std::size_t>(s.target.tensor)].type);
    };
    if (hasExtremes() && std::any_of(kernel_.stores.begin(), kernel_.stores.end(), isRounded))
      return unsupported("form", "it sums floating-point numbers and also takes a minimum or maximum with its index",
                         "split the kernel");
    if (sumsFloats && sums.size() > 1)
      return unsupported("type", "it accumulates in several types, one of which is floating", "split the kernel");
    return okStatus();
  }

  Status checkSelection() const {
    for (const kernel::Access &load : kernel_.loads)
      for (const kernel::Store &s : kernel_.stores)
        if (load.tensor == s.target.tensor)
          return unsupported("form", "it reads the tensor that it selects into", "select into another tensor");
    if (!isRowwise(kernel_)) return okStatus();
    const auto &index = kernel_.stores[0].target.index;
    for (std::size_t i = 0; i + 1 < index.size(); ++i)
      if (std::count_if(index[i].coefficients.begin(), index[i].coefficients.end(), [](auto c) { return c != 0; }) > 1)
        return unsupported("form", "several dims together choose a row of a selection",
                           "use one dim per dimension of the rows");
    if (kernel_.stores.size() == 1) return okStatus();
    const kernel::Value &one = kernel_.body[static_cast<std::size_t>(kernel_.stores[1].value)];
    const DType counts = graph_.tensors[static_cast<std::size_t>(kernel_.stores[1].target.tensor)].type;
    if (one.op != kernel::Op::kConstant || isFloat(one.type) || one.integer != 1 || isFloat(counts))
      return unsupported("form", "a selection with rows or a limit must count by 1 in an integer",
                         "add 1 for each element that is kept");
    return okStatus();
  }

  bool hasExtremes() const {
    return std::any_of(kernel_.stores.begin(), kernel_.stores.end(), [](auto &s) { return s.follows >= 0; });
  }

  Status checkSplits() const {
    if (hasExtremes())
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
        if (isSplit(scheme_.axes[d]) && !mayCutExtreme(kernel_, d))
          return illegal(
              fmt::format("dim '{}' is split; to find the first of equal minima or maxima, only the outermost "
                          "of the dims that they range over may be split",
                          scheme_.axes[d].name),
              "use factor 1 for it at every level but the range");
    std::size_t first = 0;  // dim along which lists grow
    while (first < scheme_.axes.size() && (scheme_.axes[first].extent == 1 || isOfRow(kernel_, first))) ++first;
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
      if (kernel_.form == Form::kSelect && isSplit(scheme_.axes[d]) && d != first && !isOfRow(kernel_, d))
        return illegal(fmt::format("dim '{}' is split; a selection keeps its order only if just '{}' is split",
                                   scheme_.axes[d].name, scheme_.axes[first].name),
                       "use factor 1 for the other dims at every level but the range");
    if (hasOneOrder(graph_, number_) && scheme_.units * scheme_.threads > 1)
      return illegal("floating-point sums of this form have a fixed order and cannot be split over units",
                     "use one DPU and one tasklet");
    return okStatus();
  }

  /// Units share nothing that is updated in place.
  Status checkInPlace() const {
    for (const Operand &o : scheme_.operands) {
      if (o.use != Use::kInPlace) continue;
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
        if (isSplit(scheme_.axes[d]) && (!o.involves(static_cast<int>(d)) || hasSeveral(o, d)))
          return illegal(fmt::format("dim '{}' is split, but its points pass on '{}'", scheme_.axes[d].name,
                                     scheme_.tensorOf(o).name),
                         "use factor 1 at every level but the range");
    }
    return okStatus();
  }

  static bool hasSeveral(const Operand &o, std::size_t d) {
    return std::any_of(o.positions.begin(), o.positions.end(), [d](const Position &p) {
      return p.coefficient[d] != 0 && (p.spread > 0 || std::count(p.coefficient.begin(), p.coefficient.end(), 0) + 1 !=
                                                           static_cast<std::ptrdiff_t>(p.coefficient.size()));
    });
  }

  /// Results of a split prefix sum that contain what it carries.
  void markCarries() {
    if (!scheme_.isScan) return;
    std::vector<bool> has(kernel_.body.size(), false);
    for (std::size_t v = 0; v < kernel_.body.size(); ++v) {
      const kernel::Value &value = kernel_.body[v];
      if (value.op == kernel::Op::kLoad)
        has[v] = operandOf(scheme_.loads[static_cast<std::size_t>(value.access)]).use == Use::kPartial;
      for (int a = 0; a < kernel::argumentCount(value.op); ++a)
        has[v] = has[v] || has[static_cast<std::size_t>(value.args[static_cast<std::size_t>(a)])];
    }
    for (Operand &o : scheme_.operands)
      if (o.use == Use::kWrite) o.hasCarry = has[static_cast<std::size_t>(scheme_.storeOf(o).value)];
  }

  const Operand &operandOf(const Reference &r) const { return scheme_.operands[static_cast<std::size_t>(r.operand)]; }

  void makeNest() {
    if (!kernel_.bounds.empty()) return nestInOrder();
    std::vector<int> dims(scheme_.axes.size()), ordered, open;
    std::iota(dims.begin(), dims.end(), 0);
    const bool isNested = !mapping_.order.empty() && kernel_.form == Form::kAffine &&
                          std::none_of(kernel_.dims.begin(), kernel_.dims.end(),
                                       [](const kernel::Dim &d) { return d.kind == DimKind::kSequential; });
    if (isNested) {
      const auto rank = [&](int d) {
        const std::string &name = kernel_.dims[static_cast<std::size_t>(d)].name;
        return std::find(mapping_.order.begin(), mapping_.order.end(), name) - mapping_.order.begin();
      };
      std::stable_sort(dims.begin(), dims.end(), [&](int a, int b) { return rank(a) < rank(b); });
    }
    for (const int d : dims) {
      if (scheme_.axis(d).range == 1) continue;
      (scheme_.axis(d).isOrdered ? ordered : open).push_back(d);
    }
    const auto inAll = [&](int d) {
      return std::all_of(scheme_.operands.begin(), scheme_.operands.end(),
                         [d](const Operand &o) { return o.use == Use::kInput || o.involves(d); });
    };
    std::stable_partition(open.begin(), open.end(), inAll);
    if (ordered.empty() && !isNested) {  // along the rows of the result
      const Operand &out = scheme_.operands[static_cast<std::size_t>(scheme_.stores[0].operand)];
      for (auto d = open.begin(); d != open.end(); ++d)
        if (!out.positions.empty() && out.positions.back().involves(*d)) {
          std::rotate(d, d + 1, open.end());
          break;
        }
    }
    scheme_.nest = open;
    scheme_.nest.insert(scheme_.nest.end(), ordered.begin(), ordered.end());
  }

  /// What bounds a dim is outside it.
  void nestInOrder() {
    for (int d = 0; d < static_cast<int>(scheme_.axes.size()); ++d) {
      Axis &a = scheme_.axes[static_cast<std::size_t>(d)];
      if (scheme_.isBounded(d)) a.isWhole = true;
      if (a.range > 1 || scheme_.isBounded(d)) scheme_.nest.push_back(d);
    }
  }

  Result<Scheme> placeArrays() {
    std::int64_t end = 0;
    for (Operand &o : scheme_.operands) {
      o.home.offset = end;
      end = addSaturated(end, multiplySaturated(o.home.bytes, scheme_.arraysOf(o)));
    }
    end = addSaturated(end, scheme_.hasLengthsApart() ? kUnit * scheme_.threads : 0);
    scheme_.mramBytes = end;
    if (const Status s =
            lower::checkCapacity(kernel_, end, fmt::format("bytes of MRAM in each of {} DPUs", scheme_.units),
                                 machine_.dpu->mram.value, "a DPU has", "spread it over more DPUs");
        !s)
      return s.diagnostics();
    return std::move(scheme_);
  }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  const mapping::Mapping &mapping_;
  const machine::Machine &machine_;
  int number_;
  const mapping::PlacedMapping &placed_;
  Scheme scheme_;
};

}  // namespace

Result<Scheme> makeScheme(const kernel::Graph &graph, int kernel, const mapping::PlacedMapping &placed,
                          const machine::Machine &machine) {
  return Maker(graph, kernel, placed, machine).run();
}

}  // namespace pimento::targets::upmem::compiled
