#include "pimento/frontend/mlir/nest_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"
#include "pimento/frontend/mlir/access.h"

namespace pimento::frontend {

using kernel::Affine;
namespace affine = mlir::affine;

namespace {

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxStatements = 4096;

const char *const kNestOps =
    "in a nest: affine.for, parallel, if, apply, load, store; scf.for and memref.load/store with affine indices; arith "
    "and math on scalars";

bool isLoad(mlir::Operation &op) {
  return mlir::isa<affine::AffineLoadOp, mlir::memref::LoadOp>(op);
}

bool isStore(mlir::Operation &op) {
  return mlir::isa<affine::AffineStoreOp, mlir::memref::StoreOp>(op);
}

Affine constantForm(std::int64_t x) {
  return {{}, x};
}

bool isConstantForm(const Affine &form) {
  return std::all_of(form.coefficients.begin(), form.coefficients.end(), [](std::int64_t c) { return c == 0; });
}

Diagnostic notAffine(const std::string &what, const Location &where) {
  return unsupported("unsupported-access", where, what,
                     "indices and bounds are sums of loops, sizes and constants, times integer constants");
}

}  // namespace

bool isNestOp(mlir::Operation &op) {
  return mlir::isa<affine::AffineForOp, affine::AffineParallelOp, affine::AffineIfOp, affine::AffineApplyOp,
                   mlir::scf::ForOp>(op) ||
         isLoad(op) || isStore(op);
}

const NestAccess *NestReader::loadOf(mlir::Value value) const {
  const auto it = loads_.find(value);
  return it == loads_.end() ? nullptr : &it->second;
}

std::optional<Affine> NestReader::formOf(mlir::Value value) {
  if (const auto it = forms_.find(value); it != forms_.end()) return it->second;
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !mlir::isa<affine::AffineApplyOp>(op)) return std::nullopt;
  Result<Affine> form = valueForm(value, *op);
  return form ? std::optional<Affine>(*form) : std::nullopt;
}

// ---- Indices ----

Result<Affine> NestReader::valueForm(mlir::Value value, mlir::Operation &user, int depth) {
  if (const auto it = forms_.find(value); it != forms_.end()) return it->second;
  const auto refuse = [&](const std::string &why) {
    return notAffine(fmt::format("an index of '{}' is not affine here: {}", user.getName().getStringRef().str(), why),
                     placeOf(user));
  };
  if (depth > kMaxDepth)
    return unsupported("too-deep", placeOf(user), "an index is computed in too many steps", kNestOps);
  mlir::Operation *op = value.getDefiningOp();
  const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  const bool isOfFunction = argument && mlir::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  if (value.getType().isIndex() &&
      (isOfFunction || (op && (mlir::isa<mlir::memref::DimOp>(op) || constantOf(value))))) {
    if (const auto known = dims_.index(value)) return constantForm(*known);
  }
  if (const auto known = constantOf(value)) return constantForm(known->integer);
  if (!op) return refuse("it is no loop of this nest and no size");
  Result<Affine> result = refuse(fmt::format("it is made by '{}'", op->getName().getStringRef().str()));
  if (auto apply = mlir::dyn_cast<affine::AffineApplyOp>(op)) {
    Forms operands;
    for (const mlir::Value operand : apply.getMapOperands()) {
      Result<Affine> form = valueForm(operand, user, depth + 1);
      if (!form) return form;
      operands.push_back(std::move(*form));
    }
    result = expressionForm(apply.getAffineMap().getResult(0), operands, apply.getAffineMap().getNumDims(), user);
  } else if (mlir::isa<mlir::arith::IndexCastOp>(op)) {
    result = valueForm(op->getOperand(0), user, depth + 1);
  } else if (mlir::isa<mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::MulIOp>(op)) {
    Result<Affine> a = valueForm(op->getOperand(0), user, depth + 1);
    if (!a) return a;
    Result<Affine> b = valueForm(op->getOperand(1), user, depth + 1);
    if (!b) return b;
    std::optional<Affine> form;
    if (!mlir::isa<mlir::arith::MulIOp>(op)) {
      form = plus(*a, *b, mlir::isa<mlir::arith::SubIOp>(op) ? -1 : 1);
    } else {
      if (isConstantForm(*a)) std::swap(*a, *b);
      if (!isConstantForm(*b)) return refuse("it multiplies loops");
      form = plus(constantForm(0), *a, b->constant);
    }
    if (!form) return refuse("a coefficient does not fit 64 bits");
    result = std::move(*form);
  }
  if (!result) return result;
  const unsigned width = value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth();
  if (width < 64) {
    // Arithmetic of narrow integers wraps; forms do not.
    const auto range = rangeOf(*result, extents_);
    const std::int64_t limit = std::int64_t{1} << (width - 1);
    if (!range || range->low < -limit || range->high >= limit) {
      return refuse(fmt::format("'{}' may wrap in its type", op->getName().getStringRef().str()));
    }
  }
  if (width == 64) forms_[value] = *result;
  return result;
}

