#include "pimento/targets/cnm/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"
#include "pimento/targets/cnm/operands.h"

namespace pimento::targets::cnm {

using kernel::Affine;
using kernel::Combine;

std::vector<int> Plan::maskedDims() const {
  const auto isIndirect = [](const kernel::Store &s) { return s.target.isIndirect(); };
  const bool hasDataIndex =
      kernel().hasIndirectLoads() || std::any_of(kernel().stores.begin(), kernel().stores.end(), isIndirect);
  std::vector<int> out;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    // A side of the result's box that no other dim moves along: beyond its end there is nothing.
    const auto isBeyond = [&](const Reference &r) {
      const std::vector<lower::Position> &all = operands[static_cast<std::size_t>(r.operand)].positions;
      return std::any_of(all.begin(), all.end(), [&](const lower::Position &p) {
        const auto others = p.coefficient.size() - 1;
        return p.involves(static_cast<int>(d)) &&
               std::count(p.coefficient.begin(), p.coefficient.end(), 0) == static_cast<std::ptrdiff_t>(others);
      });
    };
    if (axes[d].isPadded() && (hasDataIndex || !std::all_of(stores.begin(), stores.end(), isBeyond)))
      out.push_back(static_cast<int>(d));
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
  for (const Operand &o : operands)
    if (!o.isInBank) n = addSaturated(n, multiplySaturated(o.elements(sizesPerTile()), o.size()));
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
    if (const Status s = makeAxes(); !s) return s.diagnostics();
    if (const Status s = makeOperands(plan_, machine_); !s) return s.diagnostics();
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
  Diagnostic unsupported(const char *code, std::string message, std::string hint) const {
    return refuse(code, kernel_, machine_, message, std::move(hint));
  }

  Status checkKernel() const {
    if (kernel_.form == kernel::Form::kSelect)
      return unsupported("unsupported-form",
                         "it selects by value, which needs branches that virtual instructions do not have",
                         "leave the kernel on the host: --offload possible");
    for (const kernel::DataBounds &b : kernel_.bounds)
      return unsupported(
          "unsupported-form",
          fmt::format("the bounds of dim '{}' come from data", kernel_.dims[static_cast<std::size_t>(b.dim)].name),
          "leave the kernel on the host: --offload possible");
    if (placed_.mapping.subspaces.size() != 1)
      return unsupported("unsupported-mapping",
                         fmt::format("the mapping has {} subspaces", placed_.mapping.subspaces.size()),
                         "use one subspace that covers the whole space");
    for (const auto &[level, chunk] : placed_.mapping.cyclic)
      if (chunk != 0)
        return unsupported("unsupported-mapping", fmt::format("level '{}' is split cyclically", level),
                           "split it contiguously");
    if (placed_.mapping.tail == mapping::Tail::kTruncate)
      return unsupported("unsupported-mapping", "tails are always padded", "omit tail=");
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
      return unsupported("unsupported-type", "it accumulates in several types, one of which is floating",
                         "split the kernel");
    return okStatus();
  }

  Status makeAxes() {
    plan_ = Plan(graph_, plan_.number, placed_, 0, machine_);
    plan_.runsIdleThreads = true;
    plan_.hasScratchpad = machine_.unitMemory->scratchpad.value > 0;
    plan_.isInOrder = runsInOrder(graph_, plan_.number);
    for (Axis &a : plan_.axes) a.isOrdered = plan_.isInOrder || a.kind == kernel::DimKind::kReduction;
    for (const std::string &name : placed_.mapping.order) plan_.nest.push_back(kernel_.dimNamed(name));
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
      if (std::find(plan_.nest.begin(), plan_.nest.end(), static_cast<int>(d)) == plan_.nest.end())
        plan_.nest.push_back(static_cast<int>(d));
    if (plan_.isInOrder && !std::is_sorted(plan_.nest.begin(), plan_.nest.end()))
      return unsupported("unsupported-mapping",
                         "its points run in the order of its dims, but the mapping uses another order",
                         "omit order(...)");
    return okStatus();
  }

  // ---- Tiles ----

  Status chooseTiles() {
    if (!plan_.hasScratchpad) return okStatus();
    room_ = machine_.unitMemory->scratchpad.value / plan_.threads;
    for (Axis &a : plan_.axes) a.tile = 1;
    leaveInBank();
    if (Status s =
            lower::checkCapacity(kernel_, plan_.tileBytes(), "bytes of the scratchpad per thread at least", room_,
                                 fmt::format("each of {} threads has", plan_.threads), "use fewer threads");
        !s)
      return s;
    grow();
    // What is whole in an array that points update has no room for points beyond the kernel's.
    const auto isUpdatedAnywhere = [](const Operand &o) { return o.use == Use::kInPlace && o.isAnywhere(); };
    if (std::none_of(plan_.operands.begin(), plan_.operands.end(), isUpdatedAnywhere)) roundRanges();
    setLevels();
    return okStatus();
  }

  /// What accesses go anywhere in is worth a copy in the scratchpad where that is small: as large as half of a thread's
  /// room at most, and with no more elements than the thread has points.
  void leaveInBank() {
    double points = 1;
    for (const Axis &a : plan_.axes) points *= static_cast<double>(a.range);
    std::int64_t taken = 0;
    for (Operand &o : plan_.operands) {
      if (!o.isAnywhere()) continue;
      const std::int64_t elements = o.elements(plan_.sizesPerTile());
      const std::int64_t bytes = addSaturated(taken, multiplySaturated(elements, o.size()));
      o.isInBank = bytes > room_ / 2 || static_cast<double>(elements) > points;
      if (!o.isInBank) taken = bytes;
    }
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
      if (o.isInBank) continue;
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
