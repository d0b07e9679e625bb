// Loops of nests, and the scalars they carry.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/nest_reader.h"
#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/forms.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;
namespace affine = mlir::affine;

std::vector<Affine> NestReader::guardsAround() const {
  std::vector<Affine> all;
  for (const Guard &guard : guards_)
    if (guard.cases.size() == 1) all.insert(all.end(), guard.cases.front().begin(), guard.cases.front().end());
  return all;
}

void NestReader::within(const Entered &entered) {
  loops_.push_back(entered.loop);
  guards_.push_back({{entered.guards}, -1});
}

void NestReader::leave() {
  loops_.pop_back();
  guards_.pop_back();
}

// ---- Carried scalars ----

NestReader::State NestReader::save() const {
  State state{program_.statements.size(), const_cast<BodyTranslator &>(body_).values(), predicates_, {}};
  for (const std::vector<int> *list : held_) state.held.push_back(*list);
  return state;
}

void NestReader::restore(const State &state) {
  program_.statements.resize(state.statements);
  body_.values() = state.values;
  predicates_ = state.predicates;
  for (std::size_t h = 0; h < held_.size(); ++h) *held_[h] = state.held[h];
}

std::vector<NestReader::Carried> NestReader::scalarsOf(mlir::LoopLikeOpInterface loop) {
  std::vector<Carried> carried;
  const auto arguments = loop.getRegionIterArgs();
  const auto yields = loop.getYieldedValues();
  for (unsigned r = 0; r < arguments.size(); ++r) {
    if (mlir::isa<mlir::ShapedType>(arguments[r].getType())) continue;
    Carried c;
    c.argument = arguments[r];
    c.result = loop->getResult(r);
    c.yielded = yields[r];
    c.isUnused = c.argument.use_empty() && c.result.use_empty();
    carried.push_back(std::move(c));
  }
  return carried;
}

/// Counters: what goes up by a constant is a sum of loops.
void NestReader::countSteps(std::vector<Carried> &carried, const Entered &entered) const {
  for (Carried &c : carried) {
    mlir::Operation *op = c.yielded.getDefiningOp();
    const auto start = pool_.formOf(c.init);
    if (op == nullptr || !start || !mlir::isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(op)) continue;
    const bool isSum = mlir::isa<mlir::arith::AddIOp>(op);
    const unsigned old = op->getOperand(0) == c.argument ? 0 : 1;
    if (op->getOperand(old) != c.argument || (!isSum && old == 1)) continue;
    const auto by = constantOf(op->getOperand(1 - old));
    if (!by) continue;
    const std::int64_t step = isSum ? by->integer : -by->integer;
    const auto value = plus(*start, unit(entered.loop), step), last = plus(*value, Affine{{}, step}, 1);
    const bool fits = last && program_.fits(*value, pool_[c.init].type) && program_.fits(*last, pool_[c.init].type);
    if (fits && (entered.isKnown || c.result.use_empty())) c.step = step;
  }
}

/// Whether the loop goes on with what the loop around it carries, and hands it back.
bool NestReader::isChained(const Carried &c, mlir::Operation &loop) const {
  if (around_ == nullptr || loop.getParentOp() != aroundLoop_) return false;
  const auto outer = std::find_if(around_->begin(), around_->end(), [&](const Carried &o) {
    return o.yielded == c.result && o.buffer >= 0 && !o.isTimed;
  });
  if (outer == around_->end() || !outer->argument.hasOneUse() || !c.result.hasOneUse()) return false;
  mlir::Operation *const user = *outer->argument.user_begin();
  return user == &loop && c.init == elementOf(*outer, outer->index);
}

int NestReader::elementOf(const Carried &c, const std::vector<Affine> &index) const {
  const NestBuffer &b = program_.buffers[static_cast<std::size_t>(c.buffer)];
  return pool_.load(b.type, c.buffer, index, {}, b.where);
}

