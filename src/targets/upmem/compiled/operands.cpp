#include "pimento/targets/upmem/compiled/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "pimento/base/integer.h"

namespace pimento::targets::upmem::compiled {

using kernel::Access;
using kernel::Combine;
using kernel::DimKind;
using kernel::Form;

namespace {

constexpr std::int64_t kWidestSpread = 64;  // of accesses that share an array

std::int64_t roundUp(std::int64_t n, std::int64_t unit) {
  return multiplySaturated(ceilDiv(n, unit), unit);
}

/// What an index counts in: the common divisor of its coefficients, negative where they all are.
std::int64_t stepOf(const kernel::Affine &index) {
  std::int64_t step = 0;
  bool isNegative = true;
  for (const std::int64_t c : index.coefficients) {
    step = std::gcd(step, c);
    isNegative &= c <= 0;
  }
  return step == 0 ? 1 : isNegative ? -step : step;
}

class Grouper {
 public:
  explicit Grouper(Scheme &scheme) : scheme_(scheme), kernel_(scheme.kernel()) {
    isSequential_ = std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                [](const kernel::Dim &d) { return d.kind == DimKind::kSequential; });
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
    for (Operand &o : scheme_.operands) rebase(o);
    for (std::size_t l = 0; l < kernel_.loads.size(); ++l) refer(kernel_.loads[l], false, scheme_.loads[l]);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      refer(kernel_.stores[s].target, kernel_.stores[s].target.isIndirect(), scheme_.stores[s]);
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
    if (s.target.isIndirect()) return Use::kTable;
    if (kernel_.form == Form::kSelect) return s.combine == Combine::kAssign ? Use::kSelected : Use::kPartial;
    if (scheme_.isScan) return s.combine == Combine::kAssign ? Use::kWrite : Use::kPartial;
    if (isSequential_ && (s.combine != Combine::kAssign || isLoaded(s.target.tensor) || !usesAllDims(s)))
      return Use::kInPlace;
    return s.combine != Combine::kAssign && (hasReduction_ || kernel_.form != Form::kAffine) ? Use::kPartial
                                                                                             : Use::kWrite;
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
    return uniqueName(isAmbiguous ? "_" + tensor : tensor, names_);
  }

  Operand make(const Access &access, Use use) {
    Operand o;
    o.use = use;
    o.tensor = access.tensor;
    o.name = nameOf(tensor(access).name);
    o.type = tensor(access).type;
    if (use == Use::kPartial || use == Use::kTable) o.type = lower::accumulatorOf(o.type);
    if (use == Use::kSelected) return o;
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      Position p;
      p.index = static_cast<int>(i);
      p.coefficient = access.index[i].coefficients;
      if (use == Use::kTable && i + 1 == access.index.size()) {
        p.fixedExtent = tensor(access).shape[i];
        std::fill(p.coefficient.begin(), p.coefficient.end(), 0);
      } else {
        p.step = stepOf(access.index[i]);
        for (std::int64_t &c : p.coefficient) c /= p.step;
        p.origin = access.index[i].constant;
      }
      o.positions.push_back(std::move(p));
    }
    return o;
  }

  Status addStore(std::size_t s) {
    const kernel::Store &st = kernel_.stores[s];
    const Use use = useOf(st);
    for (std::size_t d = 0; use == Use::kPartial && d < kernel_.dims.size(); ++d)
      if (kernel_.dims[d].kind == DimKind::kReduction && kernel_.dims[d].extent > 1 &&
          std::any_of(st.target.index.begin(), st.target.index.end(),
                      [d](const auto &i) { return i.coefficients[d] != 0; }))
        return unsupported(fmt::format("'{}' is accumulated at elements that dim '{}' chooses, which it sums over",
                                       tensor(st.target).name, kernel_.dims[d].name),
                           "make the dim parallel");
    Operand o = make(st.target, use);
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
      if (isWanted && o.tensor == access.tensor && matches(o, access)) return static_cast<int>(i);
    }
    return -1;
  }

  static bool matches(const Operand &o, const Access &access) {
    for (const Position &p : o.positions) {
      const kernel::Affine &index = access.index[static_cast<std::size_t>(p.index)];
      for (std::size_t d = 0; d < p.coefficient.size(); ++d)
        if (index.coefficients[d] != p.coefficient[d] * p.step) return false;
      const std::int64_t apart = index.constant - p.origin;
      if (apart % p.step != 0 || std::abs(apart / p.step) > kWidestSpread) return false;
    }
    return true;
  }

  Status addLoad(std::size_t l) {
    const Access &access = kernel_.loads[l];
    const bool isOwn = isSequential_ && std::any_of(kernel_.stores.begin(), kernel_.stores.end(),
                                                    [&](const auto &s) { return s.target.tensor == access.tensor; });
    int operand = find(access, !isOwn);
    if (operand < 0 && isOwn)
      return unsupported(fmt::format("'{}' is read and written along different lines", tensor(access).name),
                         "use indices with the same coefficients, or write to another tensor");
    if (operand < 0) {
      operand = static_cast<int>(scheme_.operands.size());
      scheme_.operands.push_back(make(access, Use::kInput));
    }
    scheme_.loads[l].operand = operand;
    return okStatus();
  }

  /// Moves the origins to the least of all accesses, and sets the spreads.
  void rebase(Operand &o) {
    const int number = static_cast<int>(&o - scheme_.operands.data());
    for (Position &p : o.positions) {
      if (p.fixedExtent > 0) continue;
      std::int64_t low = 0, high = 0;
      const auto see = [&](const Access &a) {
        const std::int64_t delta = (a.index[static_cast<std::size_t>(p.index)].constant - p.origin) / p.step;
        low = std::min(low, delta);
        high = std::max(high, delta);
      };
      for (std::size_t l = 0; l < kernel_.loads.size(); ++l)
        if (scheme_.loads[l].operand == number) see(kernel_.loads[l]);
      for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
        if (scheme_.stores[s].operand == number) see(kernel_.stores[s].target);
      p.origin += low * p.step;
      p.spread = high - low;
    }
  }

  /// Deltas by tensor index for now; arrangeOperands() permutes them with the positions.
  void refer(const Access &access, bool isIndirect, Reference &r) const {
    const Operand &o = scheme_.operands[static_cast<std::size_t>(r.operand)];
    for (const Position &p : o.positions) {
      const bool isRead = isIndirect && p.fixedExtent > 0;
      r.delta.push_back(isRead ? 0 : (access.index[static_cast<std::size_t>(p.index)].constant - p.origin) / p.step);
    }
  }

  Scheme &scheme_;
  const kernel::Kernel &kernel_;
  bool isSequential_ = false, hasReduction_ = false;
  std::set<std::string> names_;
};

}  // namespace

