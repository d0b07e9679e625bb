#include "pimento/targets/chip/vector_code.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"

namespace pimento::targets::chip {

using kernel::DimKind;
using kernel::Op;
using sim::core::LoopAccess;
using sim::core::LoopBlock;
using sim::core::LoopCode;
using trace::Operation;

namespace {

/// A loop of the code: iterations of a dim, some of them at a time.
struct Level {
  int dim = -1;
  std::int64_t step = 1;  ///< of the dim, per iteration
  std::int64_t first = 0, extent = 1;
};

/// Operations that a function of one argument takes, where cores have no instruction for it: a polynomial.
constexpr int kPolynomial = 12;

/// Whether the store's sum can stand in registers while reduction dims run.
bool canSum(const kernel::Kernel &k) {
  const auto has = [&](DimKind kind) { return std::ranges::any_of(k.dims, [=](auto &d) { return d.kind == kind; }); };
  return has(DimKind::kReduction) && !has(DimKind::kSequential) && isPlainSum(k);
}

class Maker {
 public:
  Maker(const ChipNest &nest, const Addresses &addresses, const machine::Machine &machine, std::int64_t thread,
        std::int64_t threads, Sums sums)
      : nest_(nest), k_(*nest.kernel), addresses_(addresses), kernels_(*machine.kernels) {
    isSummed_ = canSum(k_) && (sums == Sums::kInRegisters || !hasChoiceOfSums(nest));
    arrange(thread, threads);
    isExtreme_ = isOneExtreme(k_);
    single_ = usesOf();
  }

  std::vector<Level> &levels() { return levels_; }

  LoopCode make() {
    for (const Level &l : levels_) code_.extents.push_back(l.extent);
    code_.before.resize(levels_.size());
    code_.behind.resize(levels_.size());
    if (isSummed_) startSums();
    for (std::size_t s = 0; s < k_.stores.size(); ++s)
      for (std::int64_t r = 0; r < rows_; ++r)
        for (std::int64_t c = 0; c < columns_; ++c) store(s, {r, c});
    for (std::size_t l = 0; l < levels_.size(); ++l) loopEnd(l);
    number();
    return std::move(code_);
  }

 private:
  using Unroll = std::array<std::int64_t, 2>;  ///< which of the rows, of the columns

  std::int64_t strideOf(const kernel::Access &a, int d) const {
    const kernel::Tensor &t = nest_.graph->tensors[static_cast<std::size_t>(a.tensor)];
    return kernel::linearize(a, t, k_.dims.size()).coefficients[static_cast<std::size_t>(d)] * sizeOf(t.type).value;
  }
  /// Parallel dims, then lanes' own if it is parallel, then sums; lanes' own last if it is a sum. Without sums in
  /// registers the nest's order.
  void arrange(std::int64_t thread, std::int64_t threads) {
    std::vector<int> order = nest_.order;
    if (isSummed_)
      std::ranges::stable_sort(order, {}, [&](int d) { return nest_.dim(d).kind == DimKind::kReduction ? 1 : 0; });
    const int last = nest_.lanes > 1 ? nest_.order.back() : -1;
    if (isSummed_) choose(order, last);
    for (const int d : order) {
      Level l{d, 1, 0, nest_.dim(d).extent};
      if (d == nest_.split) {
        const auto [from, to] = nest_.pieceOf(thread, threads);
        l.first = from;
        l.extent = to - from;
      }
      if (d == last) l.step = nest_.lanes;
      if (d == rowDim_) l.step *= rows_;
      if (d == columnDim_) l.step *= columns_;
      l.extent = ceilDiv(l.extent, l.step);
      levels_.push_back(l);
    }
    if (levels_.empty()) levels_.push_back({-1, 1, 0, 1});
    lanesDim_ = last;
    sumLevel_ = 0;
    if (isSummed_)
      while (sumLevel_ < levels_.size() && nest_.dim(levels_[sumLevel_].dim).kind != DimKind::kReduction) ++sumLevel_;
  }

