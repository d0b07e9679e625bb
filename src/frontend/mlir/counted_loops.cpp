#include "pimento/frontend/mlir/counted_loops.h"

#include <optional>
#include <utility>
#include <vector>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace pimento::frontend {

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

std::optional<std::int64_t> constantIn(Value value) {
  llvm::APInt constant;
  constexpr unsigned kMostBits = 60;  // sums of a few do not overflow
  if (!mlir::matchPattern(value, mlir::m_ConstantInt(&constant))) return std::nullopt;
  return constant.getSignificantBits() <= kMostBits ? std::optional(constant.getSExtValue()) : std::nullopt;
}

/// The memref that a view shows.
Value viewedBy(Value memref) {
  while (auto view = memref.getDefiningOp<mlir::ViewLikeOpInterface>()) memref = view.getViewSource();
  return memref;
}

/// Argument number `argument` of the region in front of the condition, plus a constant.
struct Offset {
  unsigned argument = 0;
  std::int64_t by = 0;
};

/// How a loop counts: it goes on while `counter` + `offset` compares so with `bound`.
struct Count {
  unsigned counter = 0;
  std::int64_t step = 0, offset = 0;
  arith::CmpIPredicate predicate = arith::CmpIPredicate::slt;
  Value bound;
};

class Counting {
 public:
  explicit Counting(scf::WhileOp loop) : loop_(loop) {}

  /// Why it does not count; null if it does.
  const char *find(Count &count);
  void hoist();
  /// do ... while: the region behind the condition only hands on.
  bool isDo() {
    mlir::Block &after = *loop_.getAfterBody();
    return &after.front() == after.getTerminator() && llvm::all_of(loop_.getYieldOp().getResults(), [&](Value v) {
      const auto argument = mlir::dyn_cast<mlir::BlockArgument>(v);
      return argument && argument.getOwner() == &after;
    });
  }

