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

namespace {

constexpr std::size_t kMostLoops = 64;

bool isConstantForm(const Affine &form) {
  return std::all_of(form.coefficients.begin(), form.coefficients.end(), [](std::int64_t c) { return c == 0; });
}

}  // namespace

// ---- Bounds ----

Result<NestReader::Bounds> NestReader::boundsOf(mlir::Operation &op) {
  Bounds bounds;
  if (auto loop = mlir::dyn_cast<affine::AffineForOp>(op)) {
    Result<std::vector<int>> low = resultsOf(loop.getLowerBoundMap(), loop.getLowerBoundOperands(), op);
    if (!low) return std::move(low.diagnostics());
    Result<std::vector<int>> high = resultsOf(loop.getUpperBoundMap(), loop.getUpperBoundOperands(), op);
    if (!high) return std::move(high.diagnostics());
    return Bounds{std::move(*low), std::move(*high), loop.getStepAsInt()};
  }
  auto loop = mlir::cast<mlir::scf::ForOp>(op);
  Result<std::vector<int>> values = valuesOf({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, op);
  if (!values) return std::move(values.diagnostics());
  return Bounds{{(*values)[0]}, {(*values)[1]}, pool_.integerOf((*values)[2]).value_or(0)};
}

/// A bound may be the smallest (upper) or largest (lower) of several.
Result<std::vector<Affine>> NestReader::boundForms(const std::vector<int> &bounds, Op choice, mlir::Operation &op) {
  std::vector<Affine> forms;
  std::vector<int> pending(bounds.rbegin(), bounds.rend());
  while (!pending.empty()) {
    const int e = pending.back();
    pending.pop_back();
    if (const auto form = pool_.formOf(e)) {
      forms.push_back(*form);
      continue;
    }
    const Expression &node = pool_[e];
    if (node.op == choice) {
      pending.insert(pending.end(), {node.args[1], node.args[0]});
      continue;
    }
    std::string sizes;
    bool readsMemory = false;
    pool_.visit(e, [&](int part) {
      const Expression &x = pool_[part];
      if (x.op != Op::kLoad) return;
      const NestBuffer &b = program_.buffers[static_cast<std::size_t>(x.buffer)];
      readsMemory = readsMemory || !b.isScalar;
      if (b.isScalar) sizes += (sizes.empty() ? "" : ",") + b.name + "=64";
    });
    if (!readsMemory && !sizes.empty()) {
      return error("missing-size", placeOf(op), "a bound of the loop is a number that is not known", "--size " + sizes);
    }
    return notAffine(fmt::format("a bound of '{}' is {}", op.getName().getStringRef().str(),
                                 readsMemory ? "loaded from memory" : "no sum of loops and sizes"),
                     op);
  }
  return forms;
}

int NestReader::newLoop(std::int64_t extent, const Location &where) {
  NestLoop loop{fmt::format("d{}", loops_.size()), extent};
  loop.where = where;
  program_.loops.push_back(std::move(loop));
  return static_cast<int>(program_.loops.size()) - 1;
}

/// Makes a loop, and gives its variable a form; none where it never runs.
Result<std::optional<NestReader::Entered>> NestReader::enter(mlir::Value iv, const Bounds &bounds,
                                                             mlir::Operation &op) {
  const auto tooLarge = [&] {
    return error("too-large", placeOf(op), "a bound of the loop does not fit 64 bits", "use smaller bounds");
  };
  const Result<std::vector<Affine>> lower = boundForms(bounds.lower, Op::kMax, op);
  if (!lower) return lower.diagnostics();
  const Result<std::vector<Affine>> upper = boundForms(bounds.upper, Op::kMin, op);
  if (!upper) return upper.diagnostics();
  if (lower->empty() || upper->empty() || bounds.step < 1 || loops_.size() >= kMostLoops) {
    return unsupported("unsupported-loop", placeOf(op),
                       loops_.size() >= kMostLoops ? "loops are nested too deeply"
                                                   : "the loop has no bound or no positive constant step",
                       "for example: affine.for %i = 0 to 8 step 2");
  }
  const std::vector<std::int64_t> extents = program_.extents();
  // A tile counts from its own first value and needs no guard; other loops count from the lowest value they ever have.
  Affine start = lower->front();
  const bool isTile = lower->size() == 1 && std::any_of(upper->begin(), upper->end(), [&](const Affine &form) {
                        const std::optional<Affine> difference = plus(form, start, -1);
                        return difference && isConstantForm(*difference);
                      });
  const bool isCounted = isTile || (lower->size() == 1 && bounds.step != 1);
  if (!isCounted) {
    start = {{}, std::numeric_limits<std::int64_t>::min()};
    for (const Affine &form : *lower) {
      const auto range = rangeUnder(program_, loops_, guardsAround(), form);
      if (!range) return rangeOf(form, extents) ? Result<std::optional<Entered>>(std::nullopt) : tooLarge();
      start.constant = std::max(start.constant, range->low);
      if (!isConstantForm(form) && bounds.step != 1) {
        return unsupported("unsupported-loop", placeOf(op), "a loop with several lower bounds has step 1 only",
                           "count from 0 by 1 and multiply in the index");
      }
    }
  }
  std::int64_t span = std::numeric_limits<std::int64_t>::max();
  for (const Affine &form : *upper) {
    const std::optional<Affine> difference = plus(form, start, -1);
    if (!difference || !rangeOf(*difference, extents)) return tooLarge();
    const auto range = rangeUnder(program_, loops_, guardsAround(), *difference);
    if (!range) return std::optional<Entered>();
    span = std::min(span, range->high);
  }
  if (span <= 0) return std::optional<Entered>();
  Entered entered;
  entered.loop = newLoop((span - 1) / bounds.step + 1, placeOf(op));
  const auto value = plus(start, unit(entered.loop), bounds.step);
  if (!value) return tooLarge();
  body_.values()[iv] = pool_.form(*scalarType(iv.getType()), *value);
  const std::vector<std::int64_t> all = program_.extents();
  const auto guard = [&](const Affine &a, const Affine &b, std::int64_t constant) {
    std::optional<Affine> form = plus(a, b, -1);
    if (!form || __builtin_add_overflow(form->constant, constant, &form->constant)) return false;
    const auto range = rangeOf(*form, all);
    if (!range || range->low < 0) entered.guards.push_back(trimmed(std::move(*form)));
    return true;
  };
  bool fits = true;
  if (!isCounted) {
    for (const Affine &form : *lower) fits = (isConstantForm(form) || guard(*value, form, 0)) && fits;
  }
  // A last step beyond a constant bound is cut off by the extent.
  const bool isFixed = isConstantForm(start);
  for (const Affine &form : *upper) fits = ((isFixed && isConstantForm(form)) || guard(form, *value, -1)) && fits;
  if (!fits) return tooLarge();
  entered.isKnown = entered.guards.empty();
  return std::optional<Entered>(std::move(entered));
}

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

Status NestReader::readAffineParallel(mlir::Operation &op) {
  auto loop = mlir::cast<affine::AffineParallelOp>(op);
  if (loop.getNumResults() != 0) {
    return unsupported("unsupported-loop", placeOf(op), "affine.parallel with results is not supported",
                       "use affine.for with iter_args");
  }
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
  const Status done = runs ? readBlock(*loop.getBody()) : okStatus();
  while (d-- > 0) leave();
  return done;
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
