#include "pimento/targets/cnm/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"

namespace pimento::targets::cnm {

using kernel::Affine;
using kernel::Combine;

std::int64_t Axis::padded() const {
  std::int64_t n = range;
  for (const std::int64_t f : factors) n = multiplySaturated(n, f);
  return n;
}

bool Operand::involves(int dim) const {
  return std::any_of(index.begin(), index.end(),
                     [dim](const Affine &a) { return a.coefficients[static_cast<std::size_t>(dim)] != 0; });
}

std::vector<std::int64_t> Operand::box(const std::vector<std::int64_t> &sizes) const {
  std::vector<std::int64_t> out;
  for (std::size_t p = 0; p < index.size(); ++p) {
    std::int64_t n = addSaturated(1, spread[p]);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      n = addSaturated(n, multiplySaturated(std::abs(index[p].coefficients[d]), sizes[d] - 1));
    out.push_back(n);
  }
  return out;
}

std::int64_t Operand::elements(const std::vector<std::int64_t> &sizes) const {
  std::int64_t n = 1;
  for (const std::int64_t e : box(sizes)) n = multiplySaturated(n, e);
  return n;
}

kernel::Affine Operand::element(const std::vector<std::int64_t> &sizes, const std::vector<std::int64_t> &delta) const {
  const std::vector<std::int64_t> extents = box(sizes), points(sizes.size(), 1);
  Affine out = corner(sizes, points);
  std::int64_t pitch = 1;
  for (std::size_t p = index.size(); p-- > 0; pitch *= extents[p]) out.constant += delta[p] * pitch;
  return out;
}

kernel::Affine Operand::corner(const std::vector<std::int64_t> &sizes, const std::vector<std::int64_t> &inner) const {
  const std::vector<std::int64_t> extents = box(sizes);
  Affine out{std::vector<std::int64_t>(sizes.size(), 0), 0};
  std::int64_t pitch = 1;
  for (std::size_t p = index.size(); p-- > 0; pitch *= extents[p])
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const std::int64_t c = index[p].coefficients[d];
      out.coefficients[d] += c * pitch;
      if (c < 0) out.constant += -c * (sizes[d] - inner[d]) * pitch;  // boxes begin where the dim ends
    }
  return out;
}

namespace {

template <typename Get>
std::vector<std::int64_t> collect(const std::vector<Axis> &axes, Get &&get) {
  std::vector<std::int64_t> out;
  for (const Axis &a : axes) out.push_back(get(a));
  return out;
}

}  // namespace

std::vector<std::int64_t> Plan::unitSizes() const {
  return collect(axes, [](const Axis &a) { return a.unitExtent(); });
}
std::vector<std::int64_t> Plan::threadSizes() const {
  return collect(axes, [](const Axis &a) { return a.range; });
}
std::vector<std::int64_t> Plan::tileSizes() const {
  return collect(axes, [](const Axis &a) { return a.tile; });
}
std::vector<std::int64_t> Plan::bankSizes(const Operand &o) const {
  return o.use == Use::kInput ? unitSizes() : threadSizes();
}

// Units count row-major: the outermost level slowest, in a level the first dim slowest.
std::vector<std::int64_t> Plan::baseOf(std::int64_t unit) const {
  std::vector<std::int64_t> base(axes.size(), 0), inside = unitSizes();
  for (std::size_t l = axes.empty() ? 0 : axes.front().factors.size() - 1; l-- > 0;)
    for (std::size_t d = axes.size(); d-- > 0;) {
      const std::int64_t f = axes[d].factors[l];
      base[d] += unit % f * inside[d];
      inside[d] *= f;
      unit /= f;
    }
  return base;
}

std::vector<std::int64_t> Plan::firstOf(std::int64_t thread) const {
  std::vector<std::int64_t> first(axes.size(), 0);
  for (std::size_t d = axes.size(); d-- > 0; thread /= axes[d].threads())
    first[d] = thread % axes[d].threads() * axes[d].range;
  return first;
}

