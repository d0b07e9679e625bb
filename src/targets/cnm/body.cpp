#include "pimento/targets/cnm/body.h"

#include <algorithm>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/scalar.h"
#include "pimento/targets/cnm/operands.h"

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
    for (const kernel::Affine &c : conditions()) maskLevel_ = std::max(maskLevel_, levelOfForm(c));
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
  int levelOfForm(const kernel::Affine &form) const {
    return levelOfDims([&](int d) { return form.coefficients[static_cast<std::size_t>(d)] != 0; });
  }
  int levelOfOperand(const Operand &o) const {
    return levelOfDims([&](int d) { return o.involves(d); });
  }
  int levelOf(const kernel::Value &v) const {
    if (v.op == Op::kConstant) return -1;
    if (v.op == Op::kIndex) return levelOfDims([&](int d) { return d == v.dim; });
    if (v.op == Op::kLoad) {
      const Operand &o = operandOf(plan_.loads[static_cast<std::size_t>(v.access)]);
      if (o.use != Use::kInput) return innermost_;  // what stores change is read at every point
      const kernel::Access &a = kernel_.loads[static_cast<std::size_t>(v.access)];
      if (!a.isIndirect()) return levelOfOperand(o);
      // An index counts where its point runs.
      return std::max({levelOfOperand(o), maskLevel_, levels_[static_cast<std::size_t>(a.indirectIndex)]});
    }
    int level = -1;
    for (int a = 0; a < kernel::argumentCount(v.op); ++a)
      level = std::max(level, levels_[static_cast<std::size_t>(v.args[static_cast<std::size_t>(a)])]);
    return level;
  }
  const Operand &operandOf(const Reference &r) const { return plan_.operands[static_cast<std::size_t>(r.operand)]; }

  /// Sets array and address of a load or store, and where data have a say the condition.
  void place(std::vector<Node> &out, Instruction &i, const Reference &r, const kernel::Access &access) {
    const Operand &o = operandOf(r);
    const bool isTile = o.tile >= 0;
    i.array = isTile ? o.tile : o.array;
    const PerDim points(plan_.axes.size(), 1);
    i.at = addressOf(plan_, around_, isTile ? plan_.inTile(o, points, r.delta) : plan_.inBank(o, points, r.delta),
                     isTile         ? Origin::kTile
                     : o.isShared() ? Origin::kUnit
                                    : Origin::kThread);
    if (!o.isAnywhere()) return;
    const lower::TensorPlace &place = isTile ? o.near : o.home;
    std::int64_t last = 0;  // element that accesses reach along whole positions
    for (std::size_t p = 0; p < o.positions.size(); ++p) {
      const lower::Position &position = o.positions[p];
      if (!position.isWhole) continue;
      const std::int64_t pitch = place.pitch[p] / o.size();
      if (access.indirectAt == static_cast<int>(position.index))
        i.data = {values_[static_cast<std::size_t>(access.indirectIndex)], position.limit, pitch};
      else
        last += pitch * (position.limit - 1);
    }
    const kernel::Affine own = ownElement(o, place, access);
    const kernel::Interval range = rangeOf(plan_, own);
    if (range.low >= 0 && range.high <= last) {
      add(i.at, addressOf(plan_, around_, own, Origin::kKernel));
    } else {  // only where the point runs
      PIMENTO_CHECK(i.data.from < 0);
      Instruction index = make(Does::kIndex, last < INT32_MAX ? DType::kI32 : DType::kI64, fresh());
      index.at = addressOf(plan_, around_, own, Origin::kKernel);
      i.data = {index.result, last + 1, 1};
      add(out, index);
    }
    if (i.data.from >= 0) i.condition = mask_;
  }

  static void add(Address &to, const Address &more) {
    to.loops.base += more.loops.base;
    for (std::size_t l = 0; l < to.loops.stride.size(); ++l) to.loops.stride[l] += more.loops.stride[l];
    to.parameters.resize(std::max(to.parameters.size(), more.parameters.size()));
    for (std::size_t p = 0; p < more.parameters.size(); ++p) to.parameters[p] += more.parameters[p];
  }

  std::vector<Node> level(int n) {
    std::vector<Node> out;
    tests(out, n);
    for (std::size_t v = 0; v < kernel_.body.size(); ++v)
      if (levels_[v] == n) value(out, v);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (levelOfStore(s) == n) begin(out, s);
    if (n < innermost_) {
      const int d = loops_[static_cast<std::size_t>(n + 1)];
      std::vector<Node> inside = level(n + 1);
      out.push_back(Node::loop(plan_.axis(d).name, plan_.axis(d).tile, std::move(inside)));
    } else {
      decide(out);
      for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
        if (isKept(s))
          accumulate(out, s);
        else if (kernel_.stores[s].combine != Combine::kAssign)
          update(out, s);
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
        place(out, i, plan_.loads[static_cast<std::size_t>(v.access)],
              kernel_.loads[static_cast<std::size_t>(v.access)]);
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
      if (levelOfForm(c) != n) continue;
      Instruction i = make(Does::kTest, DType::kI32, fresh());
      i.at = addressOf(plan_, around_, c, Origin::kKernel);
      add(out, i);
      mask_ = mask_ < 0 ? i.result : operation(out, Op::kAnd, DType::kU8, mask_, i.result);
    }
  }

  // ---- Stores ----

  DType typeOf(const kernel::Store &s) const { return kernel_.body[static_cast<std::size_t>(s.value)].type; }

  /// Is a sum, or what goes with a minimum, in a register while the loops inside run? Not where points see it or data
  /// choose its element.
  bool isKept(std::size_t s) const {
    const kernel::Store &store = kernel_.stores[s];
    if (store.combine == Combine::kAssign) return store.follows >= 0;
    return !operandOf(plan_.stores[s]).isAnywhere() &&
           std::none_of(plan_.loads.begin(), plan_.loads.end(),
                        [&](const Reference &r) { return r.operand == plan_.stores[s].operand; });
  }
  /// Assignments happen at every point, sums leave their registers where the last loop that moves them ends.
  int levelOfStore(std::size_t s) const { return isKept(s) ? levelOfOperand(operandOf(plan_.stores[s])) : innermost_; }

  void begin(std::vector<Node> &out, std::size_t s) {
    if (!isKept(s)) return;
    Instruction i = make(Does::kLoad, DType::kI32, fresh());
    place(out, i, plan_.stores[s], kernel_.stores[s].target);
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

  /// Whether minima that other stores follow change at this point: by comparison, with what they are before it.
  void decide(std::vector<Node> &out) {
    isBetter_.assign(kernel_.stores.size(), -1);
    for (const kernel::Store &store : kernel_.stores) {
      if (store.follows < 0) continue;
      const auto s = static_cast<std::size_t>(store.follows);
      if (isBetter_[s] < 0) {
        Instruction i = make(Does::kOperation, DType::kU8, -1);
        i.op = kernel_.stores[s].combine == Combine::kMin ? Op::kCmpLt : Op::kCmpGt;
        i.arguments = {converted(out, s), sums_[s], -1};
        i.result = fresh();
        isBetter_[s] = i.result;
        add(out, i);
        if (mask_ >= 0) isBetter_[s] = operation(out, Op::kAnd, DType::kU8, isBetter_[s], mask_);
      }
      isBetter_[static_cast<std::size_t>(&store - kernel_.stores.data())] = isBetter_[s];
    }
  }

  void accumulate(std::vector<Node> &out, std::size_t s) {
    const DType type = operandOf(plan_.stores[s]).type;
    const int v = converted(out, s);
    if (isBetter_[s] >= 0) {
      Instruction i = make(Does::kOperation, type, sums_[s]);
      i.op = Op::kSelect;
      i.arguments = {isBetter_[s], v, sums_[s]};
      return add(out, i);
    }
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

  /// A sum in the array.
  void update(std::vector<Node> &out, std::size_t s) {
    const int v = converted(out, s);
    Instruction before = make(Does::kLoad, DType::kI32, fresh());
    place(out, before, plan_.stores[s], kernel_.stores[s].target);
    add(out, before);
    Instruction after = before;
    after.kind = Does::kStore;
    after.arguments[0] =
        operation(out, kernel::opOf(kernel_.stores[s].combine), operandOf(plan_.stores[s]).type, before.result, v);
    after.result = -1;
    after.condition = mask_;
    add(out, after);
  }

  void end(std::vector<Node> &out, std::size_t s) {
    if (!isKept(s) && kernel_.stores[s].combine != Combine::kAssign) return;  // done at every point
    Instruction i = make(Does::kStore, DType::kI32, -1);
    place(out, i, plan_.stores[s], kernel_.stores[s].target);
    i.arguments[0] = isKept(s) ? sums_[s] : converted(out, s);
    i.condition = isKept(s) ? -1 : mask_;
    add(out, i);
  }

  const Plan &plan_;
  const kernel::Kernel &kernel_;
  const Around &around_;
  std::vector<int> loops_;  // dims with a loop over points, outermost first
  int innermost_ = -1;
  std::vector<int> levels_;    // per value of the body
  std::vector<int> values_;    // registers, per value
  std::vector<int> sums_;      // registers, per store
  std::vector<int> isBetter_;  // registers, per store: at this point, of minima that others follow and of these
  int maskLevel_ = -1;         // from which on it is known whether the point runs
  int mask_ = -1, registers_ = 0;
};

}  // namespace

std::vector<Node> writePoints(const Plan &plan, const Around &around) {
  return Points(plan, around).run();
}

}  // namespace pimento::targets::cnm