/// Before the loop: where carried scalars live, and what they start from.
Status NestReader::startCarried(std::vector<Carried> &carried, const Entered &entered, mlir::Operation &op) {
  for (Carried &c : carried) {
    if (c.isUnused || c.step) continue;
    c.isShared = !c.isTimed && isChained(c, op);
    if (c.isShared) {
      const auto outer =
          std::find_if(around_->begin(), around_->end(), [&](const Carried &o) { return o.yielded == c.result; });
      c.buffer = outer->buffer;
      c.index = outer->index;
      continue;
    }
    const std::string name = nameOf(c.argument);
    NestBuffer buffer{name, NestBuffer::Kind::kCarried, pool_[c.init].type, {}, false, false, placeOf(op)};
    c.index.clear();
    for (const int l : loops_) {
      buffer.shape.push_back(program_.loops[static_cast<std::size_t>(l)].extent);
      c.index.push_back(unit(l));
    }
    if (c.isTimed) {
      buffer.shape.push_back(program_.loops[static_cast<std::size_t>(entered.loop)].extent + 1);
    } else if (buffer.shape.empty()) {
      buffer.shape.push_back(1);
    }
    c.index.resize(buffer.shape.size());
    c.buffer = addBuffer(std::move(buffer));
    NestStatement start;
    start.buffer = c.buffer;
    start.index = c.index;
    start.value = c.init;
    emit(std::move(start), op, predicates_.size());
    if (c.isTimed) c.index.back() = unit(entered.loop);
  }
  return okStatus();
}

/// At the end of an iteration. All values are known by now; one may be read from what another changes.
Status NestReader::storeCarried(std::vector<Carried> &carried, mlir::Operation &op, std::vector<int> yields) {
  held_.push_back(&yields);
  for (std::size_t k = 0; k < carried.size(); ++k) {
    Carried &c = carried[k];
    int value = std::exchange(yields[k], -1);
    if (c.buffer < 0 || c.step) continue;
    const int old = elementOf(c, c.index);
    if (value == old && !c.isTimed) continue;
    NestStatement next;
    next.buffer = c.buffer;
    next.index = c.index;
    next.where = placeOf(op);
    if (c.isTimed) next.index.back().constant += 1;
    // c ? x : old stores x where c holds.
    const Expression node = pool_[value];
    const bool isChoice = node.op == Op::kSelect && !c.isTimed && (node.args[1] == old || node.args[2] == old);
    const std::size_t before = predicates_.size();
    if (isChoice) {
      predicates_.push_back(node.args[2] == old ? pool_.isTrue(node.args[0]) : pool_.isFalse(node.args[0]));
      value = node.args[2] == old ? node.args[1] : node.args[2];
    }
    next.value = value;
    emit(std::move(next), *op.getRegion(0).front().getTerminator(), isChoice ? before : predicates_.size());
    predicates_.resize(before);
  }
  held_.pop_back();
  return okStatus();
}

/// Behind the loop.
void NestReader::finishCarried(const std::vector<Carried> &carried, const Entered &entered) {
  const std::int64_t extent = program_.loops[static_cast<std::size_t>(entered.loop)].extent;
  for (const Carried &c : carried) {
    if (c.isUnused) continue;
    if (c.step) {
      Affine last = *pool_.formOf(c.init);
      last.constant += *c.step * extent;
      body_.values()[c.result] = pool_.form(pool_[c.init].type, std::move(last));
      continue;
    }
    std::vector<Affine> last = c.index;
    if (c.isTimed) last.back() = Affine{{}, extent};
    body_.values()[c.result] = elementOf(c, last);
  }
}

// ---- Loops ----