std::vector<int> Plan::maskedDims() const {
  std::vector<int> out;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const auto isIn = [&](const Reference &r) {
      return operands[static_cast<std::size_t>(r.operand)].involves(static_cast<int>(d));
    };
    if (axes[d].isPadded() && !std::all_of(stores.begin(), stores.end(), isIn)) out.push_back(static_cast<int>(d));
  }
  return out;
}

bool Plan::isRead(const Operand &o) const {
  if (o.use == Use::kInput || o.use == Use::kPartial) return true;
  const kernel::Kernel &k = kernel();
  if (k.stores[static_cast<std::size_t>(o.store)].combine != Combine::kAssign || !k.guards.empty() ||
      !maskedDims().empty())
    return true;
  return std::any_of(loads.begin(), loads.end(),
                     [&](const Reference &r) { return &operands[static_cast<std::size_t>(r.operand)] == &o; });
}

std::int64_t Plan::bankBytes() const {
  std::int64_t n = 0;
  for (const Operand &o : operands)
    n = addSaturated(n, multiplySaturated(multiplySaturated(o.elements(bankSizes(o)), sizeOf(o.type).value),
                                          o.use == Use::kInput ? 1 : threads));
  return n;
}

std::int64_t Plan::tileBytes() const {
  std::int64_t n = 0;
  for (const Operand &o : operands)
    n = addSaturated(n, multiplySaturated(o.elements(tileSizes()), sizeOf(o.type).value));
  return n;
}

namespace {

class Planner {
 public:
  Planner(const kernel::Graph &graph, int number, const mapping::PlacedMapping &placed, const machine::Machine &machine)
      : graph_(graph), kernel_(graph.kernels[static_cast<std::size_t>(number)]), placed_(placed), machine_(machine) {
    plan_.graph = &graph;
    plan_.number = number;
    plan_.hasScratchpad = machine.unitMemory->scratchpad.value > 0;
  }

  Result<Plan> run() {
    if (const Status s = checkKernel(); !s) return s.diagnostics();
    makeAxes();
    for (const kernel::Store &s : kernel_.stores)
      if (const Status added = addStore(s); !added) return added.diagnostics();
    for (const kernel::Access &a : kernel_.loads)
      if (const Status added = addLoad(a); !added) return added.diagnostics();
    if (const Status s = chooseTiles(); !s) return s.diagnostics();
    const std::int64_t taken = plan_.bankBytes(), there = machine_.unitMemory->size.value;
    if (taken > there)
      return capacityError("capacity", kernel_.where,
                           fmt::format("kernel '{}' takes {} bytes of the bank; a unit of {} has {}: {} too many",
                                       kernel_.name, taken, machine_.name, there, taken - there),
                           "spread it over more units");
    return std::move(plan_);
  }

 private:
  Status unsupported(const char *code, std::string message, std::string hint) const {
    return pimento::unsupported(
        code, kernel_.where,
        fmt::format("kernel '{}' has no virtual instructions for {}: {}", kernel_.name, machine_.name, message),
        std::move(hint));
  }

