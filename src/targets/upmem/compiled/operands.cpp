#include "pimento/targets/upmem/compiled/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/targets/c_text/helpers.h"

namespace pimento::targets::upmem::compiled {

using kernel::Access;
using kernel::Combine;
using kernel::DimKind;
using kernel::Form;

namespace {

constexpr std::int64_t kWidestSpread = 64;  // of accesses that share an array

bool stores(const kernel::Kernel &kernel, int tensor) {
  return std::any_of(kernel.stores.begin(), kernel.stores.end(),
                     [tensor](const kernel::Store &s) { return s.target.tensor == tensor; });
}

/// Along the same lines, a bounded distance apart?
bool isAlong(const Access &a, const Access &b) {
  for (std::size_t i = 0; i < a.index.size(); ++i) {
    if (a.index[i].coefficients != b.index[i].coefficients) return false;
    std::int64_t step = 0;
    for (const std::int64_t c : a.index[i].coefficients) step = std::gcd(step, c);
    const std::int64_t apart = a.index[i].constant - b.index[i].constant;
    if (step == 0 ? apart != 0 : apart % step != 0 || std::abs(apart / step) > kWidestSpread) return false;
  }
  return !a.isIndirect() && !b.isIndirect();
}

class Grouper {
 public:
  explicit Grouper(Scheme &scheme) : scheme_(scheme), kernel_(scheme.kernel()) {
    isSequential_ = std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                [](const kernel::Dim &d) { return d.kind == DimKind::kSequential; });
    updatesAnywhere_ = updatesAnywhere(*scheme.graph, scheme.number);
    sumsInOrder_ = sumsRowsInOrder(*scheme.graph, scheme.number);
    hasReduction_ = std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                [](const kernel::Dim &d) { return d.kind == DimKind::kReduction; });
  }

  Status run() {
    scheme_.loads.resize(kernel_.loads.size());
    scheme_.stores.resize(kernel_.stores.size());
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (Status made = addStore(s); !made) return made;
    for (std::size_t l = 0; l < kernel_.loads.size(); ++l)
      if (Status made = addLoad(l); !made) return made;
    lower::settle(scheme_, scheme_.operands);
    return okStatus();
  }

 private:
  const kernel::Tensor &tensor(const Access &a) const {
    return scheme_.graph->tensors[static_cast<std::size_t>(a.tensor)];
  }

  Diagnostic unsupported(const std::string &message, const std::string &hint) const {
    return pimento::unsupported("unsupported-pattern", kernel_.where,
                                fmt::format("kernel '{}' cannot run on DPUs: {}", kernel_.name, message), hint);
  }

  bool isLoaded(int tensor) const {
    return std::any_of(kernel_.loads.begin(), kernel_.loads.end(), [&](const Access &a) { return a.tensor == tensor; });
  }

  Use useOf(const kernel::Store &s) const {
    if (updatesAnywhere_) return Use::kInPlace;
    if (s.target.isIndirect()) return Use::kTable;
    if (kernel_.form == Form::kSelect) return s.combine == Combine::kAssign ? Use::kSelected : Use::kPartial;
    if (scheme_.isScan) return s.combine == Combine::kAssign ? Use::kWrite : Use::kPartial;
    if (isExtreme(s)) return isSequential_ ? Use::kInPlace : Use::kPartial;
    const bool isPartial = s.combine != Combine::kAssign && hasReduction_ && !sumsInOrder_;
    if (!kernel_.bounds.empty() && !isPartial) return Use::kInPlace;  // where no point runs it keeps what it held
    if (isSequential_ && (s.combine != Combine::kAssign || isLoaded(s.target.tensor) || !usesAllDims(s)))
      return Use::kInPlace;
    return s.combine != Combine::kAssign && (hasReduction_ || kernel_.form != Form::kAffine) ? Use::kPartial
                                                                                             : Use::kWrite;
  }

  /// A minimum or maximum with its index, or what follows one?
  bool isExtreme(const kernel::Store &s) const {
    return s.follows >= 0 || !scheme_.followersOf(static_cast<int>(&s - kernel_.stores.data())).empty();
  }

  bool usesAllDims(const kernel::Store &s) const {
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
      if (kernel_.dims[d].extent > 1 && std::none_of(s.target.index.begin(), s.target.index.end(),
                                                     [d](const auto &i) { return i.coefficients[d] != 0; }))
        return false;
    return true;
  }

  /// Programs say at_OPERAND and at_DIM, mram_OPERAND and mram_bytes_OPERAND.
  std::string nameOf(const std::string &tensor) {
    if (names_.empty())
      for (const Axis &a : scheme_.axes) names_.insert(a.name);
    const bool isAmbiguous = tensor.starts_with("bytes") || tensor.starts_with("pitch");
    return c_text::uniqueName(isAmbiguous ? "_" + tensor : tensor, names_);
  }

