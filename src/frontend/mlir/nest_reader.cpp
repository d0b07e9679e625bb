#include "pimento/frontend/mlir/nest_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IntegerSet.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/counted_loops.h"
#include "pimento/frontend/nest/conditions.h"
#include "pimento/frontend/nest/schedule.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;
namespace affine = mlir::affine;

namespace {

constexpr std::size_t kMaxStatements = 4096;

const char *const kNestOps =
    "ops in a nest: affine and scf for, parallel, if; scf.forall; loads, stores, slices and copies of memrefs and "
    "tensors; linalg "
    "ops; "
    "arith and math on scalars";

bool isLoad(mlir::Operation &op) {
  return mlir::isa<affine::AffineLoadOp, mlir::memref::LoadOp, mlir::tensor::ExtractOp>(op);
}

bool isStore(mlir::Operation &op) {
  return mlir::isa<affine::AffineStoreOp, mlir::memref::StoreOp>(op);
}

bool isLoop(mlir::Operation &op) {
  return mlir::isa<affine::AffineForOp, affine::AffineParallelOp, mlir::scf::ForOp, mlir::scf::ParallelOp,
                   mlir::scf::ForallOp>(op);
}

bool isBranch(mlir::Operation &op) {
  return mlir::isa<affine::AffineIfOp, mlir::scf::IfOp>(op);
}

bool isIndexOp(mlir::Operation &op) {
  return mlir::isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op);
}

}  // namespace

bool isViewOp(mlir::Operation &op) {
  return mlir::isa<mlir::memref::SubViewOp, mlir::memref::ExpandShapeOp, mlir::memref::CollapseShapeOp,
                   mlir::tensor::ExtractSliceOp, mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp>(op);
}

bool isNestOp(mlir::Operation &op) {
  return isLoop(op) || isBranch(op) || isLoad(op) || isStore(op) || isIndexOp(op) || isViewOp(op) ||
         mlir::isa<mlir::tensor::InsertOp, mlir::tensor::InsertSliceOp>(op);
}

NestReader::NestReader(NestProgram &program, Function function)
    : NestRecorder(program), function_(std::move(function)), sink_(pool_), body_(sink_, program.where) {}

std::string NestReader::nameOf(mlir::Value value) const {
  return function_.parsed.identifierOf(value);
}

Diagnostic NestReader::notAffine(const std::string &what, mlir::Operation &op) const {
  return unsupported("unsupported-access", placeOf(op), what,
                     "indices and bounds are sums of loops, sizes and constants, times integer constants; one index of "
                     "an element may come from data");
}

// ---- Scalars ----

Result<int> NestReader::valueOf(mlir::Value value, mlir::Operation &user) {
  auto &known = body_.values();
  if (const auto it = known.find(value); it != known.end()) return it->second;
  if (const auto constant = constantOf(value)) {
    const auto type = scalarType(value.getType());
    return isFloat(*type) ? pool_.real(*type, constant->real) : pool_.integer(*type, constant->integer);
  }
  if (const auto size = function_.dims.index(value)) return pool_.integer(*scalarType(value.getType()), *size);
  if (const auto scalar = function_.scalars.find(value); scalar != function_.scalars.end()) {
    const int buffer = programBuffer(scalar->second);
    return pool_.load(function_.graph.buffer(scalar->second).type, buffer, {}, {}, placeOf(user));
  }
  // Scalar ops at the top of the function are read when they are needed.
  mlir::Operation *op = value.getDefiningOp();
  if (op != nullptr && isScalarOp(*op)) {
    for (const mlir::Value operand : op->getOperands()) {
      Result<int> x = valueOf(operand, user);
      if (!x) return x;
      known[operand] = *x;
    }
    if (Status s = body_.translateNow(*op); !s) return std::move(s.diagnostics());
    return known[value];
  }
  return notAffine(fmt::format("'{}' needs a value that is {}", user.getName().getStringRef().str(),
                               op != nullptr ? fmt::format("made by '{}'", op->getName().getStringRef().str())
                                             : std::string("neither a loop of this nest nor a size")),
                   user);
}