  Status checkKernel() const {
    if (kernel_.form != kernel::Form::kAffine)
      return unsupported("unsupported-form", "it selects or counts by values", "units execute affine loops");
    for (const kernel::Dim &d : kernel_.dims)
      if (d.kind == kernel::DimKind::kSequential)
        return unsupported("unsupported-form", fmt::format("points of dim '{}' depend on one another", d.name),
                           "units execute parallel and reduction dims");
    if (placed_.mapping.subspaces.size() != 1)
      return unsupported("unsupported-mapping",
                         fmt::format("the mapping has {} subspaces", placed_.mapping.subspaces.size()),
                         "give one that covers the whole space");
    for (const auto &[level, chunk] : placed_.mapping.cyclic)
      if (chunk != 0)
        return unsupported("unsupported-mapping", fmt::format("level '{}' is split cyclically", level),
                           "split it contiguously");
    if (placed_.mapping.tail == mapping::Tail::kTruncate)
      return unsupported("unsupported-mapping", "tails are padded", "leave tail= out");
    DType sums = DType::kI32;
    bool isFirst = true, isMixed = false, hasFloat = false;
    for (const kernel::Store &s : kernel_.stores) {
      if (s.combine == Combine::kAssign) continue;
      const DType t = lower::accumulatorOf(graph_.tensors[static_cast<std::size_t>(s.target.tensor)].type);
      isMixed = isMixed || (!isFirst && t != sums);
      hasFloat = hasFloat || isFloat(t);
      sums = t;
      isFirst = false;
    }
    if (isMixed && hasFloat)
      return unsupported("unsupported-type", "it accumulates in several types, of which one is floating",
                         "split the kernel");
    return okStatus();
  }

  void makeAxes() {
    const mapping::Subspace &space = placed_.mapping.subspaces.front();
    const std::size_t levels = machine_.levels.size();
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      Axis a;
      a.name = kernel_.dims[d].name;
      a.extent = kernel_.dims[d].extent;
      a.isReduction = kernel_.dims[d].kind == kernel::DimKind::kReduction;
      a.range = a.tile = space.range(static_cast<int>(d));
      for (std::size_t l = 0; l < levels; ++l) a.factors.push_back(space.factors[l][d]);
      for (std::size_t l = 0; l + 1 < levels; ++l) plan_.units = multiplySaturated(plan_.units, a.factors[l]);
      plan_.threads *= a.threads();
      plan_.axes.push_back(std::move(a));
    }
    for (const std::string &name : placed_.mapping.order) plan_.nest.push_back(kernel_.dimNamed(name));
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
      if (std::find(plan_.nest.begin(), plan_.nest.end(), static_cast<int>(d)) == plan_.nest.end())
        plan_.nest.push_back(static_cast<int>(d));
  }

  static bool haveSameCoefficients(const Operand &o, const kernel::Access &a) {
    if (o.tensor != a.tensor || o.index.size() != a.index.size()) return false;
    for (std::size_t p = 0; p < a.index.size(); ++p)
      if (o.index[p].coefficients != a.index[p].coefficients) return false;
    return true;
  }

  /// Makes the operand's box hold the access too.
  static void widen(Operand &o, const kernel::Access &a) {
    for (std::size_t p = 0; p < a.index.size(); ++p) {
      const std::int64_t high = std::max(o.index[p].constant + o.spread[p], a.index[p].constant);
      o.index[p].constant = std::min(o.index[p].constant, a.index[p].constant);
      o.spread[p] = high - o.index[p].constant;
    }
  }

  Status addStore(const kernel::Store &s) {
    for (const Operand &o : plan_.operands)
      if (o.tensor == s.target.tensor)
        return unsupported("unsupported-pattern", "it stores to one tensor twice", "split the kernel");
    Operand o;
    o.tensor = s.target.tensor;
    o.store = static_cast<int>(plan_.stores.size());
    o.index = s.target.index;
    o.spread.assign(o.index.size(), 0);
    o.hasInitial = lower::hasInitial(graph_, plan_.number, s);
    const bool reduces = std::any_of(plan_.axes.begin(), plan_.axes.end(), [](const Axis &a) { return a.isReduction; });
    o.use = s.combine != Combine::kAssign && reduces ? Use::kPartial : Use::kResult;
    o.type = graph_.tensors[static_cast<std::size_t>(o.tensor)].type;
    if (o.use == Use::kPartial) o.type = lower::accumulatorOf(o.type);
    plan_.stores.push_back({static_cast<int>(plan_.operands.size()), std::vector<std::int64_t>(o.index.size(), 0)});
    plan_.operands.push_back(std::move(o));
    return okStatus();
  }

