#include "pimento/targets/upmem/compiled/scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/lower/host_data.h"
#include "pimento/mapping/dependence.h"
#include "pimento/targets/upmem/compiled/merging.h"
#include "pimento/targets/upmem/compiled/operands.h"
#include "pimento/targets/upmem/compiled/tiling.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;
using kernel::DimKind;
using kernel::Form;

std::int64_t Axis::perDpu() const {
  return multiplySaturated(tasklets, range);
}

std::int64_t Position::extent(const std::vector<std::int64_t> &sizes) const {
  if (fixedExtent > 0) return fixedExtent;
  std::int64_t n = 1 + spread;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    n = addSaturated(n, multiplySaturated(std::abs(coefficient[d]), sizes[d] - 1));
  return n;
}

bool Operand::involves(int dim) const {
  return std::any_of(positions.begin(), positions.end(), [dim](const Position &p) { return p.involves(dim); });
}

namespace {

/// Row-major digits of `n` in a number system with these bases.
std::vector<std::int64_t> digitsOf(std::int64_t n, const std::vector<std::int64_t> &bases) {
  std::vector<std::int64_t> digits(bases.size());
  for (std::size_t d = bases.size(); d-- > 0; n /= bases[d]) digits[d] = n % bases[d];
  return digits;
}

template <typename Get>
std::vector<std::int64_t> collect(const std::vector<Axis> &axes, Get &&get) {
  std::vector<std::int64_t> out;
  for (const Axis &a : axes) out.push_back(get(a));
  return out;
}

}  // namespace

std::vector<std::int64_t> Scheme::baseOf(std::int64_t dpu) const {
  const auto inRank = digitsOf(dpu % (dpus / ranks), collect(axes, [](const Axis &a) { return a.dpus; }));
  const auto rank = digitsOf(dpu / (dpus / ranks), collect(axes, [](const Axis &a) { return a.ranks; }));
  std::vector<std::int64_t> base(axes.size());
  for (std::size_t d = 0; d < axes.size(); ++d) base[d] = (rank[d] * axes[d].dpus + inRank[d]) * axes[d].perDpu();
  return base;
}

std::vector<std::int64_t> Scheme::lowOf(std::int64_t tasklet) const {
  std::vector<std::int64_t> low = digitsOf(tasklet, collect(axes, [](const Axis &a) { return a.tasklets; }));
  for (std::size_t d = 0; d < axes.size(); ++d) low[d] *= axes[d].range;
  return low;
}

std::optional<std::int64_t> Scheme::resultOf(const Operand &o, std::int64_t tasklet) const {
  if (!o.isMerged) return tasklet;
  const auto digits = digitsOf(tasklet, collect(axes, [](const Axis &a) { return a.tasklets; }));
  std::int64_t group = 0;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (o.involves(static_cast<int>(d)))
      group = group * axes[d].tasklets + digits[d];
    else if (digits[d] != 0)
      return std::nullopt;
  }
  return group;
}

std::vector<kernel::Affine> Scheme::guardsOf(const Operand &o) const {
  return lower::guardsOf(kernel(), o.use == Use::kWrite, [&](int d) { return o.involves(d); });
}

const Operand &Scheme::carry() const {
  const auto found = std::find_if(operands.begin(), operands.end(), [this](const Operand &o) { return isCarry(o); });
  PIMENTO_CHECK(found != operands.end());
  return *found;
}

bool Scheme::merges() const {
  return std::any_of(operands.begin(), operands.end(), [](const Operand &o) { return o.isMerged; });
}

std::vector<std::int64_t> Scheme::validOf(std::int64_t dpu) const {
  std::vector<std::int64_t> valid = baseOf(dpu);
  for (std::size_t d = 0; d < axes.size(); ++d)
    valid[d] = std::clamp<std::int64_t>(axes[d].extent - valid[d], 0, axes[d].perDpu());
  return valid;
}

std::vector<std::int64_t> Scheme::sizesPerDpu() const {
  return collect(axes, [](const Axis &a) { return a.perDpu(); });
}
std::vector<std::int64_t> Scheme::sizesPerTasklet() const {
  return collect(axes, [](const Axis &a) { return a.range; });
}
std::vector<std::int64_t> Scheme::sizesPerTile() const {
  return collect(axes, [](const Axis &a) { return a.tile; });
}

bool Scheme::isSameForAll(const Operand &o) const {
  for (std::size_t d = 0; d < axes.size(); ++d)
    if (axes[d].ranks * axes[d].dpus > 1 && o.involves(static_cast<int>(d))) return false;
  return true;
}

bool hasInitial(const Scheme &scheme, const kernel::Store &store) {
  return lower::hasInitial(*scheme.graph, scheme.number, store);
}

