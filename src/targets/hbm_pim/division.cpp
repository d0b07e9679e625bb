#include "pimento/targets/hbm_pim/division.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "pimento/kernel/cut.h"
#include "pimento/targets/hbm_pim/microkernel.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

using kernel::Kernel;
using kernel::Op;
using kernel::Side;

namespace {

/// Finds a relu that is written in other operations.
class ReluFinder {
 public:
  explicit ReluFinder(Kernel &kernel) : body_(kernel.body) {}

  bool run() {
    bool hasFound = false;
    for (kernel::Value &v : body_)
      if (const int x = argumentOf(v); x >= 0) {
        kernel::Value relu;
        relu.op = Op::kRelu;
        relu.type = v.type;
        relu.args[0] = x;
        v = relu;
        hasFound = true;
      }
    return hasFound;
  }

 private:
  const kernel::Value &at(int i) const { return body_[static_cast<std::size_t>(i)]; }
  bool isZero(int i) const {
    return at(i).op == Op::kConstant && isFloat(at(i).type) && at(i).constant == 0 && !std::signbit(at(i).constant);
  }

  /// The operand of a relu, or -1.
  int argumentOf(const kernel::Value &v) const {
    if (v.type != DType::kF16) return -1;
    if (v.op == Op::kMax && isZero(v.args[1])) return v.args[0];
    if (v.op == Op::kMax && isZero(v.args[0])) return v.args[1];
    if (v.op != Op::kSelect) return -1;
    const bool isWhere = isZero(v.args[2]);
    const int x = isWhere ? v.args[1] : v.args[2];
    if (!isWhere && !isZero(v.args[1])) return -1;
    return isPositive(v.args[0], x, isWhere) ? x : -1;
  }

  /// Whether a condition says that `x` is above 0 (`wanted`), or that it is not.
  bool isPositive(int condition, int x, bool wanted) const {
    const kernel::Value &c = at(condition);
    if (c.op == Op::kXor) {
      for (const int side : {0, 1}) {
        const kernel::Value &one = at(c.args[static_cast<std::size_t>(side)]);
        if (one.op == Op::kConstant && one.integer == 1)
          return isPositive(c.args[static_cast<std::size_t>(1 - side)], x, !wanted);
      }
      return false;
    }
    // At -0 both say no, and relu gives +0.
    const Op above = wanted ? Op::kCmpGt : Op::kCmpLe, below = wanted ? Op::kCmpLt : Op::kCmpGe;
    return (c.op == above && c.args[0] == x && isZero(c.args[1])) ||
           (c.op == below && c.args[1] == x && isZero(c.args[0]));
  }

  std::vector<kernel::Value> &body_;
};

class Divider {
 public:
  Divider(const kernel::Graph &graph, const machine::Machine &machine) : machine_(machine) {
    out_.graph.name = graph.name;
    out_.graph.tensors = graph.tensors;
  }

  void keep(const Kernel &kernel, int origin) { take(kernel, origin); }

  void divide(Kernel kernel, int origin) {
    if (kernel::canBeCut(kernel)) hasChanged_ |= ReluFinder(kernel).run();
    divide(std::move(kernel), origin, kMostCuts);
  }

  std::optional<kernel::Unrolled> finish() {
    if (!hasChanged_) return std::nullopt;
    return std::move(out_);
  }

 private:
  static constexpr int kMostCuts = 12;  ///< of one kernel, one in another

  void take(Kernel kernel, int origin) {
    out_.runs.push_back(static_cast<int>(out_.graph.kernels.size()));
    out_.origins.push_back(origin);
    out_.graph.kernels.push_back(std::move(kernel));
  }

  void divide(Kernel kernel, int origin, int cutsLeft) {
    if (cutsLeft == 0 || !kernel::canBeCut(kernel) || runs(kernel)) return take(std::move(kernel), origin);
    kernel::Cutting cutting = sidesOf(kernel);
    const bool isOfUnit = std::count(cutting.values.begin(), cutting.values.end(), Side::kHost) == 0;
    if (isOfUnit && canHalve(kernel)) {
      hasChanged_ = true;
      for (Kernel &half : halves(kernel)) divide(std::move(half), origin, cutsLeft - 1);
      return;
    }
    if (isOfUnit) setApart(kernel, cutting);
    const bool hasDevicePart =
        std::count(cutting.values.begin(), cutting.values.end(), Side::kDevice) > 0 ||
        (!isOfUnit && std::count(cutting.stores.begin(), cutting.stores.end(), Side::kDevice) > 0);
    if (!hasDevicePart) return take(std::move(kernel), origin);
    kernel::Graph &graph = out_.graph;
    const std::size_t tensors = graph.tensors.size();
    std::vector<Kernel> parts = kernel::cut(graph, kernel, cutting);
    if (parts.size() == 1) {
      graph.tensors.resize(tensors);
      return take(std::move(kernel), origin);
    }
    hasChanged_ = true;
    for (Kernel &part : parts) divide(std::move(part), origin, cutsLeft - 1);
  }

  /// Whether its assignments may be made one after the other: several, and no point reads what another stores.
  static bool canHalve(const Kernel &kernel) {
    const auto isRead = [&](const kernel::Store &s) {
      return s.combine != kernel::Combine::kAssign ||
             std::any_of(kernel.loads.begin(), kernel.loads.end(),
                         [&](const kernel::Access &l) { return l.tensor == s.target.tensor; });
    };
    return kernel.stores.size() > 1 && std::none_of(kernel.stores.begin(), kernel.stores.end(), isRead);
  }