Result<std::vector<int>> NestReader::valuesOf(mlir::ValueRange values, mlir::Operation &user) {
  std::vector<int> found;
  for (const mlir::Value value : values) {
    Result<int> x = valueOf(value, user);
    if (!x) return std::move(x.diagnostics());
    found.push_back(*x);
  }
  return found;
}

Result<int> NestReader::expressionOf(mlir::AffineExpr expr, const std::vector<int> &operands, unsigned dims,
                                     mlir::Operation &user) {
  constexpr DType kType = DType::kI64;
  if (const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expr))
    return pool_.integer(kType, constant.getValue());
  if (const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) return operands[dim.getPosition()];
  if (const auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expr)) return operands[dims + symbol.getPosition()];
  const auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(expr);
  Result<int> a = expressionOf(binary.getLHS(), operands, dims, user);
  if (!a) return a;
  Result<int> b = expressionOf(binary.getRHS(), operands, dims, user);
  if (!b) return b;
  if (expr.getKind() == mlir::AffineExprKind::Add) return pool_.op(Op::kAdd, kType, *a, *b);
  if (expr.getKind() == mlir::AffineExprKind::Mul) return pool_.op(Op::kMul, kType, *a, *b);
  const auto divisor = pool_.integerOf(*b), constant = pool_.integerOf(*a);
  const auto form = pool_.formOf(*a);
  if (!divisor || *divisor <= 0 || (!constant && !(form && program_.fits(*form, DType::kU64)))) {
    return notAffine(fmt::format("an index of '{}' uses floordiv, ceildiv or mod of a value that may be negative",
                                 user.getName().getStringRef().str()),
                     user);
  }
  if (constant) {
    const std::int64_t x = *constant, y = *divisor, rest = x % y, down = x / y - (rest < 0 ? 1 : 0);
    if (expr.getKind() == mlir::AffineExprKind::Mod) return pool_.integer(kType, rest < 0 ? rest + y : rest);
    return pool_.integer(kType, expr.getKind() == mlir::AffineExprKind::FloorDiv || rest == 0 ? down : down + 1);
  }
  if (expr.getKind() == mlir::AffineExprKind::Mod) return pool_.op(Op::kRem, kType, *a, *b);
  if (expr.getKind() == mlir::AffineExprKind::FloorDiv) return pool_.op(Op::kDiv, kType, *a, *b);
  return pool_.op(Op::kDiv, kType, pool_.op(Op::kAdd, kType, *a, pool_.integer(kType, *divisor - 1)), *b);
}

Result<std::vector<int>> NestReader::resultsOf(mlir::AffineMap map, mlir::ValueRange operands, mlir::Operation &user) {
  Result<std::vector<int>> values = valuesOf(operands, user);
  if (!values) return values;
  std::vector<int> results;
  for (const mlir::AffineExpr expr : map.getResults()) {
    Result<int> x = expressionOf(expr, *values, map.getNumDims(), user);
    if (!x) return std::move(x.diagnostics());
    results.push_back(*x);
  }
  return results;
}

// ---- What is stored ----

/// Whether the value is asked for once `op` has run (again).
bool NestReader::isUsedAfter(mlir::Value value, mlir::Operation &op) const {
  mlir::Block *const home = value.getParentBlock();
  mlir::Operation *const here = home->findAncestorOpInBlock(op);
  if (here == nullptr) return false;  // its block is done
  return std::any_of(value.user_begin(), value.user_end(), [&](mlir::Operation *user) {
    mlir::Operation *const there = home->findAncestorOpInBlock(*user);
    if (there == nullptr) return false;
    return there == here ? user != &op || &op != here : here->isBeforeInBlock(there);
  });
}