 private:
  bool isOutside(Value value) { return !loop_->isAncestor(value.getParentBlock()->getParentOp()); }
  bool isStoredTo(Value memref);
  std::optional<Offset> offsetOf(Value value);
  /// The value before widenings.
  static Value narrow(Value value) {
    while (mlir::isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value;
  }
  const char *findBound(Count &count);
  const char *findStep(Count &count);
  const char *checkOrder(Count &count);

  scf::WhileOp loop_;
};

bool Counting::isStoredTo(Value memref) {
  const auto isMemref = [whole = viewedBy(memref)](Value v) { return viewedBy(v) == whole; };
  return loop_
      ->walk([&](mlir::Operation *op) {
        const bool isLoad = mlir::isa<mlir::memref::LoadOp, mlir::affine::AffineLoadOp>(op);
        const bool isMeant = !isLoad && llvm::any_of(op->getOperands(), isMemref);
        return isMeant ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// What stands in front of the condition, is asked for at least once and always gives the same, stands before the loop.
void Counting::hoist() {
  for (mlir::Operation &op : llvm::make_early_inc_range(loop_.getBeforeBody()->without_terminator())) {
    if (!llvm::all_of(op.getOperands(), [&](Value v) { return isOutside(v); }) || op.getNumRegions() != 0) continue;
    const bool isLoad = mlir::isa<mlir::memref::LoadOp, mlir::affine::AffineLoadOp>(op);
    if (mlir::isMemoryEffectFree(&op) || (isLoad && !isStoredTo(op.getOperand(0)))) op.moveBefore(loop_);
  }
  // Constants behind the condition name the step.
  for (mlir::Operation &op : llvm::make_early_inc_range(loop_.getAfterBody()->without_terminator()))
    if (mlir::isa<arith::ConstantOp>(op)) op.moveBefore(loop_);
}

std::optional<Offset> Counting::offsetOf(Value value) {
  std::int64_t by = 0;
  for (;;) {
    if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      if (argument.getOwner() == loop_.getBeforeBody()) return Offset{argument.getArgNumber(), by};
      if (argument.getOwner() != loop_.getAfterBody()) return std::nullopt;
      value = loop_.getConditionOp().getArgs()[argument.getArgNumber()];
      continue;
    }
    mlir::Operation *const op = value.getDefiningOp();
    if (isOutside(value) || !mlir::isa<arith::AddIOp, arith::SubIOp>(op)) return std::nullopt;
    const bool isSum = mlir::isa<arith::AddIOp>(op);
    const bool isMirrored = isSum && constantIn(op->getOperand(0)).has_value();
    const auto constant = constantIn(op->getOperand(isMirrored ? 0 : 1));
    if (!constant || __builtin_add_overflow(by, isSum ? *constant : -*constant, &by)) return std::nullopt;
    value = op->getOperand(isMirrored ? 1 : 0);
  }
}

const char *Counting::findBound(Count &count) {
  auto compare = loop_.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || isOutside(compare)) return "its condition is no comparison of integers";
  using P = arith::CmpIPredicate;
  count.predicate = compare.getPredicate();
  Value counter = compare.getLhs();
  count.bound = compare.getRhs();
  if (isOutside(counter)) {
    std::swap(counter, count.bound);
    switch (count.predicate) {
      case P::slt:
        count.predicate = P::sgt;
        break;
      case P::sle:
        count.predicate = P::sge;
        break;
      case P::sgt:
        count.predicate = P::slt;
        break;
      case P::sge:
        count.predicate = P::sle;
        break;
      case P::ult:
        count.predicate = P::ugt;
        break;
      case P::ule:
        count.predicate = P::uge;
        break;
      case P::ugt:
        count.predicate = P::ult;
        break;
      case P::uge:
        count.predicate = P::ule;
        break;
      default:
        break;
    }
  }
  if (!isOutside(count.bound)) return "its condition compares with what the loop changes";
  const auto offset = offsetOf(narrow(counter));
  if (!offset) return "its condition does not compare a carried integer that moves by a constant";
  count.counter = offset->argument;
  count.offset = offset->by;
  return nullptr;
}

const char *Counting::findStep(Count &count) {
  const auto step = offsetOf(loop_.getYieldOp().getResults()[count.counter]);
  if (!step || step->argument != count.counter || step->by == 0)
    return "the integer in its condition does not move by a constant";
  count.step = step->by;
  return nullptr;
}

/// The order must be that of the step, and stay so for unsigned numbers and `ne`.
const char *Counting::checkOrder(Count &count) {
  using P = arith::CmpIPredicate;
  constexpr const char *kAway = "it moves away from its bound";
  const auto start = constantIn(loop_.getInits()[count.counter]), end = constantIn(count.bound);
  if (count.predicate == P::ne) {
    const bool meets = start && end && (*end - *start - count.offset) % count.step == 0 &&
                       (*end - *start - count.offset) / count.step >= 0;
    if (!meets)
      return "whether `ne` ends it is not known: its first value and its bound must be constants; compare by slt";
    count.predicate = count.step > 0 ? P::slt : P::sgt;
  }
  const bool isUnsigned =
      count.predicate == P::ult || count.predicate == P::ule || count.predicate == P::ugt || count.predicate == P::uge;
  if (isUnsigned) {
    const bool isSame = count.step > 0 && start && *start + count.offset >= 0 && end && *end >= 0;
    if (!isSame) return "its condition compares unsigned numbers that may be negative; compare by slt";
    count.predicate = count.predicate == P::ult ? P::slt : count.predicate == P::ule ? P::sle : P::sgt;
  }
  const bool isUp = count.predicate == P::slt || count.predicate == P::sle;
  const bool isDown = count.predicate == P::sgt || count.predicate == P::sge;
  if (!isUp && !isDown) return "its condition compares by `eq`";
  return isUp == (count.step > 0) ? nullptr : kAway;
}

const char *Counting::find(Count &count) {
  if (const char *why = findBound(count)) return why;
  if (const char *why = findStep(count)) return why;
  if (const char *why = checkOrder(count)) return why;
  if (!isDo()) {
    const bool isFree = llvm::all_of(loop_.getBeforeBody()->without_terminator(),
                                     [](mlir::Operation &op) { return mlir::isMemoryEffectFree(&op); });
    return isFree ? nullptr : "what stands in front of its condition reads or writes memory that the loop changes";
  }
  // Results are what the last round yields.
  for (const Value result : loop_.getResults()) {
    const unsigned r = mlir::cast<mlir::OpResult>(result).getResultNumber();
    const bool isYielded = llvm::is_contained(loop_.getYieldOp().getResults(), Value(loop_.getAfterArguments()[r]));
    if (!result.use_empty() && !isYielded) return "its result is none of the values that it carries";
  }
  return nullptr;
}

// ---- Rewriting ----

class Rewriting {
 public:
  Rewriting(scf::WhileOp loop, const Count &count, bool isDo)
      : loop_(loop), count_(count), isDo_(isDo), at_(loop.getLoc()), build_(loop) {}

  void run();

 private:
  Value number(std::int64_t x) { return build_.create<arith::ConstantOp>(at_, build_.getIntegerAttr(type(), x)); }
  mlir::Type type() const { return count_.bound.getType(); }
  Value add(Value x, std::int64_t by) { return by == 0 ? x : build_.create<arith::AddIOp>(at_, x, number(by)); }
  Value cast(Value x, mlir::Type to);
  void findBounds();
  void copy(mlir::Block &from, mlir::OpBuilder &to, mlir::IRMapping &values);
  Value counterAt(mlir::OpBuilder &inside, Value iv);
  void fill(scf::ForOp made);
  void replaceResults(scf::ForOp made);

  scf::WhileOp loop_;
  const Count &count_;
  bool isDo_;
  mlir::Location at_;
  mlir::OpBuilder build_;
  Value first_, lower_, upper_;  ///< of the counter, of the loop; in the type of the comparison
};

Value Rewriting::cast(Value x, mlir::Type to) {
  if (x.getType() == to) return x;
  if (x.getType().isIndex() || to.isIndex()) return build_.create<arith::IndexCastOp>(at_, to, x);
  if (x.getType().getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return build_.create<arith::ExtSIOp>(at_, to, x);
  return build_.create<arith::TruncIOp>(at_, to, x);
}

/// Up: from the first value to the bound. Down: as many as lie between them, from 0.
void Rewriting::findBounds() {
  using P = arith::CmpIPredicate;
  const bool isUp = count_.step > 0, isEqual = count_.predicate == P::sle || count_.predicate == P::sge;
  // The condition asks at the end of a round of a do loop: before the next one, that is, with the step taken.
  const std::int64_t offset = count_.offset - (isDo_ ? count_.step : 0), last = isEqual ? 1 : 0;
  first_ = cast(loop_.getInits()[count_.counter], type());
  if (isUp) {
    lower_ = first_;
    upper_ = add(count_.bound, last - offset);
  } else {
    lower_ = number(0);
    upper_ = add(build_.create<arith::SubIOp>(at_, first_, count_.bound), offset + last);
  }
  if (isDo_) upper_ = build_.create<arith::MaxSIOp>(at_, upper_, add(lower_, 1));
}

void Rewriting::copy(mlir::Block &from, mlir::OpBuilder &to, mlir::IRMapping &values) {
  for (mlir::Operation &op : from.without_terminator()) to.clone(op, values);
}

Value Rewriting::counterAt(mlir::OpBuilder &inside, Value iv) {
  const mlir::OpBuilder::InsertionGuard guard(build_);
  build_.setInsertionPoint(inside.getInsertionBlock(), inside.getInsertionPoint());
  if (count_.step < 0) iv = build_.create<arith::SubIOp>(at_, first_, iv);
  return cast(iv, loop_.getInits()[count_.counter].getType());
}

void Rewriting::fill(scf::ForOp made) {
  mlir::Block &body = *made.getBody();
  if (!body.empty() && body.back().hasTrait<mlir::OpTrait::IsTerminator>()) body.back().erase();
  mlir::OpBuilder inside = mlir::OpBuilder::atBlockEnd(&body);
  mlir::IRMapping values;
  for (unsigned a = 0; a < made.getRegionIterArgs().size(); ++a)
    values.map(loop_.getBeforeArguments()[a], made.getRegionIterArgs()[a]);
  const Value counter = loop_.getBeforeArguments()[count_.counter];
  values.map(counter, counterAt(inside, made.getInductionVar()));
  copy(*loop_.getBeforeBody(), inside, values);
  for (unsigned a = 0; a < loop_.getAfterArguments().size(); ++a)
    values.map(loop_.getAfterArguments()[a], values.lookupOrDefault(loop_.getConditionOp().getArgs()[a]));
  copy(*loop_.getAfterBody(), inside, values);
  llvm::SmallVector<Value> yields;
  for (const Value y : loop_.getYieldOp().getResults()) yields.push_back(values.lookupOrDefault(y));
  // As a sum of what is carried: the nest reader knows such counters.
  const Value carried = made.getRegionIterArgs()[count_.counter];
  auto step = inside.create<arith::ConstantOp>(at_, inside.getIntegerAttr(carried.getType(), count_.step));
  yields[count_.counter] = inside.create<arith::AddIOp>(at_, carried, step);
  inside.create<scf::YieldOp>(at_, yields);
}

void Rewriting::replaceResults(scf::ForOp made) {
  mlir::IRMapping values;
  if (isDo_) {
    const auto yields = loop_.getYieldOp().getResults();
    for (unsigned y = 0; y < yields.size(); ++y) values.map(yields[y], made.getResult(y));
    for (unsigned r = 0; r < loop_.getNumResults(); ++r)
      if (!loop_.getResult(r).use_empty())
        loop_.getResult(r).replaceAllUsesWith(values.lookup(Value(loop_.getAfterArguments()[r])));
    return;
  }
  for (unsigned a = 0; a < made.getNumResults(); ++a) values.map(loop_.getBeforeArguments()[a], made.getResult(a));
  std::vector<mlir::Operation *> copies;
  for (mlir::Operation &op : loop_.getBeforeBody()->without_terminator()) copies.push_back(build_.clone(op, values));
  for (unsigned r = 0; r < loop_.getNumResults(); ++r)
    loop_.getResult(r).replaceAllUsesWith(values.lookupOrDefault(loop_.getConditionOp().getArgs()[r]));
  for (std::size_t c = copies.size(); c-- > 0;)
    if (copies[c]->use_empty()) copies[c]->erase();
}

void Rewriting::run() {
  findBounds();
  const Value step = number(count_.step > 0 ? count_.step : -count_.step);
  auto made = build_.create<scf::ForOp>(at_, lower_, upper_, step, loop_.getInits());
  made->setDiscardableAttrs(loop_->getDiscardableAttrDictionary());
  fill(made);
  replaceResults(made);
  loop_.erase();
}

}  // namespace

void countLoops(mlir::func::FuncOp function) {
  std::vector<scf::WhileOp> loops;  // inner ones first
  function.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops) {
    Counting counting(loop);
    counting.hoist();
    Count count;
    if (counting.find(count) == nullptr) Rewriting(loop, count, counting.isDo()).run();
  }
}

std::string whyUncounted(scf::WhileOp loop) {
  Count count;
  const char *const why = Counting(loop).find(count);
  return why != nullptr ? why : "it is nested in a loop that does not count";
}

}  // namespace pimento::frontend