  /// Which parallel dims are summed side by side.
  void choose(const std::vector<int> &order, int last) {
    const auto isReused = [&](int d) {
      return std::ranges::any_of(k_.loads, [&](const kernel::Access &a) { return !moves(k_, a, d); });
    };
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const int d = *at;
      if (nest_.dim(d).kind != DimKind::kParallel || d == last || !isReused(d)) continue;
      const std::int64_t extent =
          d == nest_.split ? std::max<std::int64_t>(1, nest_.dim(d).extent / kernels_.threads) : nest_.dim(d).extent;
      if (rowDim_ < 0) {
        rowDim_ = d;
        rows_ = std::min(kernels_.blockRows, extent);
      } else if (columnDim_ < 0 && nest_.sumsInLanes) {
        columnDim_ = d;
        columns_ = std::min(kernels_.blockColumns, extent);
      }
    }
    // Sums, one operand of each row and column, and two for what is computed of them.
    while (rows_ * columns_ + rows_ + columns_ + 2 > kernels_.registers) (rows_ >= columns_ ? rows_ : columns_) /= 2;
    rows_ = std::max<std::int64_t>(rows_, 1);
    columns_ = std::max<std::int64_t>(columns_, 1);
  }

  /// By body value, whether one other value alone uses it.
  std::vector<bool> usesOf() const {
    std::vector<int> uses(k_.body.size(), 0);
    for (const kernel::Value &v : k_.body)
      for (int i = 0; i < kernel::argumentCount(v.op); ++i)
        ++uses[static_cast<std::size_t>(v.args[static_cast<std::size_t>(i)])];
    for (const kernel::Store &s : k_.stores) ++uses[static_cast<std::size_t>(s.value)];
    std::vector<bool> single;
    for (const int n : uses) single.push_back(n == 1);
    return single;
  }

  // --- registers and instructions

  trace::Register newRegister() {
    int sums = isSummed_ ? static_cast<int>(rows_ * columns_) : 0;
    if (isExtreme_) sums = static_cast<int>(k_.stores.size());
    const int first = trace::kFirstVector + sums, end = trace::kFirstVector + std::max(kernels_.registers, sums + 3);
    if (next_ < first || next_ >= end) next_ = first;
    return static_cast<trace::Register>(next_++);
  }
  trace::Register sumRegister(Unroll u) const {
    return static_cast<trace::Register>(trace::kFirstVector + u[0] * columns_ + u[1]);
  }

  std::size_t emit(LoopBlock &block, Operation o, std::initializer_list<trace::Register> reads, int write) {
    trace::Instruction in;
    in.operation = o;
    in.isVector = true;
    in.loads = o == Operation::kLoad;
    in.stores = o == Operation::kStore;
    for (const trace::Register r : reads) in.reads.add(r);
    if (write >= 0) in.writes.add(static_cast<trace::Register>(write));
    block.instructions.push_back(in);
    return block.instructions.size() - 1;
  }

  /// The level at which all that a value hangs on is known.
  std::size_t levelOf(int value) const {
    std::size_t level = 0;
    for (std::size_t l = 0; l < levels_.size(); ++l)
      if (levels_[l].dim >= 0 && hangsOn(k_, value, levels_[l].dim)) level = l;
    return level;
  }
  Unroll unrollOf(int value, Unroll u) const {
    if (rowDim_ < 0 || !hangsOn(k_, value, rowDim_)) u[0] = 0;
    if (columnDim_ < 0 || !hangsOn(k_, value, columnDim_)) u[1] = 0;
    return u;
  }