/// Before `buffer` (of the program) is written by `op`: what was read from it and is still needed.
void NestReader::keepOldValues(int buffer, mlir::Operation &op) {
  std::map<int, int> kept;
  for (auto &[value, e] : body_.values()) {
    if (pool_.isConstant(e) || !isUsedAfter(value, op)) continue;
    keepOld(buffer, e, nameOf(value), kernelName_, kept);
  }
  for (std::vector<int> *list : held_)
    for (int &e : *list)
      if (e >= 0) keepOld(buffer, e, "kept", kernelName_, kept);
  for (int &predicate : predicates_) keepOld(buffer, predicate, "condition", kernelName_, kept);
}

/// `predicates`: how many of the conditions around need not be asked.
void NestReader::emit(NestStatement s, mlir::Operation &op, std::size_t predicates) {
  s.loops = loops_;
  s.predicate = predicateFrom(predicates);
  s.function = kernelName_;
  if (s.where.line == 0) s.where = placeOf(op);
  if (s.predicate >= 0 && pool_.integerOf(s.predicate) == 0) return;
  for (Affine &form : s.index) form = trimmed(std::move(form));
  keepOldValues(s.buffer, op);
  emitGuarded(std::move(s));
}

Status NestReader::readLoad(mlir::Operation &op) {
  Result<View> view = viewOf(op.getOperand(0), op);
  if (!view) return std::move(view.diagnostics());
  const auto indices = op.getOperands().drop_front(1);
  auto load = mlir::dyn_cast<affine::AffineLoadOp>(op);
  Result<std::vector<int>> at = load ? resultsOf(load.getAffineMap(), indices, op) : valuesOf(indices, op);
  if (!at) return std::move(at.diagnostics());
  Result<int> element = elementOf(*view, *at, op);
  if (!element) return std::move(element.diagnostics());
  body_.values()[op.getResult(0)] = *element;
  return okStatus();
}

Status NestReader::readStore(mlir::Operation &op) {
  Result<View> view = viewOf(op.getOperand(1), op);
  if (!view) return std::move(view.diagnostics());
  const auto indices = op.getOperands().drop_front(2);
  auto store = mlir::dyn_cast<affine::AffineStoreOp>(op);
  Result<std::vector<int>> at = store ? resultsOf(store.getAffineMap(), indices, op) : valuesOf(indices, op);
  if (!at) return std::move(at.diagnostics());
  Result<NestStatement> s = targetAt(*view, *at, op);
  if (!s) return std::move(s.diagnostics());
  Result<int> value = valueOf(op.getOperand(0), op);
  if (!value) return std::move(value.diagnostics());
  s->value = *value;
  emit(std::move(*s), op);
  return okStatus();
}

// ---- Branches ----

/// The condition of an affine.if, or of an scf.if, as 0 or 1.
Result<int> NestReader::truthOf(mlir::Operation &op) {
  auto branch = mlir::dyn_cast<affine::AffineIfOp>(op);
  if (!branch) return valueOf(op.getOperand(0), op);
  const mlir::IntegerSet set = branch.getIntegerSet();
  const auto map = mlir::AffineMap::get(set.getNumDims(), set.getNumSymbols(), set.getConstraints(), op.getContext());
  Result<std::vector<int>> values = resultsOf(map, branch.getOperands(), op);
  if (!values) return std::move(values.diagnostics());
  int truth = -1;
  for (unsigned c = 0; c < values->size(); ++c) {
    const int zero = pool_.integer(DType::kI64, 0);
    truth = pool_.both(truth, pool_.op(set.isEq(c) ? Op::kCmpEq : Op::kCmpGe, DType::kU8, (*values)[c], zero));
  }
  return truth < 0 ? pool_.integer(DType::kU8, 1) : truth;
}