  Operand make(const Access &access, Use use, bool isExtreme = false) {
    Operand o;
    o.use = use;
    o.tensor = access.tensor;
    o.name = nameOf(tensor(access).name);
    o.type = tensor(access).type;
    // What follows an extreme is decided by values as they are stored.
    if (o.isPartial() && !isExtreme) o.type = lower::accumulatorOf(o.type);
    o.home.home = o.isShared() ? lower::TensorPlace::Home::kUnit : lower::TensorPlace::Home::kThread;
    if (use != Use::kSelected || scheme_.isRowwise) o.positions = lower::positionsOf(access, tensor(access), true);
    if (use == Use::kSelected && scheme_.isRowwise) o.positions.back() = listOf(o);
    const bool isBackwards = std::any_of(o.positions.begin(), o.positions.end(), [](const Position &p) {
      return std::any_of(p.coefficient.begin(), p.coefficient.end(), [](std::int64_t c) { return c < 0; });
    });
    o.isInMram = use == Use::kInPlace ? updatesAnywhere_ : use == Use::kInput && access.isIndirect();
    if (use == Use::kInput && !kernel_.bounds.empty()) readRows(access, o);
    if (o.isInMram && (use == Use::kInPlace || isBackwards))
      o.positions = lower::wholeOf(tensor(access), kernel_.dims.size());
    return o;
  }

  /// A list with its length before it: all points that a tasklet may append to one, or the limit.
  Position listOf(const Operand &o) const {
    std::int64_t most = 1;
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
      if (!isOfRow(kernel_, d)) most = multiplySaturated(most, scheme_.axes[d].range);
    if (kernel_.limit >= 0) most = std::min(most, kernel_.limit);
    return {0,
            1,
            1,
            addSaturated(most, kUnit / o.size()),
            lower::PerDim(kernel_.dims.size(), 0),
            0,
            true,
            o.positions.size() - 1};
  }

  /// Rows that data bound are read from MRAM, line by line where neighbours are read one after the other.
  void readRows(const Access &access, Operand &o) const {
    bool isOfRow = false;
    for (Position &p : o.positions) {
      const auto isBounded = [&](const kernel::DataBounds &b) { return p.involves(b.dim); };
      if (std::none_of(kernel_.bounds.begin(), kernel_.bounds.end(), isBounded)) continue;
      const kernel::Tensor &t = tensor(access);
      p = {0, 1, p.stride, t.shape[p.index], lower::PerDim(kernel_.dims.size(), 0), 0, true, p.index};
      o.isInMram = isOfRow = true;
    }
    constexpr std::int64_t kRows = 256, kInside = 64;
    if (isOfRow)
      o.line = kRows;
    else if (o.isInMram && access.indirectAt + 1 < static_cast<int>(access.index.size()))
      o.line = kInside;
  }

  Status addStore(std::size_t s) {
    const kernel::Store &st = kernel_.stores[s];
    if (scheme_.isRowwise && s > 0) {  // the host counts
      scheme_.stores[s].operand = scheme_.stores[0].operand;
      return okStatus();
    }
    const Use use = useOf(st);
    for (std::size_t d = 0; use == Use::kPartial && d < kernel_.dims.size(); ++d)
      if (kernel_.dims[d].kind == DimKind::kReduction && kernel_.dims[d].extent > 1 &&
          std::any_of(st.target.index.begin(), st.target.index.end(),
                      [d](const auto &i) { return i.coefficients[d] != 0; }))
        return unsupported(
            fmt::format("'{}' is accumulated at elements selected by dim '{}', which is also summed over",
                        tensor(st.target).name, kernel_.dims[d].name),
            "make the dim parallel");
    Operand o = make(st.target, use, isExtreme(st));
    o.store = static_cast<int>(s);
    scheme_.stores[s].operand = static_cast<int>(scheme_.operands.size());
    scheme_.operands.push_back(std::move(o));
    return okStatus();
  }

  /// The operand made of the same tensor in the same steps, near enough; -1: there is none.
  int find(const Access &access, bool isShared) const {
    for (std::size_t i = 0; i < scheme_.operands.size(); ++i) {
      const Operand &o = scheme_.operands[i];
      const bool isWanted = isShared ? o.use == Use::kInput : o.use == Use::kInPlace || o.use == Use::kPartial;
      const bool isAll = o.isAnywhere() && o.tensor == access.tensor &&
                         std::all_of(o.positions.begin(), o.positions.end(), [](auto &p) { return p.isWhole; });
      if (isWanted && (isAll || lower::matches(o, access, kWidestSpread))) return static_cast<int>(i);
    }
    return -1;
  }