  void access(LoopBlock &block, std::size_t instruction, const kernel::Access &a, Unroll u, bool isStore) {
    const kernel::Tensor &t = nest_.graph->tensors[static_cast<std::size_t>(a.tensor)];
    const kernel::Affine linear = kernel::linearize(a, t, k_.dims.size());
    const std::int64_t size = sizeOf(t.type).value;
    LoopAccess out;
    out.instruction = static_cast<std::uint16_t>(instruction);
    out.isStore = isStore;
    std::int64_t base = linear.constant * size;
    for (const Level &l : levels_) {
      const std::int64_t stride = l.dim < 0 ? 0 : strideOf(a, l.dim);
      out.strides.push_back(stride * l.step);
      base += stride * l.first;
    }
    const std::int64_t lane = lanesDim_ < 0 ? 0 : strideOf(a, lanesDim_);
    const std::int64_t wide = lanesDim_ >= 0 && (rowDim_ == lanesDim_ || columnDim_ == lanesDim_) ? nest_.lanes : 1;
    if (rowDim_ >= 0) base += strideOf(a, rowDim_) * u[0] * (rowDim_ == lanesDim_ ? wide : 1);
    if (columnDim_ >= 0) base += strideOf(a, columnDim_) * u[1] * (columnDim_ == lanesDim_ ? wide : 1);
    // A box that reaches before its tensor (guards keep it away) begins there.
    out.base = addresses_.first[static_cast<std::size_t>(a.tensor)] +
               static_cast<std::uint64_t>(std::max<std::int64_t>(base, 0));
    const bool isSpread = lanesDim_ >= 0 && (isIndirectAlong(k_, a, lanesDim_) || (lane != 0 && lane != size));
    if (isSpread) {
      out.lanes = static_cast<int>(nest_.lanes);
      out.laneStride = lane;
      out.bytes = static_cast<std::uint8_t>(size);
    } else {
      out.bytes = static_cast<std::uint8_t>(lane == 0 ? size : size * nest_.lanes);
    }
    if (a.isIndirect()) {
      std::int64_t row = size;
      for (std::size_t i = static_cast<std::size_t>(a.indirectAt) + 1; i < t.shape.size(); ++i) row *= t.shape[i];
      out.within = std::max<std::int64_t>(1, t.shape[static_cast<std::size_t>(a.indirectAt)]);
      out.step = row;
      out.isFixedInside = levels_.back().dim < 0 || !isIndirectAlong(k_, a, levels_.back().dim);
    }
    block.accesses.push_back(std::move(out));
  }

  static bool isFloatOp(const kernel::Value &v) { return isFloat(v.type); }
  static Operation operationOf(const kernel::Value &v) {
    switch (v.op) {
      case Op::kMul:
        return isFloatOp(v) ? Operation::kFloatMultiply : Operation::kVectorMultiply;
      case Op::kDiv:
      case Op::kRem:
        return Operation::kFloatDivide;
      case Op::kSqrt:
        return Operation::kFloatSqrt;
      case Op::kAdd:
      case Op::kSub:
      case Op::kMin:
      case Op::kMax:
      case Op::kCast:
        return isFloatOp(v) ? Operation::kFloatAdd : Operation::kVector;
      default:
        return Operation::kVector;
    }
  }

  bool isProduct(int value) const {
    const kernel::Value &v = k_.body[static_cast<std::size_t>(value)];
    return v.op == Op::kMul && isFloatOp(v) && single_[static_cast<std::size_t>(value)];
  }

  /// The register that holds a value of the body, computed where it is known. -1: a constant, which operations have.
  int valueIn(int value, Unroll u) {
    const kernel::Value &v = k_.body[static_cast<std::size_t>(value)];
    if (v.op == Op::kConstant) return -1;
    u = unrollOf(value, u);
    const auto key = std::tuple(value, u[0], u[1]);
    if (const auto found = values_.find(key); found != values_.end()) return found->second;
    LoopBlock &block = code_.before[levelOf(value)];
    int reg = -1;
    if (v.op == Op::kIndex) {
      reg = newRegister();
      emit(block, Operation::kVector, {}, reg);
    } else if (v.op == Op::kLoad) {
      const kernel::Access &a = k_.loads[static_cast<std::size_t>(v.access)];
      const int index = a.isIndirect() ? valueIn(a.indirectIndex, u) : -1;
      reg = newRegister();
      LoopBlock &own = code_.before[levelOf(value)];
      const std::size_t in = index < 0 ? emit(own, Operation::kLoad, {}, reg)
                                       : emit(own, Operation::kLoad, {static_cast<trace::Register>(index)}, reg);
      access(own, in, a, u, false);
    } else {
      reg = compute(value, u);
    }
    values_.emplace(key, reg);
    return reg;
  }