Status NestReader::readIf(mlir::Operation &op) {
  for (const mlir::Value result : op.getResults()) {
    if (!mlir::isa<mlir::ShapedType>(result.getType())) continue;
    return unsupported("unsupported-op", placeOf(op), "a branch whose results are tensors or memrefs is not supported",
                       "store in both branches, or choose elements with arith.select");
  }
  Result<int> truth = truthOf(op);
  if (!truth) return std::move(truth.diagnostics());
  if (auto branch = mlir::dyn_cast<affine::AffineIfOp>(op))
    return readSides(op, *truth, branch.getThenBlock(), branch.hasElse() ? branch.getElseBlock() : nullptr);
  auto branch = mlir::cast<mlir::scf::IfOp>(op);
  return readSides(op, *truth, branch.thenBlock(), branch.elseBlock());
}

/// One side of a branch, and what it yields.
Status NestReader::readSide(mlir::Block *block, int predicate, const DisjointGuards *guards, std::vector<int> &yields,
                            int &predicateAfter) {
  predicateAfter = predicate;
  if (block == nullptr || (guards != nullptr && guards->empty())) return okStatus();
  if (guards != nullptr) {
    guards_.push_back({*guards, predicate});
  } else {
    predicates_.push_back(predicate);
  }
  Status s = readBlock(*block);
  if (s) {
    Result<std::vector<int>> values = valuesOf(block->getTerminator()->getOperands(), *block->getTerminator());
    if (values) yields = std::move(*values);
    if (!values) s = std::move(values.diagnostics());
  }
  if (guards != nullptr) {
    guards_.pop_back();
  } else {
    predicateAfter = predicates_.back();  // stores may have changed what it was made of; then it was kept
    predicates_.pop_back();
  }
  return s;
}

Status NestReader::readSides(mlir::Operation &op, int truth, mlir::Block *onTrue, mlir::Block *onFalse) {
  truth = pool_.isTrue(truth);
  std::vector<int> first, second;
  int after = -1;
  if (const auto known = pool_.integerOf(truth)) {
    // A choice that is made by now.
    const DisjointGuards always{{}};
    if (Status s = readSide(*known != 0 ? onTrue : onFalse, truth, &always, first, after); !s) return s;
    for (unsigned r = 0; r < op.getNumResults(); ++r) body_.values()[op.getResult(r)] = first[r];
    return okStatus();
  }
  const auto cases = disjointGuards(pool_, truth);
  const auto others = cases ? disjointGuards(pool_, pool_.isFalse(truth)) : std::nullopt;
  const bool isAffine = cases && others;
  if (Status s = readSide(onTrue, truth, isAffine ? &*cases : nullptr, first, after); !s) return s;
  if (!isAffine) truth = after;
  std::vector<int> condition{truth};
  held_.push_back(&first);
  held_.push_back(&condition);
  Status s = readSide(onFalse, pool_.isFalse(truth), isAffine ? &*others : nullptr, second, after);
  held_.resize(held_.size() - 2);
  if (!s) return s;
  truth = condition.front();
  for (unsigned r = 0; r < op.getNumResults(); ++r) {
    // A side that never runs gives nothing.
    if (first.empty() || second.empty()) {
      body_.values()[op.getResult(r)] = first.empty() ? second[r] : first[r];
    } else {
      body_.values()[op.getResult(r)] = pool_.op(Op::kSelect, pool_[first[r]].type, truth, first[r], second[r]);
    }
  }
  return okStatus();
}

// ---- Blocks ----

/// Whether something from before `op` that is still needed reads one of the buffers.
bool NestReader::readsAny(const State &state, const std::set<int> &buffers, mlir::Operation &op) const {
  const auto reads = [&](int e) {
    return e >= 0 &&
           pool_.contains(e, [&](const Expression &x) { return x.op == Op::kLoad && buffers.contains(x.buffer); });
  };
  for (const auto &[value, e] : state.values)
    if (!pool_.isConstant(e) && reads(e) && isUsedAfter(value, op)) return true;
  for (const std::vector<int> &list : state.held)
    if (std::any_of(list.begin(), list.end(), reads)) return true;
  return std::any_of(state.predicates.begin(), state.predicates.end(), reads);
}