  Status addLoad(std::size_t l) {
    const Access &access = kernel_.loads[l];
    const bool isOwn = (isSequential_ || updatesAnywhere_) && stores(kernel_, access.tensor);
    int operand = find(access, !isOwn);
    PIMENTO_CHECK(operand >= 0 || !isOwn);
    if (operand < 0) {
      operand = static_cast<int>(scheme_.operands.size());
      scheme_.operands.push_back(make(access, Use::kInput));
    }
    scheme_.loads[l].operand = operand;
    return okStatus();
  }

  Scheme &scheme_;
  const kernel::Kernel &kernel_;
  bool isSequential_ = false, hasReduction_ = false, updatesAnywhere_ = false, sumsInOrder_ = false;
  std::set<std::string> names_;
};

}  // namespace

bool updatesAnywhere(const kernel::Graph &graph, int kernel) {
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  for (const kernel::Store &s : k.stores) {
    const DType t = graph.tensors[static_cast<std::size_t>(s.target.tensor)].type;
    for (const kernel::DataBounds &b : k.bounds)
      if (std::any_of(s.target.index.begin(), s.target.index.end(),
                      [&](const auto &i) { return i.coefficients[static_cast<std::size_t>(b.dim)] != 0; }))
        return true;
    if (!s.target.isIndirect()) continue;
    if (s.combine == Combine::kAssign || lower::accumulatorOf(t) != t) return true;
    if (isFloat(t) && lower::hasInitial(graph, kernel, s)) return true;
  }
  if (std::none_of(k.dims.begin(), k.dims.end(), [](auto &d) { return d.kind == DimKind::kSequential; })) return false;
  return std::any_of(k.loads.begin(), k.loads.end(), [&](const Access &load) {
    return std::any_of(k.stores.begin(), k.stores.end(), [&](const kernel::Store &s) {
      return s.target.tensor == load.tensor && !isAlong(load, s.target);
    });
  });
}

bool sumsRowsInOrder(const kernel::Graph &graph, int kernel) {
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  if (k.bounds.empty() || k.form != Form::kAffine) return false;
  return updatesAnywhere(graph, kernel) || std::any_of(k.stores.begin(), k.stores.end(), [&](const kernel::Store &s) {
           return s.combine != Combine::kAssign && lower::hasInitial(graph, kernel, s) &&
                  isFloat(graph.tensors[static_cast<std::size_t>(s.target.tensor)].type);
         });
}

bool hasOneOrder(const kernel::Graph &graph, int kernel) {
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  return k.form != Form::kAffine && std::any_of(k.stores.begin(), k.stores.end(), [&](const kernel::Store &s) {
           return s.combine != Combine::kAssign &&
                  isFloat(graph.tensors[static_cast<std::size_t>(s.target.tensor)].type);
         });
}

bool isRowwise(const kernel::Kernel &kernel) {
  return kernel.form == Form::kSelect && (kernel.limit >= 0 || kernel.stores[0].target.index.size() > 1);
}

bool isOfRow(const kernel::Kernel &kernel, std::size_t d) {
  if (!isRowwise(kernel)) return false;
  const auto &index = kernel.stores[0].target.index;
  return std::any_of(index.begin(), index.end() - 1, [d](const kernel::Affine &i) { return i.coefficients[d] != 0; });
}

bool mayCutExtreme(const kernel::Kernel &kernel, std::size_t d) {
  return std::all_of(kernel.stores.begin(), kernel.stores.end(), [&](const kernel::Store &s) {
    const auto isReduced = [&](std::size_t dim) {
      return kernel.dims[dim].extent > 1 &&
             std::none_of(s.target.index.begin(), s.target.index.end(),
                          [dim](const kernel::Affine &i) { return i.coefficients[dim] != 0; });
    };
    if (s.follows < 0 || !isReduced(d)) return true;
    for (std::size_t outer = 0; outer < d; ++outer)
      if (isReduced(outer)) return false;
    return true;
  });
}

Status makeOperands(Scheme &scheme) {
  return Grouper(scheme).run();
}

namespace {

/// Is it updated in place, by points that may touch what other points along the dim do?
bool mayReachFar(const Scheme &scheme, const Operand &o, std::size_t d) {
  return o.use == Use::kInPlace && (scheme.kernel().bounds.empty() || scheme.axes[d].kind != DimKind::kParallel);
}

}  // namespace