  int compute(int value, Unroll u) {
    const kernel::Value &v = k_.body[static_cast<std::size_t>(value)];
    std::vector<trace::Register> reads;
    const auto read = [&](int argument) {
      if (const int r = valueIn(argument, u); r >= 0) reads.push_back(static_cast<trace::Register>(r));
    };
    Operation o = operationOf(v);
    bool isFused = false;
    if ((v.op == Op::kAdd || v.op == Op::kSub) && isFloatOp(v))
      for (std::size_t i = 0; i < 2 && !isFused; ++i)
        if (isProduct(v.args[i])) {
          const kernel::Value &product = k_.body[static_cast<std::size_t>(v.args[i])];
          read(product.args[0]);
          read(product.args[1]);
          read(v.args[1 - i]);
          isFused = true;
          o = Operation::kFloatMultiplyAdd;
        }
    if (!isFused)
      for (int i = 0; i < kernel::argumentCount(v.op); ++i) read(v.args[static_cast<std::size_t>(i)]);
    LoopBlock &block = code_.before[levelOf(value)];
    const int reg = newRegister();
    const bool isFunction = v.op == Op::kExp || v.op == Op::kLog || v.op == Op::kTanh;
    if (isFunction) o = Operation::kFloatMultiplyAdd;
    put(block, o, reads, reg);
    for (int i = 1; isFunction && i < kPolynomial; ++i) put(block, o, {static_cast<trace::Register>(reg)}, reg);
    return reg;
  }

  void put(LoopBlock &block, Operation o, const std::vector<trace::Register> &reads, int write) {
    const std::size_t at = emit(block, o, {}, write);
    for (const trace::Register r : reads) block.instructions[at].reads.add(r);
  }

  // --- sums and stores

  void startSums() {
    LoopBlock none;
    LoopBlock &block = sumLevel_ == 0 ? none : code_.before[sumLevel_ - 1];
    for (std::int64_t r = 0; r < rows_; ++r)
      for (std::int64_t c = 0; c < columns_; ++c) {
        emit(block, Operation::kVector, {}, sumRegister({r, c}));
      }
  }

  void store(std::size_t number, Unroll u) {
    const kernel::Store &s = k_.stores[number];
    const kernel::Tensor &t = nest_.graph->tensors[static_cast<std::size_t>(s.target.tensor)];
    if (isSummed_) {
      LoopBlock &inner = code_.before.back();
      const trace::Register sum = sumRegister(u);
      if (s.combine == kernel::Combine::kAdd && isFloat(t.type) && isProduct(s.value)) {
        const kernel::Value &product = k_.body[static_cast<std::size_t>(s.value)];
        std::vector<trace::Register> reads{sum};
        for (std::size_t i = 0; i < 2; ++i)
          if (const int r = valueIn(product.args[i], u); r >= 0) reads.push_back(static_cast<trace::Register>(r));
        put(inner, Operation::kFloatMultiplyAdd, reads, sum);
      } else {
        const int r = valueIn(s.value, u);
        std::vector<trace::Register> reads{sum};
        if (r >= 0) reads.push_back(static_cast<trace::Register>(r));
        put(inner, combineOf(s, t.type), reads, sum);
      }
      if (sumLevel_ == 0) return;  // a number is left, at the end
      LoopBlock &behind = code_.behind[sumLevel_ - 1];
      for (std::int64_t half = nest_.sumsInLanes ? nest_.lanes / 2 : 0; half > 0; half /= 2) {
        put(behind, Operation::kVector, {sum}, newRegister());
        put(behind, combineOf(s, t.type), {sum}, sum);
      }
      const trace::Register old = newRegister();
      access(behind, emit(behind, Operation::kLoad, {}, old), s.target, u, false);
      put(behind, combineOf(s, t.type), {old, sum}, sum);
      access(behind, emit(behind, Operation::kStore, {sum}, -1), s.target, u, true);
      return;
    }
    if (isExtreme_) {  // it and what follows it stay in registers
      const auto own = static_cast<trace::Register>(trace::kFirstVector + number);
      std::vector<trace::Register> reads{own};
      if (const int r = valueIn(s.value, u); r >= 0) reads.push_back(static_cast<trace::Register>(r));
      if (number > 0) reads.push_back(static_cast<trace::Register>(trace::kFirstVector));
      put(code_.before.back(), combineOf(s, t.type), reads, own);
      return;
    }
    int value = valueIn(s.value, u);
    LoopBlock &inner = code_.before.back();
    const int index = s.target.isIndirect() ? valueIn(s.target.indirectIndex, u) : -1;
    if (s.combine != kernel::Combine::kAssign || s.follows >= 0) {
      const int old = newRegister();
      access(inner, emit(inner, Operation::kLoad, {}, old), s.target, u, false);
      std::vector<trace::Register> reads{static_cast<trace::Register>(old)};
      if (value >= 0) reads.push_back(static_cast<trace::Register>(value));
      value = newRegister();
      put(inner, combineOf(s, t.type), reads, value);
    }
    std::vector<trace::Register> reads;
    for (const int r : {value, index})
      if (r >= 0) reads.push_back(static_cast<trace::Register>(r));
    const std::size_t at = emit(inner, Operation::kStore, {}, -1);
    for (const trace::Register r : reads) inner.instructions[at].reads.add(r);
    access(inner, at, s.target, u, true);
  }