/// An op with loops or conditions of its own. Values from before it that it would change under our hands are kept
/// before it, not in it.
Status NestReader::readNested(mlir::Operation &op) {
  for (;;) {
    const State state = save();
    Status done = mlir::isa<mlir::scf::ParallelOp>(op)         ? readParallel(op)
                  : mlir::isa<affine::AffineParallelOp>(op)    ? readAffineParallel(op)
                  : mlir::isa<mlir::scf::ForallOp>(op)         ? readForall(op)
                  : isLoop(op)                                 ? readLoop(op)
                  : isBranch(op)                               ? readIf(op)
                  : mlir::isa<mlir::memref::CopyOp>(op)        ? readCopy(op)
                  : mlir::isa<mlir::tensor::InsertSliceOp>(op) ? readInsertSlice(op)
                                                               : readStructured(mlir::cast<mlir::linalg::LinalgOp>(op));
    if (!done) return done;
    std::set<int> stored;
    for (std::size_t s = state.statements; s < program_.statements.size(); ++s)
      stored.insert(program_.statements[s].buffer);
    if (!readsAny(state, stored, op)) return okStatus();
    restore(state);
    for (const int buffer : stored) keepOldValues(buffer, op);
  }
}

/// A name for a kernel of an op that says its mapping and no name: "matmul".
std::string NestReader::freshName(mlir::Operation &op) const {
  const std::string full = op.getName().getStringRef().str(), stem = full.substr(full.find('.') + 1);
  std::string name = stem;
  for (int n = 1; !function_.graph.mappingOf(name).empty(); ++n) name = fmt::format("{}_{}", stem, n);
  return name;
}

Status NestReader::readOp(mlir::Operation &op) {
  const auto name = op.getAttrOfType<mlir::StringAttr>("pimento.kernel");
  const auto mapping = op.getAttrOfType<mlir::StringAttr>("pimento.mapping");
  const std::string outerName = kernelName_;
  if (name) kernelName_ = name.str();
  const bool isNested = !mlir::isa<mlir::func::FuncOp>(op.getParentOp());  // else the importer knows its kernel
  if (!name && mapping && isNested) kernelName_ = freshName(op);
  if (mapping && (name || isNested)) function_.graph.noteMapping(kernelName_, mapping.str());
  Status done = readPlain(op);
  kernelName_ = outerName;
  return done;
}