Result<Affine> NestReader::expressionForm(mlir::AffineExpr expr, const Forms &operands, unsigned dims,
                                          mlir::Operation &user) {
  const auto refuse = [&](const char *why) {
    return notAffine(fmt::format("an index of '{}' is not affine here: {}", user.getName().getStringRef().str(), why),
                     placeOf(user));
  };
  if (const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expr)) return constantForm(constant.getValue());
  if (const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) return operands[dim.getPosition()];
  if (const auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expr)) return operands[dims + symbol.getPosition()];
  const auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(expr);
  Result<Affine> a = expressionForm(binary.getLHS(), operands, dims, user);
  if (!a) return a;
  Result<Affine> b = expressionForm(binary.getRHS(), operands, dims, user);
  if (!b) return b;
  std::optional<Affine> form;
  if (expr.getKind() == mlir::AffineExprKind::Add) {
    form = plus(*a, *b, 1);
  } else if (expr.getKind() == mlir::AffineExprKind::Mul) {
    if (isConstantForm(*a)) std::swap(*a, *b);
    if (!isConstantForm(*b)) return refuse("it multiplies loops");
    form = plus(constantForm(0), *a, b->constant);
  } else {
    if (!isConstantForm(*a) || !isConstantForm(*b) || b->constant <= 0) {
      return refuse("it uses floordiv, ceildiv or mod of a loop");
    }
    const std::int64_t x = a->constant, y = b->constant, rest = x % y, down = x / y - (rest < 0 ? 1 : 0);
    if (expr.getKind() == mlir::AffineExprKind::Mod) return constantForm(rest < 0 ? rest + y : rest);
    return constantForm(expr.getKind() == mlir::AffineExprKind::FloorDiv || rest == 0 ? down : down + 1);
  }
  if (!form) return refuse("a coefficient does not fit 64 bits");
  return std::move(*form);
}

Result<NestReader::Forms> NestReader::mapForms(mlir::AffineMap map, mlir::ValueRange operands, mlir::Operation &user) {
  Forms values, results;
  for (const mlir::Value operand : operands) {
    Result<Affine> form = valueForm(operand, user);
    if (!form) return std::move(form.diagnostics());
    values.push_back(std::move(*form));
  }
  for (const mlir::AffineExpr expr : map.getResults()) {
    Result<Affine> form = expressionForm(expr, values, map.getNumDims(), user);
    if (!form) return std::move(form.diagnostics());
    results.push_back(std::move(*form));
  }
  return results;
}

// ---- Loops ----

