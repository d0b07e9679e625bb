#include "pimento/targets/cnm/body.h"

#include <algorithm>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/scalar.h"

namespace pimento::targets::cnm {

using kernel::Combine;
using kernel::Op;
using program::Address;
using program::Instruction;
using Node = program::InstructionNode;
using Does = program::Instruction::Kind;

program::Address valueOf(const Plan &plan, const Around &around, int d, Origin origin) {
  const auto i = static_cast<std::size_t>(d);
  const Axis &a = plan.axis(d);
  Address out;
  if (around.pointLoop[i] >= 0) out.loops.stride[static_cast<std::size_t>(around.pointLoop[i])] = 1;
  if (origin == Origin::kTile) return out;
  if (around.tileLoop[i] >= 0) out.loops.stride[static_cast<std::size_t>(around.tileLoop[i])] = a.tile;
  if (origin == Origin::kThread) return out;
  const bool isGlobal = origin == Origin::kKernel;
  if (isGlobal ? a.padded() == a.range : a.threads() == 1) return out;  // all threads begin at 0
  const auto p = static_cast<std::size_t>(around.parameter(d, isGlobal));
  out.parameters.resize(p + 1);
  out.parameters[p] = 1;
  return out;
}

program::Address addressOf(const Plan &plan, const Around &around, const kernel::Affine &form, Origin origin) {
  Address out;
  out.loops.base = form.constant;
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    const std::int64_t c = form.coefficients[d];
    if (c == 0) continue;
    const Address value = valueOf(plan, around, static_cast<int>(d), origin);
    for (std::size_t l = 0; l < value.loops.stride.size(); ++l) out.loops.stride[l] += c * value.loops.stride[l];
    out.parameters.resize(std::max(out.parameters.size(), value.parameters.size()));
    for (std::size_t p = 0; p < value.parameters.size(); ++p) out.parameters[p] += c * value.parameters[p];
  }
  return out;
}

namespace {

class Points {
 public:
  Points(const Plan &plan, const Around &around) : plan_(plan), kernel_(plan.kernel()), around_(around) {
    for (const int d : plan.nest)
      if (around.pointLoop[static_cast<std::size_t>(d)] >= 0) loops_.push_back(d);
    innermost_ = static_cast<int>(loops_.size()) - 1;
    for (const kernel::Value &v : kernel_.body) levels_.push_back(levelOf(v));
    values_.assign(kernel_.body.size(), -1);
  }

  std::vector<Node> run() { return level(-1); }

 private:
  int fresh() { return registers_++; }
  static Instruction make(Does kind, DType type, int result) {
    Instruction i;
    i.kind = kind;
    i.type = type;
    i.result = result;
    return i;
  }
  void add(std::vector<Node> &to, Instruction i) { to.push_back(Node(std::move(i))); }
  int operation(std::vector<Node> &to, Op op, DType type, int a, int b = -1, int c = -1) {
    Instruction i = make(Does::kOperation, type, fresh());
    i.op = op;
    i.arguments = {a, b, c};
    add(to, i);
    return i.result;
  }

  /// The innermost loop over points that changes it; -1: none.
  int levelOfDims(const std::function<bool(int)> &involves) const {
    for (int n = innermost_; n >= 0; --n)
      if (involves(loops_[static_cast<std::size_t>(n)])) return n;
    return -1;
  }
  int levelOfOperand(const Operand &o) const {
    return levelOfDims([&](int d) { return o.involves(d); });
  }
  int levelOf(const kernel::Value &v) const {
    if (v.op == Op::kConstant) return -1;
    if (v.op == Op::kIndex) return levelOfDims([&](int d) { return d == v.dim; });
    if (v.op == Op::kLoad) {
      const Operand &o = operandOf(plan_.loads[static_cast<std::size_t>(v.access)]);
      return o.use == Use::kInput ? levelOfOperand(o) : innermost_;  // what stores change is read at every point
    }
    int level = -1;
    for (int a = 0; a < kernel::argumentCount(v.op); ++a)
      level = std::max(level, levels_[static_cast<std::size_t>(v.args[static_cast<std::size_t>(a)])]);
    return level;
  }
  const Operand &operandOf(const Reference &r) const { return plan_.operands[static_cast<std::size_t>(r.operand)]; }

  /// Sets array and address of a load or store.
  void place(Instruction &i, const Reference &r) const {
    const Operand &o = operandOf(r);
    const bool isTile = o.tile >= 0;
    i.array = isTile ? o.tile : o.array;
    const PerDim points(plan_.axes.size(), 1);
    i.at = addressOf(plan_, around_, isTile ? plan_.inTile(o, points, r.delta) : plan_.inBank(o, points, r.delta),
                     isTile         ? Origin::kTile
                     : o.isShared() ? Origin::kUnit
                                    : Origin::kThread);
  }

  std::vector<Node> level(int n) {
    std::vector<Node> out;
    for (std::size_t v = 0; v < kernel_.body.size(); ++v)
      if (levels_[v] == n) value(out, v);
    tests(out, n);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (levelOfStore(s) == n) begin(out, s);
    if (n < innermost_) {
      const int d = loops_[static_cast<std::size_t>(n + 1)];
      std::vector<Node> inside = level(n + 1);
      out.push_back(Node::loop(plan_.axis(d).name, plan_.axis(d).tile, std::move(inside)));
    } else {
      for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
        if (kernel_.stores[s].combine != Combine::kAssign) accumulate(out, s);
    }
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (levelOfStore(s) == n) end(out, s);
    return out;
  }