Status NestReader::readPlain(mlir::Operation &op) {
  const bool isNested = isLoop(op) || isBranch(op) ||
                        mlir::isa<mlir::linalg::LinalgOp, mlir::tensor::InsertSliceOp, mlir::memref::CopyOp>(op);
  if (isNested) return readNested(op);
  if (isLoad(op)) return readLoad(op);
  if (isStore(op)) return readStore(op);
  if (isViewOp(op)) return readView(op);
  if (mlir::isa<mlir::tensor::InsertOp>(op)) return readInsert(op);
  if (mlir::isa<mlir::tensor::ParallelInsertSliceOp>(op)) return readParallelInsert(op);
  if (mlir::isa<mlir::memref::AllocOp, mlir::memref::AllocaOp, mlir::tensor::EmptyOp>(op)) return readAllocation(op);
  if (isIndexOp(op)) {
    mlir::AffineMap map;
    if (auto apply = mlir::dyn_cast<affine::AffineApplyOp>(op)) map = apply.getAffineMap();
    if (auto least = mlir::dyn_cast<affine::AffineMinOp>(op)) map = least.getAffineMap();
    if (auto most = mlir::dyn_cast<affine::AffineMaxOp>(op)) map = most.getAffineMap();
    Result<std::vector<int>> values = resultsOf(map, op.getOperands(), op);
    if (!values) return std::move(values.diagnostics());
    int all = values->front();
    const Op choice = mlir::isa<affine::AffineMinOp>(op) ? Op::kMin : Op::kMax;
    for (std::size_t v = 1; v < values->size(); ++v) all = pool_.op(choice, DType::kI64, all, (*values)[v]);
    body_.values()[op.getResult(0)] = all;
    return okStatus();
  }
  const bool isQuiet = mlir::isa<affine::AffineYieldOp, mlir::scf::YieldOp, mlir::scf::ReduceOp,
                                 mlir::scf::ReduceReturnOp, mlir::scf::InParallelOp, mlir::linalg::YieldOp,
                                 mlir::memref::DimOp, mlir::tensor::DimOp, mlir::memref::DeallocOp>(op);
  if (isQuiet) return okStatus();
  if (mlir::isa<mlir::memref::CastOp, mlir::tensor::CastOp>(op)) {
    Result<View> view = viewOf(op.getOperand(0), op);
    if (!view) return std::move(view.diagnostics());
    // Two values for one content: neither is updated in place.
    if (!op.getOperand(0).hasOneUse() && mlir::isa<mlir::TensorType>(op.getOperand(0).getType()))
      bufferOf(*view).isShared = true;
    bind(op.getResult(0), std::move(*view));
    return okStatus();
  }
  if (isScalarOp(op)) {
    if (constantOf(op.getResult(0))) return okStatus();
    Result<std::vector<int>> operands = valuesOf(op.getOperands(), op);
    if (!operands) return std::move(operands.diagnostics());
    for (unsigned o = 0; o < op.getNumOperands(); ++o) body_.values()[op.getOperand(o)] = (*operands)[o];
    return body_.translateNow(op);
  }
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op)) {
    return unsupported("unsupported-loop", placeOf(op),
                       fmt::format("the 'scf.while' does not count: {}", whyUncounted(loop)),
                       "use scf.for, whose bounds are known before it starts, and guard its body by scf.if");
  }
  return unsupportedOp(op.getName().getStringRef().str(), placeOf(op), kNestOps);
}

Status NestReader::readBlock(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    if (Status s = readOp(op); !s) return s;
    if (program_.statements.size() > kMaxStatements) {
      return unsupported("too-long", placeOf(op), fmt::format("the nest has more than {} statements", kMaxStatements),
                         "split the function");
    }
  }
  return okStatus();
}

Status NestReader::read(mlir::Operation &op) {
  return readOp(op);
}

bool NestReader::concerns(mlir::Operation &op) const {
  const auto isOurs = [&](mlir::Value value) {
    return views_.contains(value) || const_cast<BodyTranslator &>(body_).values().contains(value);
  };
  return op
      .walk([&](mlir::Operation *inner) {
        const bool isMeant = llvm::any_of(inner->getOperands(), isOurs) || (inner != &op && isLoad(*inner));
        return isMeant ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

void NestReader::protect(int buffer, mlir::Operation &op) {
  keepOldValues(programBuffer(buffer), op);
}

/// What is still needed by `op` or behind it outlives these statements.
Status NestReader::flush(mlir::Operation &op) {
  if (program_.statements.empty()) return okStatus();
  addMissingBuffers(program_, function_.graph, mapped_);
  for (auto &[value, e] : body_.values()) {
    const bool isNeeded = llvm::is_contained(value.getUsers(), &op) || isUsedAfter(value, op);
    if (pool_.isConstant(e) || !isNeeded) continue;
    pool_.visit(e, [&](int node) {
      const Expression &x = pool_[node];
      if (x.op == Op::kLoad) program_.buffers[static_cast<std::size_t>(x.buffer)].kind = NestBuffer::Kind::kArgument;
    });
  }
  tidy(program_);
  const Status done = emitKernels(program_, schedule(program_), function_.graph, mapped_);
  program_.statements.clear();
  return done;
}

}  // namespace pimento::frontend