std::string uniqueName(const std::string &name, std::set<std::string> &taken) {
  std::string clean;
  for (const char c : name) clean += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  std::string unique = clean;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}_{}", clean, n);
  return unique;
}

Status makeOperands(Scheme &scheme) {
  return Grouper(scheme).run();
}

void arrangeOperands(Scheme &scheme) {
  const int inner = scheme.inner();
  for (std::size_t i = 0; i < scheme.operands.size(); ++i) {
    Operand &o = scheme.operands[i];
    if (o.positions.empty() || o.use == Use::kTable || inner < 0 || o.positions.back().involves(inner)) continue;
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
        if (p.coefficient[d] < 0 || (p.coefficient[d] != 0 && !o.isShared() && (!isPlain || o.use == Use::kInPlace)))
          scheme.axes[d].isWhole = true;
    }
    if (o.isShared()) continue;
    for (std::ptrdiff_t n = 0; n < last; ++n)
      if (const int d = scheme.nest[static_cast<std::size_t>(n)]; !o.involves(d))
        scheme.axes[static_cast<std::size_t>(d)].isWhole = true;
  }
}

namespace {

void measure(const Scheme &scheme, Operand &o, const std::vector<std::int64_t> &inMram,
             const std::vector<std::int64_t> &inTile) {
  const std::size_t n = o.positions.size();
  o.mramPitch.assign(n, o.size());
  o.wramPitch.assign(n, o.size());
  o.isAligned = true;
  for (std::size_t d = 0; n > 0 && d < scheme.axes.size(); ++d) {
    const Axis &a = scheme.axes[d];
    const std::int64_t c = std::abs(o.positions.back().coefficient[d]) * o.size();
    if (c == 0) continue;
    if (o.isShared() && a.tasklets > 1 && multiplySaturated(c, a.range) % kUnit != 0) o.isAligned = false;
    if (a.isTiled() && multiplySaturated(c, a.tile) % kUnit != 0) o.isAligned = false;
  }
  std::int64_t mram = o.size(), wram = o.size();
  for (std::size_t p = n; p-- > 0;) {
    if (p + 1 < n) {
      o.mramPitch[p] = mram;
      o.wramPitch[p] = wram;
    }
    mram = multiplySaturated(mram, o.positions[p].extent(inMram));
    wram = multiplySaturated(wram, o.positions[p].extent(inTile));
    if (p + 1 == n) {
      mram = roundUp(mram, kUnit);
      wram = roundUp(o.isAligned ? wram : addSaturated(wram, kUnit - o.size()), kUnit);
    }
  }
  o.bytes = roundUp(mram, kUnit);
  o.wramBytes = roundUp(wram, kUnit);
  // Positions that a tile has whole, behind one that it has in part, are one piece.
  o.block = n == 0 ? 0 : n - 1;
  const auto isWhole = [&](const Position &p) {
    for (std::size_t d = 0; d < scheme.axes.size(); ++d) {
      const Axis &a = scheme.axes[d];
      if (p.coefficient[d] != 0 && (a.isTiled() || (o.isShared() && a.tasklets > 1))) return false;
    }
    return true;
  };
  while (o.block > 0 && isWhole(o.positions[o.block])) --o.block;
}

}  // namespace

void measureOperands(Scheme &scheme) {
  const auto perDpu = scheme.sizesPerDpu(), perTasklet = scheme.sizesPerTasklet(), perTile = scheme.sizesPerTile();
  std::int64_t wram = 0;
  for (Operand &o : scheme.operands) {
    if (o.use == Use::kSelected) {
      std::int64_t points = 1, inTile = 1;
      for (const Axis &a : scheme.axes) {
        points = multiplySaturated(points, a.range);
        inTile = multiplySaturated(inTile, a.tile);
      }
      o.bytes = roundUp(multiplySaturated(points, o.size()), kUnit);
      o.wramBytes = addSaturated(roundUp(multiplySaturated(inTile, o.size()), kUnit), 2 * kUnit);
    } else {
      measure(scheme, o, o.isShared() ? perDpu : perTasklet, perTile);
    }
    if (o.isInMram) o.wramBytes = kUnit;
    o.level = -1;
    for (std::size_t n = 0; n < scheme.nest.size(); ++n)
      if (scheme.axis(scheme.nest[n]).isTiled() && o.involves(scheme.nest[n])) o.level = static_cast<int>(n);
    o.wramOffset = wram;
    wram = addSaturated(wram, o.wramBytes);
  }
  scheme.wramBytes = wram;
}

}  // namespace pimento::targets::upmem::compiled