void arrangeOperands(Scheme &scheme) {
  const int inner = scheme.inner();
  for (std::size_t i = 0; i < scheme.operands.size(); ++i) {
    Operand &o = scheme.operands[i];
    if (o.positions.empty() || o.use == Use::kTable || o.use == Use::kSelected || inner < 0 ||
        o.positions.back().involves(inner))
      continue;
    const auto row = std::find_if(o.positions.begin(), o.positions.end(), [&](auto &p) { return p.involves(inner); });
    if (row == o.positions.end()) continue;
    const auto from = row - o.positions.begin();
    std::rotate(row, row + 1, o.positions.end());
    for (auto *list : {&scheme.loads, &scheme.stores})
      for (Reference &r : *list)
        if (r.operand == static_cast<int>(i))
          std::rotate(r.delta.begin() + from, r.delta.begin() + from + 1, r.delta.end());
  }
  // Results: a tile's box holds its own elements alone, and stays in WRAM until all that adds to it has run.
  for (const Operand &o : scheme.operands) {
    std::ptrdiff_t last = -1;
    for (std::size_t n = 0; n < scheme.nest.size(); ++n)
      if (o.involves(scheme.nest[n])) last = static_cast<std::ptrdiff_t>(n);
    for (const Position &p : o.positions) {
      const auto involved = std::count_if(p.coefficient.begin(), p.coefficient.end(), [](auto c) { return c != 0; });
      const bool isPlain = involved == 0 || (involved == 1 && p.spread == 0);
      for (std::size_t d = 0; d < p.coefficient.size(); ++d)
        if (p.coefficient[d] < 0 || (p.coefficient[d] != 0 && !o.isShared() && (!isPlain || mayReachFar(scheme, o, d))))
          scheme.axes[d].isWhole = true;
    }
    if (o.isShared()) continue;
    for (std::ptrdiff_t n = 0; n < last; ++n)
      if (const int d = scheme.nest[static_cast<std::size_t>(n)]; !o.involves(d))
        scheme.axes[static_cast<std::size_t>(d)].isWhole = true;
  }
}

namespace {

std::int64_t roundUp(std::int64_t n, std::int64_t unit) {
  return multiplySaturated(ceilDiv(n, unit), unit);
}

void measure(const Scheme &scheme, Operand &o) {
  const std::size_t n = o.positions.size();
  o.isAligned = true;
  for (std::size_t d = 0; n > 0 && d < scheme.axes.size(); ++d) {
    const Axis &a = scheme.axes[d];
    const std::int64_t c = std::abs(o.positions.back().coefficient[d]) * o.size();
    if (c == 0) continue;
    if (o.isShared() && a.threads() > 1 && multiplySaturated(c, a.range) % kUnit != 0) o.isAligned = false;
    if (a.isTiled() && multiplySaturated(c, a.tile) % kUnit != 0) o.isAligned = false;
  }
  o.home.fit(o.positions, scheme.sizesOf(o), o.size(), kUnit);
  o.near.fit(o.positions, scheme.sizesPerTile(), o.size(), kUnit, o.isAligned ? 0 : kUnit - o.size());
  // Positions that a tile has whole, behind one that it has in part, are one piece.
  o.block = n == 0 ? 0 : n - 1;
  const auto isWhole = [&](const Position &p) {
    for (std::size_t d = 0; d < scheme.axes.size(); ++d) {
      const Axis &a = scheme.axes[d];
      if (p.coefficient[d] != 0 && (a.isTiled() || (o.isShared() && a.threads() > 1))) return false;
    }
    return true;
  };
  while (o.block > 0 && isWhole(o.positions[o.block])) --o.block;
}

}  // namespace

void measureOperands(Scheme &scheme) {
  std::int64_t wram = 0;
  for (Operand &o : scheme.operands) {
    measure(scheme, o);
    if (o.use == Use::kSelected) {  // all points may be kept, and what is over from the tile before
      const auto bytesOf = [&](const lower::PerDim &sizes) {
        return roundUp(std::accumulate(sizes.begin(), sizes.end(), o.size(), multiplySaturated), kUnit);
      };
      if (!scheme.isRowwise) o.home.bytes = bytesOf(scheme.sizesPerThread());
      o.near.bytes = addSaturated(bytesOf(scheme.sizesPerTile()), 2 * kUnit);
    }
    if (o.isInMram) {
      o.near.bytes = o.line;
      o.home.bytes = roundUp(o.home.bytes, o.line);
    }
    o.level = -1;
    for (std::size_t n = 0; n < scheme.nest.size(); ++n)
      if (scheme.axis(scheme.nest[n]).isTiled() && o.involves(scheme.nest[n])) o.level = static_cast<int>(n);
    o.near.offset = wram;
    wram = addSaturated(wram, o.near.bytes);
  }
  scheme.wramBytes = wram;
}

}  // namespace pimento::targets::upmem::compiled