  static Operation combineOf(const kernel::Store &s, DType type) {
    if (s.combine == kernel::Combine::kMul)
      return isFloat(type) ? Operation::kFloatMultiply : Operation::kVectorMultiply;
    return isFloat(type) ? Operation::kFloatAdd : Operation::kVector;
  }

  /// The counter goes on, and the branch back.
  void loopEnd(std::size_t level) {
    LoopBlock &block = level + 1 == levels_.size() ? code_.before[level] : code_.behind[level];
    const auto counter = static_cast<trace::Register>(level);
    emit(block, Operation::kAdd, {counter}, counter);
    emit(block, Operation::kBranch, {counter}, -1);
  }

  /// Addresses, block after block.
  void number() {
    std::uint64_t address = std::uint64_t{1} << 40;
    for (auto *blocks : {&code_.before, &code_.behind})
      for (LoopBlock &block : *blocks)
        for (trace::Instruction &in : block.instructions) {
          in.address = address;
          address += in.bytes;
        }
  }

  const ChipNest &nest_;
  const kernel::Kernel &k_;
  const Addresses &addresses_;
  const machine::ChipKernels &kernels_;
  bool isSummed_ = false, isExtreme_ = false;
  std::vector<Level> levels_;
  int lanesDim_ = -1, rowDim_ = -1, columnDim_ = -1;
  std::int64_t rows_ = 1, columns_ = 1;
  std::size_t sumLevel_ = 0;  ///< the first level of a sum
  std::vector<bool> single_;
  std::map<std::tuple<int, std::int64_t, std::int64_t>, int> values_;
  int next_ = 0;
  LoopCode code_;
};

}  // namespace

bool hasChoiceOfSums(const ChipNest &nest) {
  if (!canSum(*nest.kernel) || nest.sumsInLanes || nest.sumsInThreads) return false;
  // A sum's loop outside a parallel one.
  bool isSumSeen = false;
  for (const int d : nest.order) {
    if (nest.dim(d).extent < 2) continue;
    if (nest.dim(d).kind == DimKind::kReduction)
      isSumSeen = true;
    else if (isSumSeen)
      return true;
  }
  return false;
}

sim::core::LoopCode vectorCode(const ChipNest &nest, const Addresses &addresses, const machine::Machine &machine,
                               std::int64_t thread, std::int64_t threads, const Window &window, Sums sums) {
  Maker maker(nest, addresses, machine, thread, threads, sums);
  std::vector<std::int64_t> from, whole;
  if (window.count >= 0) {
    std::vector<Level> &levels = maker.levels();
    for (std::size_t l = 0; l <= window.level && l < levels.size(); ++l) {
      const std::int64_t count =
          l == window.level ? std::min(window.count, levels[l].extent) : std::min<std::int64_t>(1, levels[l].extent);
      whole.push_back(levels[l].extent);
      from.push_back(static_cast<std::int64_t>(window.at * static_cast<double>(levels[l].extent - count)));
      levels[l].extent = count;
    }
    for (std::size_t l = whole.size(); l < levels.size(); ++l) {
      whole.push_back(levels[l].extent);
      from.push_back(0);
    }
  }
  LoopCode code = maker.make();
  code.from = std::move(from);
  code.whole = std::move(whole);
  return code;
}

}  // namespace pimento::targets::chip
