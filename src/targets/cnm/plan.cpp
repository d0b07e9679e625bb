#include "pimento/targets/cnm/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"

namespace pimento::targets::cnm {

using kernel::Affine;
using kernel::Combine;

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
  if (o.use != Use::kWrite || !kernel().guards.empty() || !maskedDims().empty()) return true;
  return std::any_of(loads.begin(), loads.end(),
                     [&](const Reference &r) { return &operands[static_cast<std::size_t>(r.operand)] == &o; });
}

std::int64_t Plan::elementsOf(const Operand &o) const {
  return multiplySaturated(o.elements(sizesOf(o)), arraysOf(o));
}

std::int64_t Plan::bankBytes() const {
  std::int64_t n = 0;
  for (const Operand &o : operands) n = addSaturated(n, multiplySaturated(elementsOf(o), o.size()));
  return n;
}

std::int64_t Plan::tileBytes() const {
  std::int64_t n = 0;
  for (const Operand &o : operands) n = addSaturated(n, multiplySaturated(o.elements(sizesPerTile()), o.size()));
  return n;
}

namespace {

kernel::Affine inElements(const Operand &o, Affine bytes) {
  for (std::int64_t &c : bytes.coefficients) c /= o.size();
  bytes.constant /= o.size();
  return bytes;
}

}  // namespace

Affine Plan::inBank(const Operand &o, const PerDim &inner, const PerDim &delta) const {
  return inElements(o, lower::byteOf(o, o.home, sizesOf(o), inner, delta));
}

Affine Plan::inTile(const Operand &o, const PerDim &inner, const PerDim &delta) const {
  return inElements(o, lower::byteOf(o, o.near, sizesPerTile(), inner, delta));
}

namespace {

class Planner {
 public:
  Planner(const kernel::Graph &graph, int number, const mapping::PlacedMapping &placed, const machine::Machine &machine)
      : graph_(graph), kernel_(graph.kernels[static_cast<std::size_t>(number)]), placed_(placed), machine_(machine) {
    plan_.graph = &graph;
    plan_.number = number;
  }

  Result<Plan> run() {
    if (const Status s = checkKernel(); !s) return s.diagnostics();
    makeAxes();
    for (const kernel::Store &s : kernel_.stores)
      if (const Status added = addStore(s); !added) return added.diagnostics();
    for (const kernel::Access &a : kernel_.loads)
      if (const Status added = addLoad(a); !added) return added.diagnostics();
    if (const Status s = chooseTiles(); !s) return s.diagnostics();
    for (Operand &o : plan_.operands) {
      o.home.fit(o.positions, plan_.sizesOf(o), o.size(), o.size());
      o.near.fit(o.positions, plan_.sizesPerTile(), o.size(), o.size());
    }
    if (const Status s =
            lower::checkCapacity(kernel_, plan_.bankBytes(), "bytes of the bank", machine_.unitMemory->size.value,
                                 fmt::format("a unit of {} has", machine_.name), "spread it over more units");
        !s)
      return s.diagnostics();
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
    for (const kernel::DataBounds &b : kernel_.bounds)
      return unsupported(
          "unsupported-form",
          fmt::format("data say how far dim '{}' runs", kernel_.dims[static_cast<std::size_t>(b.dim)].name),
          "units execute affine loops");
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
    plan_ = Plan(graph_, plan_.number, placed_, 0, machine_);
    plan_.runsIdleThreads = true;
    plan_.hasScratchpad = machine_.unitMemory->scratchpad.value > 0;
    for (Axis &a : plan_.axes) a.isOrdered = a.kind == kernel::DimKind::kReduction;
    for (const std::string &name : placed_.mapping.order) plan_.nest.push_back(kernel_.dimNamed(name));
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
      if (std::find(plan_.nest.begin(), plan_.nest.end(), static_cast<int>(d)) == plan_.nest.end())
        plan_.nest.push_back(static_cast<int>(d));
  }

  /// The number of a new operand.
  int add(const kernel::Access &a, Use use, int store) {
    const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(a.tensor)];
    Operand o;
    o.use = use;
    o.tensor = a.tensor;
    o.store = store;
    o.type = use == Use::kPartial ? lower::accumulatorOf(tensor.type) : tensor.type;
    o.positions = lower::positionsOf(a, tensor, false);
    o.home.home = use == Use::kInput ? lower::TensorPlace::Home::kUnit : lower::TensorPlace::Home::kThread;
    plan_.operands.push_back(std::move(o));
    return static_cast<int>(plan_.operands.size()) - 1;
  }

  Status addStore(const kernel::Store &s) {
    for (const Operand &o : plan_.operands)
      if (o.tensor == s.target.tensor)
        return unsupported("unsupported-pattern", "it stores to one tensor twice", "split the kernel");
    const bool reduces = std::any_of(plan_.axes.begin(), plan_.axes.end(), [](const Axis &a) { return a.isOrdered; });
    const Use use = s.combine == Combine::kAssign ? Use::kWrite : reduces ? Use::kPartial : Use::kInPlace;
    plan_.stores.push_back({add(s.target, use, static_cast<int>(plan_.stores.size())), {}});
    return okStatus();
  }

  Status addLoad(const kernel::Access &a) {
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      const Operand &o = plan_.operands[i];
      if (o.tensor != a.tensor || (o.isShared() && !lower::matches(o, a))) continue;
      if (!o.isShared() && (o.isPartial() || !(a == plan_.storeOf(o).target)))
        return unsupported("unsupported-pattern", "it reads elsewhere from a tensor that it writes",
                           "split the kernel");
      plan_.loads.push_back({static_cast<int>(i), {}});
      return okStatus();
    }
    plan_.loads.push_back({add(a, Use::kInput, -1), {}});
    return okStatus();
  }

  // ---- Tiles ----

  Status chooseTiles() {
    lower::settle(plan_, plan_.operands);
    if (!plan_.hasScratchpad) return okStatus();
    room_ = machine_.unitMemory->scratchpad.value / plan_.threads;
    for (Axis &a : plan_.axes) a.tile = 1;
    if (Status s =
            lower::checkCapacity(kernel_, plan_.tileBytes(), "bytes of the scratchpad per thread at least", room_,
                                 fmt::format("of {} threads each has", plan_.threads), "use fewer threads");
        !s)
      return s;
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
        if (plan_.axis(plan_.nest[n]).isTiled() && o.involves(plan_.nest[n])) o.level = static_cast<int>(n);
    }
  }

  /// Bytes that move, transfers counted as so many more.
  double cost() {
    setLevels();
    constexpr double kTransfer = 64;
    const PerDim sizes = plan_.sizesPerTile();
    double sum = 0;
    for (const Operand &o : plan_.operands) {
      double times = o.use == Use::kInput ? 1 : 2;
      for (int n = 0; n <= o.level; ++n) {
        const Axis &a = plan_.axis(plan_.nest[static_cast<std::size_t>(n)]);
        times *= static_cast<double>(a.range / a.tile);
      }
      double rows = 1, bytes = static_cast<double>(o.size());
      for (std::size_t p = 0; p < o.positions.size(); ++p) {
        const auto extent = static_cast<double>(o.positions[p].extent(sizes));
        bytes *= extent;
        if (p + 1 < o.positions.size()) rows *= extent;
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
      if (!a.isOrdered) continue;
      if (isSeveral && a.isTiled()) return false;
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