Status NestReader::readLoop(mlir::Operation &op) {
  auto loop = mlir::cast<mlir::LoopLikeOpInterface>(op);
  Result<Bounds> bounds = boundsOf(op);
  if (!bounds) return std::move(bounds.diagnostics());
  std::vector<Carried> carried = scalarsOf(loop);
  for (Carried &c : carried) {
    const unsigned number = mlir::cast<mlir::OpResult>(c.result).getResultNumber();
    Result<int> init = valueOf(loop.getInits()[number], op);
    if (!init) return std::move(init.diagnostics());
    c.init = *init;
  }
  const mlir::Value iv = loop.getLoopInductionVars()->front();
  Result<std::optional<Entered>> entered = enter(iv, *bounds, op);
  if (!entered) return std::move(entered.diagnostics());
  Result<CarriedTensors> tensors = enterTensors(loop);
  if (!tensors) return std::move(tensors.diagnostics());
  if (!*entered) {
    for (const Carried &c : carried) body_.values()[c.result] = c.init;
    for (std::size_t t = 0; t < tensors->positions.size(); ++t)
      bind(op.getResult(tensors->positions[t]), tensors->views[t]);
    return okStatus();
  }
  countSteps(carried, **entered);
  for (bool isDone = false; !std::exchange(isDone, true);) {
    const State state = save();
    if (Status s = startCarried(carried, **entered, op); !s) return s;
    const std::size_t first = program_.statements.size();
    within(**entered);
    for (const Carried &c : carried) {
      if (c.buffer >= 0 && !c.step) body_.values()[c.argument] = elementOf(c, c.index);
      if (c.step) {
        const auto value = plus(*pool_.formOf(c.init), unit((*entered)->loop), *c.step);
        body_.values()[c.argument] = pool_.form(pool_[c.init].type, *value);
      }
    }
    std::vector<Carried> *const outer = std::exchange(around_, &carried);
    mlir::Operation *const outerLoop = std::exchange(aroundLoop_, &op);
    Status done = readBlock(op.getRegion(0).front());
    around_ = outer;
    aroundLoop_ = outerLoop;
    if (!done) return done;
    std::vector<int> yields;
    for (const Carried &c : carried) {
      Result<int> value = c.isUnused ? Result<int>(-1) : valueOf(c.yielded, *op.getRegion(0).front().getTerminator());
      if (!value) return std::move(value.diagnostics());
      yields.push_back(*value);
    }
    if (Status s = storeCarried(carried, op, std::move(yields)); !s) return s;
    if (Status s = yieldTensors(loop, *tensors, **entered, first); !s) return s;
    if (Status s = keepsItsBounds(**entered, first, op); !s) return s;
    leave();
    for (Carried &c : carried) {
      const bool isPlain = c.buffer >= 0 && !c.step && !c.isTimed;
      if (!isPlain || !(*entered)->isKnown || accumulatesOnly(program_, c.buffer, first)) continue;
      c.isTimed = true;
      isDone = false;
    }
    if (!isDone) restore(state);
  }
  finishCarried(carried, **entered);
  return finishTensors(loop, *tensors, **entered);
}

// ---- Parallel loops ----

namespace {

/// What merges the values of the iterations, and what that starts from. None: no such op of kernels.
std::optional<std::pair<Op, kernel::Combine>> mergeOf(mlir::arith::AtomicRMWKind kind) {
  using Kind = mlir::arith::AtomicRMWKind;
  using kernel::Combine;
  switch (kind) {
    case Kind::addf:
    case Kind::addi:
      return std::pair(Op::kAdd, Combine::kAdd);
    case Kind::mulf:
    case Kind::muli:
      return std::pair(Op::kMul, Combine::kMul);
    case Kind::maximumf:
    case Kind::maxnumf:
    case Kind::maxs:
      return std::pair(Op::kMax, Combine::kMax);
    case Kind::minimumf:
    case Kind::minnumf:
    case Kind::mins:
      return std::pair(Op::kMin, Combine::kMin);
    default:
      return std::nullopt;
  }
}

}  // namespace

Status NestReader::readAffineParallel(mlir::Operation &op) {
  auto loop = mlir::cast<affine::AffineParallelOp>(op);
  std::vector<Carried> carried;
  for (unsigned r = 0; r < op.getNumResults(); ++r) {
    const auto kind = mlir::cast<mlir::arith::AtomicRMWKindAttr>(loop.getReductions()[r]).getValue();
    const auto merge = mergeOf(kind);
    const auto type = scalarType(op.getResult(r).getType());
    if (!merge || !type) {
      return unsupported("unsupported-loop", placeOf(op),
                         fmt::format("affine.parallel reduces by '{}', which is not supported",
                                     mlir::arith::stringifyAtomicRMWKind(kind).str()),
                         "reduce by add, mul, max or min of signed or floating values, or use affine.for");
    }
    Carried c;
    c.init = neutral(pool_, merge->second, *type);
    c.result = op.getResult(r);
    carried.push_back(std::move(c));
  }
  if (Status s = startCarried(carried, {}, op); !s) return s;
  unsigned d = 0;
  bool runs = true;
  for (; d < loop.getNumDims() && runs; ++d) {
    Result<std::vector<int>> low = resultsOf(loop.getLowerBoundMap(d), loop.getLowerBoundsOperands(), op);
    if (!low) return std::move(low.diagnostics());
    Result<std::vector<int>> high = resultsOf(loop.getUpperBoundMap(d), loop.getUpperBoundsOperands(), op);
    if (!high) return std::move(high.diagnostics());
    Result<std::optional<Entered>> entered =
        enter(loop.getIVs()[d], {std::move(*low), std::move(*high), loop.getSteps()[d]}, op);
    if (!entered) return std::move(entered.diagnostics());
    runs = entered->has_value();
    if (!runs) break;
    within(**entered);
  }
  Status done = runs ? readBlock(*loop.getBody()) : okStatus();
  if (done && runs && !carried.empty()) done = mergeReductions(op, carried);
  while (d-- > 0) leave();
  for (const Carried &c : carried) body_.values()[c.result] = elementOf(c, c.index);
  return done;
}