  void value(std::vector<Node> &out, std::size_t number) {
    const kernel::Value &v = kernel_.body[number];
    const auto argument = [&](int a) {
      return a < kernel::argumentCount(v.op) ? values_[static_cast<std::size_t>(v.args[static_cast<std::size_t>(a)])]
                                             : -1;
    };
    switch (v.op) {
      case Op::kConstant: {
        Instruction i = make(Does::kSet, v.type, fresh());
        i.constant = isFloat(v.type) ? decodeFloat(v.type, encodeFloat(v.type, v.constant)) : 0;
        i.integer = isFloat(v.type) ? 0 : wrapInteger(v.type, v.integer);
        values_[number] = i.result;
        return add(out, i);
      }
      case Op::kIndex: {
        Instruction i = make(Does::kIndex, v.type, fresh());
        i.at = valueOf(plan_, around_, v.dim, Origin::kKernel);
        values_[number] = i.result;
        return add(out, i);
      }
      case Op::kLoad: {
        Instruction i = make(Does::kLoad, DType::kI32, fresh());
        place(i, plan_.loads[static_cast<std::size_t>(v.access)]);
        values_[number] = i.result;
        return add(out, i);
      }
      default:
        values_[number] = operation(out, v.op, v.type, argument(0), argument(1), argument(2));
    }
  }

  // ---- Points that do not exist ----

  /// Conditions (>= 0) that a point meets: guards of the kernel, ends of padded dims that stores would not notice.
  std::vector<kernel::Affine> conditions() const {
    std::vector<kernel::Affine> out = kernel_.guards;
    for (const int d : plan_.maskedDims()) {
      kernel::Affine inside{std::vector<std::int64_t>(plan_.axes.size(), 0), plan_.axis(d).extent - 1};
      inside.coefficients[static_cast<std::size_t>(d)] = -1;
      out.push_back(std::move(inside));
    }
    return out;
  }

  void tests(std::vector<Node> &out, int n) {
    for (const kernel::Affine &c : conditions()) {
      if (levelOfDims([&](int d) { return c.coefficients[static_cast<std::size_t>(d)] != 0; }) != n) continue;
      Instruction i = make(Does::kTest, DType::kI32, fresh());
      i.at = addressOf(plan_, around_, c, Origin::kKernel);
      add(out, i);
      mask_ = mask_ < 0 ? i.result : operation(out, Op::kAnd, DType::kU8, mask_, i.result);
    }
  }

  // ---- Stores ----

  DType typeOf(const kernel::Store &s) const { return kernel_.body[static_cast<std::size_t>(s.value)].type; }

  /// Assignments happen at every point, sums leave their registers where the last loop that moves them ends.
  int levelOfStore(std::size_t s) const {
    return kernel_.stores[s].combine == Combine::kAssign ? innermost_ : levelOfOperand(operandOf(plan_.stores[s]));
  }

  void begin(std::vector<Node> &out, std::size_t s) {
    if (kernel_.stores[s].combine == Combine::kAssign) return;
    Instruction i = make(Does::kLoad, DType::kI32, fresh());
    place(i, plan_.stores[s]);
    sums_.resize(kernel_.stores.size(), -1);
    sums_[s] = i.result;
    add(out, i);
  }

  /// The value in the type of the array.
  int converted(std::vector<Node> &out, std::size_t s) {
    const DType type = operandOf(plan_.stores[s]).type;
    const int v = values_[static_cast<std::size_t>(kernel_.stores[s].value)];
    return typeOf(kernel_.stores[s]) == type ? v : operation(out, Op::kCast, type, v);
  }

  void accumulate(std::vector<Node> &out, std::size_t s) {
    const DType type = operandOf(plan_.stores[s]).type;
    const int v = converted(out, s);
    Instruction i = make(Does::kOperation, type, sums_[s]);
    i.op = kernel::opOf(kernel_.stores[s].combine);
    i.arguments = {sums_[s], v, -1};
    if (mask_ >= 0) {
      i.result = fresh();
      add(out, i);
      const int sum = i.result;
      i.op = Op::kSelect;
      i.result = sums_[s];
      i.arguments = {mask_, sum, sums_[s]};
    }
    add(out, i);
  }

  void end(std::vector<Node> &out, std::size_t s) {
    const bool isSum = kernel_.stores[s].combine != Combine::kAssign;
    Instruction i = make(Does::kStore, DType::kI32, -1);
    place(i, plan_.stores[s]);
    i.arguments[0] = isSum ? sums_[s] : converted(out, s);
    if (!isSum) i.condition = mask_;
    add(out, i);
  }

  const Plan &plan_;
  const kernel::Kernel &kernel_;
  const Around &around_;
  std::vector<int> loops_;  // dims with a loop over points, outermost first
  int innermost_ = -1;
  std::vector<int> levels_;  // per value of the body
  std::vector<int> values_;  // registers, per value
  std::vector<int> sums_;    // registers, per store
  int mask_ = -1, registers_ = 0;
};

}  // namespace

std::vector<Node> writePoints(const Plan &plan, const Around &around) {
  return Points(plan, around).run();
}

}  // namespace pimento::targets::cnm