Result<bool> NestReader::addLoop(mlir::Value iv, const Forms &lower, const Forms &upper, std::int64_t step,
                                 Scope &scope, mlir::Operation &op) {
  const auto tooLarge = [&] {
    return error("too-large", placeOf(op), "a bound of the loop does not fit 64 bits", "use smaller bounds");
  };
  if (lower.empty() || upper.empty() || step < 1) {
    return unsupported("unsupported-loop", placeOf(op), "the loop has no bound or no positive constant step",
                       "for example: affine.for %i = 0 to 8 step 2");
  }
  // A tile counts from its own first value and needs no guard; other loops count from the lowest value they ever have.
  Affine start = lower.front();
  const bool isTile = lower.size() == 1 && std::any_of(upper.begin(), upper.end(), [&](const Affine &form) {
                        const std::optional<Affine> difference = plus(form, start, -1);
                        return difference && isConstantForm(*difference);
                      });
  const bool isCounted = isTile || (lower.size() == 1 && step != 1);
  if (!isCounted) {
    start = constantForm(std::numeric_limits<std::int64_t>::min());
    for (const Affine &form : lower) {
      const auto range = rangeOf(form, extents_);
      if (!range) return tooLarge();
      start.constant = std::max(start.constant, range->low);
      if (!isConstantForm(form) && step != 1) {
        return unsupported("unsupported-loop", placeOf(op), "a loop with several lower bounds has step 1 only",
                           "count from 0 by 1 and multiply in the index");
      }
    }
  }
  std::int64_t span = std::numeric_limits<std::int64_t>::max();
  for (const Affine &form : upper) {
    const std::optional<Affine> difference = plus(form, start, -1);
    const auto range = difference ? rangeOf(*difference, extents_) : std::nullopt;
    if (!range) return tooLarge();
    span = std::min(span, range->high);
  }
  if (span <= 0) return false;
  const int loop = static_cast<int>(extents_.size());
  extents_.push_back((span - 1) / step + 1);
  Affine value = start;
  value.coefficients.resize(extents_.size(), 0);
  value.coefficients.back() = step;
  forms_[iv] = value;
  scope.loops.push_back(loop);
  const auto guard = [&](const Affine &a, const Affine &b, std::int64_t constant) {
    std::optional<Affine> form = plus(a, b, -1);
    if (!form || __builtin_add_overflow(form->constant, constant, &form->constant)) return false;
    const auto range = rangeOf(*form, extents_);
    if (!range || range->low < 0) scope.guards.push_back(std::move(*form));
    return true;
  };
  bool fits = true;
  if (!isCounted) {
    for (const Affine &form : lower) fits = (isConstantForm(form) || guard(value, form, 0)) && fits;
  }
  // A last step beyond a constant bound is cut off by the extent.
  const bool isFixed = isConstantForm(start);
  for (const Affine &form : upper) fits = ((isFixed && isConstantForm(form)) || guard(form, value, -1)) && fits;
  if (!fits) return tooLarge();
  return true;
}

Status NestReader::readLoop(mlir::Operation &op, const Scope &scope) {
  Forms lower, upper;
  std::int64_t step = 0;
  if (auto loop = mlir::dyn_cast<affine::AffineForOp>(op)) {
    Result<Forms> low = mapForms(loop.getLowerBoundMap(), loop.getLowerBoundOperands(), op);
    if (!low) return std::move(low.diagnostics());
    Result<Forms> high = mapForms(loop.getUpperBoundMap(), loop.getUpperBoundOperands(), op);
    if (!high) return std::move(high.diagnostics());
    lower = std::move(*low);
    upper = std::move(*high);
    step = loop.getStepAsInt();
  } else {
    auto plain = mlir::cast<mlir::scf::ForOp>(op);
    if (const mlir::Type type = plain.getInductionVar().getType(); !type.isIndex() && !type.isInteger(64)) {
      return unsupported("unsupported-loop", placeOf(op),
                         fmt::format("a loop over '{}' is not supported", typeText(type)),
                         "count in index and convert with arith.index_cast");
    }
    Result<Affine> low = valueForm(plain.getLowerBound(), op);
    if (!low) return std::move(low.diagnostics());
    Result<Affine> high = valueForm(plain.getUpperBound(), op);
    if (!high) return std::move(high.diagnostics());
    Result<Affine> by = valueForm(plain.getStep(), op);
    if (!by) return std::move(by.diagnostics());
    if (isConstantForm(*by)) step = by->constant;
    lower.push_back(std::move(*low));
    upper.push_back(std::move(*high));
  }
  auto loop = mlir::cast<mlir::LoopLikeOpInterface>(op);
  mlir::Value iv = loop.getLoopInductionVars()->front();
  Scope inner = scope;
  Result<bool> runs = addLoop(iv, lower, upper, step, inner, op);
  if (!runs) return std::move(runs.diagnostics());
  if (!*runs) {
    if (op.use_empty()) return okStatus();
    return error("bad-size", placeOf(op), "a loop whose result is used never runs", "use its first value directly");
  }
  if (Status s = readBlock(iv.getParentRegion()->front(), inner); !s) return s;
  return readCarried(loop, scope, inner);
}