  Status addLoad(const kernel::Access &a) {
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      Operand &o = plan_.operands[i];
      if (o.tensor != a.tensor) continue;
      if (o.use == Use::kInput && !haveSameCoefficients(o, a)) continue;
      if (o.use != Use::kInput &&
          (o.use == Use::kPartial || !(a == kernel_.stores[static_cast<std::size_t>(o.store)].target)))
        return unsupported("unsupported-pattern", "it reads elsewhere from a tensor that it writes",
                           "split the kernel");
      widen(o, a);
      plan_.loads.push_back({static_cast<int>(i), {}});
      return okStatus();
    }
    Operand o;
    o.tensor = a.tensor;
    o.index = a.index;
    o.spread.assign(o.index.size(), 0);
    o.type = graph_.tensors[static_cast<std::size_t>(o.tensor)].type;
    plan_.loads.push_back({static_cast<int>(plan_.operands.size()), {}});
    plan_.operands.push_back(std::move(o));
    return okStatus();
  }

  // ---- Tiles ----

  Status chooseTiles() {
    for (std::size_t i = 0; i < plan_.loads.size(); ++i) {  // now that boxes are known
      Reference &r = plan_.loads[i];
      const Operand &o = plan_.operands[static_cast<std::size_t>(r.operand)];
      for (std::size_t p = 0; p < o.index.size(); ++p)
        r.delta.push_back(kernel_.loads[i].index[p].constant - o.index[p].constant);
    }
    if (!plan_.hasScratchpad) return okStatus();
    room_ = machine_.unitMemory->scratchpad.value / plan_.threads;
    for (Axis &a : plan_.axes) a.tile = 1;
    if (plan_.tileBytes() > room_)
      return capacityError(
          "capacity", kernel_.where,
          fmt::format("kernel '{}' takes {} bytes of the scratchpad per thread at least; of {} threads each has "
                      "{}: {} too many",
                      kernel_.name, plan_.tileBytes(), plan_.threads, room_, plan_.tileBytes() - room_),
          "use fewer threads");
    grow();
    roundRanges();
    setLevels();
    return okStatus();
  }

  /// Bytes that move, and what threads execute, in units of about a cycle.
  double work() {
    constexpr double kPoint = 8, kMask = 8;
    double points = 1;
    for (const Axis &a : plan_.axes) points *= static_cast<double>(a.range);
    return cost() + points * (kPoint + kMask * static_cast<double>(plan_.maskedDims().size()));
  }

  /// Has the machine what leaves points out?
  bool canMask() const {
    const auto has = [&](std::string_view operation, DType type) {
      return machine_.compute->costOf(operation, type) != nullptr;
    };
    return has("test", DType::kI32) && has("and", DType::kU8) &&
           std::all_of(plan_.operands.begin(), plan_.operands.end(),
                       [&](const Operand &o) { return o.use == Use::kInput || has("select", o.type); });
  }

  /// A range with few divisors has no tile of a good size. It grows by an eighth at most where that saves much: the
  /// last instances have less to do, or nothing.
  void roundRanges() {
    constexpr double kWorth = 0.8;
    for (const int d : plan_.nest) {
      Axis &a = plan_.axes[static_cast<std::size_t>(d)];
      if (a.tile == a.range) continue;
      const std::int64_t range = a.range;
      double best = kWorth * work();
      std::vector<Axis> axes = plan_.axes;
      const std::size_t masks = plan_.maskedDims().size();
      for (std::int64_t unit = 2; unit <= range / 8; unit *= 2) {
        a.range = ceilDiv(range, unit) * unit;
        if (a.range == range || (plan_.maskedDims().size() > masks && !canMask())) continue;
        for (Axis &other : plan_.axes) other.tile = 1;
        grow();
        if (plan_.bankBytes() > machine_.unitMemory->size.value) continue;
        if (const double w = work(); w < best) {
          best = w;
          axes = plan_.axes;
        }
      }
      plan_.axes = std::move(axes);
    }
  }

  void setLevels() {
    for (Operand &o : plan_.operands) {
      o.level = -1;
      for (std::size_t n = 0; n < plan_.nest.size(); ++n)
        if (plan_.axis(plan_.nest[n]).tile < plan_.axis(plan_.nest[n]).range && o.involves(plan_.nest[n]))
          o.level = static_cast<int>(n);
    }
  }

  /// Bytes that move, transfers counted as so many more.
  double cost() {
    setLevels();
    constexpr double kTransfer = 64;
    double sum = 0;
    for (const Operand &o : plan_.operands) {
      double times = o.use == Use::kInput ? 1 : 2;
      for (int n = 0; n <= o.level; ++n) {
        const Axis &a = plan_.axis(plan_.nest[static_cast<std::size_t>(n)]);
        times *= static_cast<double>(a.range / a.tile);
      }
      const std::vector<std::int64_t> box = o.box(plan_.tileSizes());
      double rows = 1, bytes = static_cast<double>(sizeOf(o.type).value);
      for (std::size_t p = 0; p < box.size(); ++p) {
        bytes *= static_cast<double>(box[p]);
        if (p + 1 < box.size()) rows *= static_cast<double>(box[p]);
      }
      sum += times * (bytes + rows * kTransfer);
    }
    return sum;
  }

  /// Sums are added in the mapping's order: what is inside a reduction dim of several points is whole.
  bool keepsOrder() const {
    bool isSeveral = false;
    for (const int d : plan_.nest) {
      const Axis &a = plan_.axis(d);
      if (!a.isReduction) continue;
      if (isSeveral && a.tile < a.range) return false;
      isSeveral = isSeveral || a.tile > 1;
    }
    return true;
  }

  std::int64_t limitOf(int d) const {
    const auto buffer = placed_.mapping.parameters.find("buffer");
    if (buffer == placed_.mapping.parameters.end() || d != plan_.nest.back()) return plan_.axis(d).range;
    return std::max<std::int64_t>(1, buffer->second);
  }

  static std::vector<std::int64_t> divisorsOf(std::int64_t n) {
    std::vector<std::int64_t> low, high;
    for (std::int64_t d = 1; d * d <= n; ++d) {
      if (n % d != 0) continue;
      low.push_back(d);
      if (d * d != n) high.push_back(n / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
  }

  /// From single points on, the tile of that dim grows that saves most, as long as all fits.
  void grow() {
    double best = cost();
    std::vector<std::vector<std::int64_t>> divisors;
    for (const Axis &a : plan_.axes) divisors.push_back(divisorsOf(a.range));
    const auto larger = [&](int d) {
      const auto &all = divisors[static_cast<std::size_t>(d)];
      return *std::upper_bound(all.begin(), all.end(), plan_.axis(d).tile);
    };
    for (;;) {
      int chosen = -1;
      std::int64_t tile = 0;
      for (const int d : plan_.nest) {
        Axis &a = plan_.axes[static_cast<std::size_t>(d)];
        const std::int64_t old = a.tile;
        if (old == a.range || larger(d) > limitOf(d)) continue;
        a.tile = larger(d);
        if (plan_.tileBytes() <= room_ && keepsOrder()) {
          if (const double c = cost(); c < best) {
            best = c;
            chosen = d;
            tile = a.tile;
          }
        }
        a.tile = old;
      }
      if (chosen < 0) return;
      plan_.axes[static_cast<std::size_t>(chosen)].tile = tile;
    }
  }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  const mapping::PlacedMapping &placed_;
  const machine::Machine &machine_;
  Plan plan_;
  std::int64_t room_ = 0;
};

}  // namespace

Result<Plan> makePlan(const kernel::Graph &graph, int kernel, const mapping::PlacedMapping &placed,
                      const machine::Machine &machine) {
  return Planner(graph, kernel, placed, machine).run();
}

}  // namespace pimento::targets::cnm