/// The values of affine.yield go into what is carried.
Status NestReader::mergeReductions(mlir::Operation &op, const std::vector<Carried> &carried) {
  auto loop = mlir::cast<affine::AffineParallelOp>(op);
  mlir::Operation *const exit = loop.getBody()->getTerminator();
  Result<std::vector<int>> terms = valuesOf(exit->getOperands(), *exit);
  if (!terms) return std::move(terms.diagnostics());
  std::vector<int> values;
  for (unsigned r = 0; r < carried.size(); ++r) {
    const auto kind = mlir::cast<mlir::arith::AtomicRMWKindAttr>(loop.getReductions()[r]).getValue();
    const int old = elementOf(carried[r], carried[r].index);
    values.push_back(pool_.op(mergeOf(kind)->first, pool_[old].type, old, (*terms)[r]));
  }
  std::vector<Carried> copy = carried;
  return storeCarried(copy, op, std::move(values));
}

Status NestReader::readParallel(mlir::Operation &op) {
  auto loop = mlir::cast<mlir::scf::ParallelOp>(op);
  Result<std::vector<int>> low = valuesOf(loop.getLowerBound(), op), high = valuesOf(loop.getUpperBound(), op),
                           step = valuesOf(loop.getStep(), op), inits = valuesOf(loop.getInitVals(), op);
  for (auto *list : {&low, &high, &step, &inits})
    if (!*list) return std::move(list->diagnostics());
  std::vector<Carried> carried;
  for (unsigned r = 0; r < op.getNumResults(); ++r) {
    Carried c;
    c.init = (*inits)[r];
    c.result = op.getResult(r);
    carried.push_back(std::move(c));
  }
  if (Status s = startCarried(carried, {}, op); !s) return s;
  std::size_t d = 0;
  bool runs = true;
  for (; d < low->size(); ++d) {
    Result<std::optional<Entered>> entered =
        enter(loop.getInductionVars()[d], {{(*low)[d]}, {(*high)[d]}, pool_.integerOf((*step)[d]).value_or(0)}, op);
    if (!entered) return std::move(entered.diagnostics());
    runs = entered->has_value();
    if (!runs) break;
    within(**entered);
  }
  Status done = runs ? readBlock(*loop.getBody()) : okStatus();
  if (done && runs) done = readReductions(op, carried);
  while (d-- > 0) leave();
  for (const Carried &c : carried) body_.values()[c.result] = elementOf(c, c.index);
  return done;
}

/// scf.reduce: each region merges a value into what is carried.
Status NestReader::readReductions(mlir::Operation &op, const std::vector<Carried> &carried) {
  auto reduce = mlir::cast<mlir::scf::ReduceOp>(op.getRegion(0).front().getTerminator());
  Result<std::vector<int>> terms = valuesOf(reduce.getOperands(), *reduce);
  if (!terms) return std::move(terms.diagnostics());
  std::vector<int> values;
  for (unsigned r = 0; r < carried.size(); ++r) {
    mlir::Block &block = reduce.getReductions()[r].front();
    body_.values()[block.getArgument(0)] = elementOf(carried[r], carried[r].index);
    body_.values()[block.getArgument(1)] = (*terms)[r];
    if (Status s = readBlock(block); !s) return s;
    Result<int> value = valueOf(block.getTerminator()->getOperand(0), *reduce);
    if (!value) return std::move(value.diagnostics());
    values.push_back(*value);
  }
  std::vector<Carried> copy = carried;
  return storeCarried(copy, op, std::move(values));
}

}  // namespace pimento::frontend