Status NestReader::readParallel(mlir::Operation &op, Scope scope) {
  auto loop = mlir::cast<affine::AffineParallelOp>(op);
  if (loop.getNumResults() != 0) {
    return unsupported("unsupported-loop", placeOf(op), "affine.parallel with results is not supported",
                       "use affine.for with iter_args");
  }
  for (unsigned d = 0; d < loop.getNumDims(); ++d) {
    Result<Forms> low = mapForms(loop.getLowerBoundMap(d), loop.getLowerBoundsOperands(), op);
    if (!low) return std::move(low.diagnostics());
    Result<Forms> high = mapForms(loop.getUpperBoundMap(d), loop.getUpperBoundsOperands(), op);
    if (!high) return std::move(high.diagnostics());
    Result<bool> runs = addLoop(loop.getIVs()[d], *low, *high, loop.getSteps()[d], scope, op);
    if (!runs) return std::move(runs.diagnostics());
    if (!*runs) return okStatus();
  }
  return readBlock(*loop.getBody(), scope);
}

Status NestReader::readIf(mlir::Operation &op, const Scope &scope) {
  auto branch = mlir::cast<affine::AffineIfOp>(op);
  if (branch.getNumResults() != 0) {
    return unsupported("unsupported-op", placeOf(op), "affine.if with results is not supported",
                       "store in both branches, or use arith.select");
  }
  const mlir::IntegerSet set = branch.getIntegerSet();
  const auto map = mlir::AffineMap::get(set.getNumDims(), set.getNumSymbols(), set.getConstraints(), op.getContext());
  Result<Forms> forms = mapForms(map, branch.getOperands(), op);
  if (!forms) return std::move(forms.diagnostics());
  Scope inner = scope;
  for (unsigned c = 0; c < forms->size(); ++c) {
    inner.guards.push_back((*forms)[c]);
    if (!set.isEq(c)) continue;
    const auto opposite = plus(constantForm(0), (*forms)[c], -1);
    if (opposite) inner.guards.push_back(*opposite);
  }
  if (Status s = readBlock(*branch.getThenBlock(), inner); !s) return s;
  if (!branch.hasElse()) return okStatus();
  if (forms->size() != 1 || set.isEq(0)) {
    return unsupported("unsupported-op", placeOf(op), "affine.if with else has one inequality only",
                       "write the other case as an affine.if of its own");
  }
  Scope other = scope;
  auto negated = plus(constantForm(-1), forms->front(), -1);
  if (!negated) return notAffine("the condition does not fit 64 bits", placeOf(op));
  other.guards.push_back(std::move(*negated));
  return readBlock(*branch.getElseBlock(), other);
}

// ---- Accesses ----

Result<NestAccess> NestReader::accessOf(mlir::Operation &op, const Scope &scope) {
  NestAccess access;
  access.loops = scope.loops;
  access.order = ++order_;
  const mlir::Value memref = isLoad(op) ? op.getOperand(0) : op.getOperand(1);
  const auto buffer = buffers_.find(memref);
  if (buffer == buffers_.end()) {
    return unsupported("unsupported-type", placeOf(op), "the memref is made by an op that is not read", kNestOps);
  }
  access.buffer = buffer->second;
  const unsigned first = isLoad(op) ? 1 : 2;
  const auto indices = op.getOperands().drop_front(first);
  mlir::AffineMap map;
  if (auto load = mlir::dyn_cast<affine::AffineLoadOp>(op)) map = load.getAffineMap();
  if (auto store = mlir::dyn_cast<affine::AffineStoreOp>(op)) map = store.getAffineMap();
  if (!map) map = mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(indices.size()), op.getContext());
  Result<Forms> index = mapForms(map, indices, op);
  if (!index) return std::move(index.diagnostics());
  access.index = std::move(*index);
  return access;
}