namespace {

constexpr std::size_t kRank = 0, kDpu = 1, kTasklet = 2, kLevels = 3;

class Maker {
 public:
  Maker(const kernel::Graph &graph, int number, const mapping::PlacedMapping &placed, const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(number)]),
        mapping_(placed.mapping),
        machine_(machine) {
    scheme_.graph = &graph;
    scheme_.number = number;
  }

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
      return illegal(fmt::format("{} subspaces; a program runs one", mapping_.subspaces.size()),
                     "use one subspace: M1:{...}");
    if (!mapping_.cyclic.empty())
      return illegal("cyclic(...), where every tasklet has a contiguous slice", "leave cyclic(...) out");
    for (const char *name : {"dpus", "tasklets"})
      if (mapping_.parameters.contains(name))
        return illegal(fmt::format("{}= beside factors, which say it already", name),
                       fmt::format("leave {}= out, or use 'auto;{}=N'", name, name));
    if (mapping_.tail == mapping::Tail::kTruncate)
      return illegal("tail=truncate, where a compiled program computes all", "leave tail=truncate out");
    const auto buffer = mapping_.parameters.find("buffer");
    if (buffer != mapping_.parameters.end() && buffer->second < 1)
      return illegal(fmt::format("a buffer of {} elements", buffer->second), "choose 1 or more");
    return okStatus();
  }

  void makeAxes() {
    const auto &factors = mapping_.subspaces[0].factors;
    std::set<std::string> names;
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      Axis a;
      a.name = uniqueName(kernel_.dims[d].name, names);
      a.kind = kernel_.dims[d].kind;
      a.extent = kernel_.dims[d].extent;
      a.ranks = factors[kRank][d];
      a.dpus = factors[kDpu][d];
      a.tasklets = factors[kTasklet][d];
      a.range = a.tile = factors[kLevels][d];
      scheme_.ranks *= a.ranks;
      scheme_.dpus *= a.ranks * a.dpus;
      scheme_.tasklets *= a.tasklets;
      scheme_.axes.push_back(std::move(a));
    }
    const bool isOrdered =
        kernel_.form == Form::kSelect || std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                                     [](const auto &dim) { return dim.kind == DimKind::kSequential; });
    for (Axis &a : scheme_.axes) a.isOrdered = isOrdered || a.kind == DimKind::kReduction;
    scheme_.isScan = mapping::isPrefixSum(kernel_) && scheme_.axes[0].range < scheme_.axes[0].extent;
  }

  static bool isSplit(const Axis &a) { return a.ranks * a.dpus * a.tasklets > 1; }

  Status checkTypes() const {
    const auto small = [](DType t) { return t == DType::kF8E4M3 || t == DType::kF8E5M2; };
    std::set<DType> sums;
    bool sumsFloats = false;
    for (const kernel::Value &v : kernel_.body) {
      if (v.type == DType::kF64 && (v.op == kernel::Op::kExp || v.op == kernel::Op::kLog || v.op == kernel::Op::kTanh))
        return unsupported("op",
                           fmt::format("it computes {} in f64, whose last bit is the host library's own", name(v.op)),
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
    for (const kernel::Store &s : kernel_.stores) {
      const DType t = graph_.tensors[static_cast<std::size_t>(s.target.tensor)].type;
      if (!s.target.isIndirect()) continue;
      if (s.combine == Combine::kAssign)
        return unsupported("op", "an indirect store that assigns: the last point wins", "accumulate: +=, min=, max=");
      if (lower::accumulatorOf(t) != t)
        return unsupported("type", fmt::format("it accumulates indirectly in {}", pimento::name(t)), "use f32");
      if (isFloat(t) && hasInitial(scheme_, s))
        return unsupported("pattern", "it accumulates floating-point numbers indirectly onto given ones",
                           "accumulate into an output, and add in a second kernel");
    }
    if (sumsFloats && sums.size() > 1)
      return unsupported("type", "it accumulates in several types, of which one is floating", "split the kernel");
    return okStatus();
  }

  Status checkSplits() const {
    const auto first = std::find_if(scheme_.axes.begin(), scheme_.axes.end(), [](auto &a) { return a.extent > 1; });
    for (auto a = scheme_.axes.begin(); a != scheme_.axes.end(); ++a)
      if (kernel_.form == Form::kSelect && isSplit(*a) && a != first)
        return illegal(fmt::format("dim '{}' is split; what a selection keeps stays in order only where '{}' alone is",
                                   a->name, first->name),
                       "use factor 1 for the other dims at every level but the range");
    const bool sumsFloats = std::any_of(kernel_.stores.begin(), kernel_.stores.end(), [&](const kernel::Store &s) {
      return s.combine != Combine::kAssign && isFloat(graph_.tensors[static_cast<std::size_t>(s.target.tensor)].type);
    });
    if (kernel_.form != Form::kAffine && sumsFloats && scheme_.dpus * scheme_.tasklets > 1)
      return illegal("floating-point sums of this form have one order, which units cannot share",
                     "use one DPU and one tasklet");
    return okStatus();
  }

  /// Units share nothing that is updated in place.
  Status checkInPlace() const {
    for (const Operand &o : scheme_.operands) {
      if (o.use != Use::kInPlace) continue;
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
        if (isSplit(scheme_.axes[d]) && (!o.involves(static_cast<int>(d)) || hasSeveral(o, d)))
          return illegal(fmt::format("dim '{}' is split, along which points hand on '{}'", scheme_.axes[d].name,
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

  Result<Scheme> placeArrays() {
    std::int64_t end = 0;
    for (Operand &o : scheme_.operands) {
      o.offset = end;
      end = addSaturated(end, multiplySaturated(o.bytes, scheme_.arraysOf(o)));
    }
    const bool isSelection = kernel_.form == Form::kSelect;  // how much each tasklet keeps
    end = addSaturated(end, isSelection ? kUnit * scheme_.tasklets : 0);
    scheme_.mramBytes = end;
    const std::int64_t mram = machine_.dpu->mram.value;
    if (end > mram)
      return capacityError(
          "capacity", kernel_.where,
          fmt::format("kernel '{}' takes {} bytes of MRAM in each of {} DPUs; a DPU has {}: {} too many", kernel_.name,
                      end, scheme_.dpus, mram, end - mram),
          "spread it over more DPUs");
    return std::move(scheme_);
  }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  const mapping::Mapping &mapping_;
  const machine::Machine &machine_;
  Scheme scheme_;
};

}  // namespace

Result<Scheme> makeScheme(const kernel::Graph &graph, int kernel, const mapping::PlacedMapping &placed,
                          const machine::Machine &machine) {
  return Maker(graph, kernel, placed, machine).run();
}

}  // namespace pimento::targets::upmem::compiled