  std::vector<Kernel> halves(const Kernel &kernel) {
    std::vector<Kernel> all;
    const auto middle = kernel.stores.begin() + static_cast<std::ptrdiff_t>(kernel.stores.size() / 2);
    for (const bool isFirst : {true, false}) {
      Kernel half = kernel;
      half.name += isFirst ? ".a" : ".b";
      half.stores.assign(isFirst ? kernel.stores.begin() : middle, isFirst ? middle : kernel.stores.end());
      kernel::Cutting whole;
      for (const kernel::Value &v : half.body)
        whole.values.push_back(v.op == Op::kLoad || v.op == Op::kConstant ? Side::kAny : Side::kDevice);
      whole.isApart.assign(half.body.size(), false);
      whole.stores.assign(half.stores.size(), Side::kAny);
      for (Kernel &part : kernel::cut(out_.graph, half, whole)) all.push_back(std::move(part));
    }
    return all;
  }

  /// Whether the units run it as it is; asked as the next kernel of the graph.
  bool runs(const Kernel &kernel) {
    std::vector<Kernel> &all = out_.graph.kernels;
    all.push_back(kernel);
    const auto patterns = alternatives(out_.graph, static_cast<int>(all.size()) - 1, machine_);
    const bool fits = patterns.ok() && std::any_of(patterns->begin(), patterns->end(), [&](const Pattern &p) {
                        constexpr std::int64_t kSeveral = 2;
                        switch (p.kind) {
                          case Pattern::Kind::kMatVec:
                            return true;
                          case Pattern::Kind::kStreamed:
                            return compileStreamed(all.back(), p.streamed, machine_, kSeveral).ok();
                          case Pattern::Kind::kElementwise:
                            break;
                        }
                        return compileElementwise(all.back(), p.elementwise, machine_, kSeveral).ok();
                      });
    all.pop_back();
    return fits;
  }

  kernel::Cutting sidesOf(const Kernel &kernel) const {
    kernel::Cutting c;
    for (const kernel::Value &v : kernel.body) c.values.push_back(sideOf(v));
    c.isApart.assign(kernel.body.size(), false);
    for (const kernel::Store &s : kernel.stores) {
      const DType type = out_.graph.tensors[static_cast<std::size_t>(s.target.tensor)].type;
      const bool isOfUnit = s.combine == kernel::Combine::kAdd || s.combine == kernel::Combine::kMul;
      c.stores.push_back(s.combine == kernel::Combine::kAssign    ? Side::kAny
                         : isOfUnit && type == machine_.pim->type ? Side::kDevice
                                                                  : Side::kHost);
    }
    return c;
  }

  Side sideOf(const kernel::Value &v) const {
    switch (v.op) {
      case Op::kLoad:
      case Op::kConstant:
        return Side::kAny;
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kNeg:
      case Op::kRelu:
        return v.type == machine_.pim->type ? Side::kDevice : Side::kHost;
      default:
        return Side::kHost;
    }
  }

  /// Of an expression that is all the unit's, but too deep or too long: operands that are kept in memory. First those
  /// beside another expression; where there are none, what is about half of the whole.
  static void setApart(const Kernel &kernel, kernel::Cutting &cutting) {
    std::vector<std::int64_t> size(kernel.body.size(), 0);
    std::int64_t most = 0;
    bool isAny = false;
    for (std::size_t v = 0; v < size.size(); ++v) {
      if (cutting.values[v] == Side::kAny) continue;
      const kernel::Value &value = kernel.body[v];
      size[v] = 1;
      bool isBeside = true;
      for (int a = 0; a < kernel::argumentCount(value.op); ++a) {
        const auto arg = static_cast<std::size_t>(value.args[static_cast<std::size_t>(a)]);
        size[v] = std::min<std::int64_t>(size[v] + size[arg], kMostSize);
        isBeside &= cutting.values[arg] != Side::kAny;
      }
      most = std::max(most, size[v]);
      if (!isBeside || kernel::argumentCount(value.op) != 2) continue;
      const auto a = static_cast<std::size_t>(value.args[0]), b = static_cast<std::size_t>(value.args[1]);
      cutting.isApart[size[a] < size[b] ? a : b] = true;
      isAny = true;
    }
    if (isAny || most < 2) return;
    std::size_t half = 0;
    for (std::size_t v = 0; v < size.size(); ++v)
      if (size[v] > 0 && size[v] < most && std::abs(2 * size[v] - most) <= std::abs(2 * size[half] - most)) half = v;
    if (size[half] > 0) cutting.isApart[half] = true;
  }

  static constexpr std::int64_t kMostSize = std::int64_t{1} << 40;

  const machine::Machine &machine_;
  kernel::Unrolled out_;
  bool hasChanged_ = false;
};

}  // namespace

std::optional<kernel::Unrolled> divided(const kernel::Graph &graph, const machine::Machine &machine,
                                        const std::vector<bool> &isFixed) {
  Divider divider(graph, machine);
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
    if (isFixed[k])
      divider.keep(graph.kernels[k], static_cast<int>(k));
    else
      divider.divide(graph.kernels[k], static_cast<int>(k));
  }
  return divider.finish();
}

}  // namespace pimento::targets::hbm_pim