Status NestReader::readAccess(mlir::Operation &op, const Scope &scope) {
  if (done_.contains(&op)) return okStatus();
  Result<NestAccess> access = accessOf(op, scope);
  if (!access) return std::move(access.diagnostics());
  if (isLoad(op)) {
    loads_[op.getResult(0)] = std::move(*access);
    return okStatus();
  }
  statements_.push_back({std::move(*access), scope.guards, op.getOperand(0), std::nullopt, placeOf(op)});
  return okStatus();
}

// ---- iter_args ----

/// Finds what each carried value accumulates; emits the statements of those that start here.
Status NestReader::readCarried(mlir::LoopLikeOpInterface loop, const Scope &outer, const Scope &inner) {
  const auto arguments = loop.getRegionIterArgs();
  const auto yields = loop.getYieldedValues();
  for (unsigned r = 0; r < arguments.size(); ++r) {
    const mlir::Value result = loop->getResult(r);
    std::optional<Reduction> reduction;
    if (auto how = accumulationOf(yields[r], arguments[r])) reduction = Reduction{inner, *how, {}};
    const auto chained = chained_.find(yields[r]);
    if (!reduction && chained != chained_.end() && chained->second.origin == arguments[r] && arguments[r].hasOneUse() &&
        yields[r].hasOneUse()) {
      reduction = chained->second;
    }
    if (!reduction) {
      if (result.use_empty() && arguments[r].use_empty()) continue;
      return unsupported("unsupported-reduction", placeOf(*loop), "an iter_args value is no accumulation",
                         "yield add, sub, mul, max or min of the carried value and a term, and use it nowhere else");
    }
    const auto init = mlir::dyn_cast<mlir::BlockArgument>(loop.getInits()[r]);
    auto parent = mlir::dyn_cast_or_null<mlir::LoopLikeOpInterface>(init ? init.getOwner()->getParentOp()
                                                                         : static_cast<mlir::Operation *>(nullptr));
    if (init && parent && llvm::is_contained(parent.getRegionIterArgs(), init)) {
      reduction->origin = init;
      chained_[result] = std::move(*reduction);
      continue;
    }
    if (Status s = emitCarried(loop, r, outer, *reduction); !s) return s;
  }
  return okStatus();
}

/// The store that takes the result and nothing else before it that could see the difference.
mlir::Operation *NestReader::directStore(mlir::LoopLikeOpInterface loop, unsigned result, int first) const {
  const mlir::Value value = loop->getResult(result);
  if (loop->getNumResults() != 1 || !value.hasOneUse()) return nullptr;
  mlir::Operation *store = *value.user_begin();
  if (!isStore(*store) || store->getOperand(0) != value || store->getBlock() != loop->getBlock()) return nullptr;
  for (mlir::Operation *op = loop->getNextNode(); op != store; op = op->getNextNode()) {
    if (op->getNumRegions() != 0 || isLoad(*op) || isStore(*op)) return nullptr;
  }
  const auto target = buffers_.find(store->getOperand(1));
  if (target == buffers_.end()) return nullptr;
  const bool isRead = std::any_of(loads_.begin(), loads_.end(), [&](const auto &load) {
    return load.second.buffer == target->second && load.second.order > first;
  });
  return isRead ? nullptr : store;
}

Status NestReader::emitCarried(mlir::LoopLikeOpInterface loop, unsigned result, const Scope &outer,
                               const Reduction &reduction) {
  const mlir::Value init = loop.getInits()[result], value = loop->getResult(result);
  const NestAccess *start = loadOf(init);
  // Loads of the nest that come after the first value: those inside the loop.
  int first = 0;
  for (auto &[v, access] : loads_) {
    mlir::Value loaded = v;
    if (!loop->isAncestor(loaded.getParentBlock()->getParentOp())) first = std::max(first, access.order);
  }
  NestAccess target;
  mlir::Operation *store = directStore(loop, result, first);
  bool startsThere = false;
  if (store) {
    Result<NestAccess> access = accessOf(*store, outer);
    if (!access) return std::move(access.diagnostics());
    target = std::move(*access);
    const bool isOverwritten =
        start && std::any_of(statements_.begin(), statements_.end(), [&](const NestStatement &s) {
          return s.target.buffer == start->buffer && s.target.order > start->order;
        });
    startsThere = start && !isOverwritten && start->buffer == target.buffer && start->index == target.index &&
                  start->loops == target.loops && init.hasOneUse();
    done_.insert(store);
  } else {
    const auto type = scalarType(value.getType());
    if (!type) {
      return unsupported("unsupported-type", placeOf(*loop),
                         fmt::format("a carried value of type '{}' is not supported", typeText(value.getType())),
                         kNestOps);
    }
    Buffer buffer;
    buffer.type = *type;
    for (const int l : outer.loops) buffer.shape.push_back(extents_[static_cast<std::size_t>(l)]);
    target.buffer = graph_.addBuffer(std::move(buffer));
    target.loops = outer.loops;
    for (const int l : outer.loops) {
      Affine form{std::vector<std::int64_t>(extents_.size(), 0), 0};
      form.coefficients[static_cast<std::size_t>(l)] = 1;
      target.index.push_back(std::move(form));
    }
  }
  if (!startsThere) {
    target.order = ++order_;
    statements_.push_back({target, outer.guards, init, std::nullopt, placeOf(*loop)});
  }
  NestAccess sum = target;
  sum.loops = reduction.scope.loops;
  sum.order = ++order_;
  statements_.push_back({sum, reduction.scope.guards, reduction.how.term, reduction.how, placeOf(*loop)});
  if (!store) {
    target.order = ++order_;
    loads_[value] = std::move(target);
  }
  return okStatus();
}

// ---- Blocks ----

Status NestReader::readOp(mlir::Operation &op, const Scope &scope) {
  if (mlir::isa<affine::AffineForOp, mlir::scf::ForOp>(op)) return readLoop(op, scope);
  if (mlir::isa<affine::AffineParallelOp>(op)) return readParallel(op, scope);
  if (mlir::isa<affine::AffineIfOp>(op)) return readIf(op, scope);
  if (isLoad(op) || isStore(op)) return readAccess(op, scope);
  const bool isQuiet =
      mlir::isa<affine::AffineApplyOp, affine::AffineYieldOp, mlir::scf::YieldOp, mlir::memref::DimOp>(op);
  if (isQuiet || isScalarOp(op)) return okStatus();
  return unsupportedOp(op.getName().getStringRef().str(), placeOf(op), kNestOps);
}

Status NestReader::readBlock(mlir::Block &block, const Scope &scope) {
  for (mlir::Operation &op : block) {
    if (Status s = readOp(op, scope); !s) return s;
    if (statements_.size() > kMaxStatements) {
      return unsupported("too-long", placeOf(op), fmt::format("the nest has more than {} statements", kMaxStatements),
                         "split the function");
    }
  }
  return okStatus();
}

Status NestReader::read(mlir::Operation &op) {
  statements_.clear();
  extents_.clear();
  loaded_ = {};
  if (Status s = readOp(op, {}); !s || !isLoad(op)) return s;
  // Later nests may overwrite the element: its value is kept in a tensor of its own.
  loaded_ = op.getResult(0);
  Buffer buffer;
  buffer.type = graph_.buffer(loads_[loaded_].buffer).type;
  NestAccess copy;
  copy.buffer = graph_.addBuffer(std::move(buffer));
  copy.order = ++order_;
  statements_.push_back({std::move(copy), {}, loaded_, std::nullopt, placeOf(op)});
  return okStatus();
}

void NestReader::settle() {
  if (loaded_) loads_[loaded_] = statements_.front().target;
}

}  // namespace pimento::frontend
