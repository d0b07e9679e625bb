// Memrefs, tensors and structured ops within nests.
#include <fmt/format.h>

#include <algorithm>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/nest_reader.h"
#include "pimento/frontend/nest/schedule.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

namespace {

/// Arrays of so few elements, made in a loop, have an element for each of its iterations.
constexpr std::int64_t kSmallArray = 16;

bool isTensor(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

}  // namespace

// ---- Elements ----

int NestReader::programBuffer(int buffer) {
  if (const auto known = buffersOf_.find(buffer); known != buffersOf_.end()) return known->second;
  addMissingBuffers(program_, function_.graph, mapped_);
  const Buffer &b = function_.graph.buffer(buffer);
  NestBuffer made;
  made.name = b.name;
  made.type = b.type;
  made.shape = b.shape;
  made.isRestrict = true;
  made.isScalar = std::any_of(function_.scalars.begin(), function_.scalars.end(),
                              [&](const auto &scalar) { return scalar.second == buffer; });
  mapped_.push_back(buffer);
  return buffersOf_[buffer] = addBuffer(std::move(made));
}

NestReader::View NestReader::whole(int buffer) {
  View view{buffer, {}, {}};
  const std::size_t rank = function_.graph.buffer(buffer).shape.size();
  for (std::size_t d = 0; d < rank; ++d) {
    view.offsets.push_back(pool_.integer(DType::kI64, 0));
    view.steps.push_back({d, pool_.integer(DType::kI64, 1)});
  }
  return view;
}

/// A whole buffer is what the rest of the importer knows too.
void NestReader::bind(mlir::Value value, View view) {
  const View all = whole(view.buffer);
  const auto isStep = [](const View::Step &a, const View::Step &b) { return a.dim == b.dim && a.stride == b.stride; };
  const bool isWhole = view.offsets == all.offsets &&
                       std::equal(view.steps.begin(), view.steps.end(), all.steps.begin(), all.steps.end(), isStep);
  if (isWhole) {
    views_.erase(value);
    function_.buffers[value] = view.buffer;
  } else {
    views_[value] = std::move(view);
  }
}

Result<NestReader::View> NestReader::viewOf(mlir::Value value, mlir::Operation &user) {
  if (const auto known = views_.find(value); known != views_.end()) return known->second;
  if (const auto buffer = function_.buffers.find(value); buffer != function_.buffers.end())
    return whole(buffer->second);
  mlir::Operation *op = value.getDefiningOp();
  return unsupported(
      "unsupported-type", placeOf(user),
      fmt::format("'{}' uses the result of '{}', which is not supported", user.getName().getStringRef().str(),
                  op != nullptr ? op->getName().getStringRef().str() : std::string("a block")),
      "use memrefs and tensors that are arguments, allocations, or results of supported ops");
}

/// The element as a statement's target, without a value.
Result<NestStatement> NestReader::targetAt(const View &view, const std::vector<int> &indices, mlir::Operation &op) {
  std::vector<int> at = view.offsets;
  for (std::size_t i = 0; i < indices.size() && i < view.steps.size(); ++i) {
    const auto [dim, stride] = view.steps[i];
    int moved = pool_.cast(DType::kI64, indices[i]);
    if (pool_.integerOf(stride) != 1) moved = pool_.op(Op::kMul, DType::kI64, moved, stride);
    at[dim] = pool_.integerOf(at[dim]) == 0 ? moved : pool_.op(Op::kAdd, DType::kI64, at[dim], moved);
  }
  NestStatement s;
  s.buffer = programBuffer(view.buffer);
  for (std::size_t d = 0; d < at.size(); ++d) {
    const auto form = pool_.formOf(at[d]);
    s.index.push_back(form ? *form : Affine{});
    if (form) continue;
    if (s.data.isThere()) {
      return notAffine(fmt::format("two indices of '{}' come from data, or are not sums of loops",
                                   op.getName().getStringRef().str()),
                       op);
    }
    s.data = {static_cast<int>(d), at[d]};
  }
  return s;
}

Result<int> NestReader::elementOf(const View &view, const std::vector<int> &indices, mlir::Operation &op) {
  Result<NestStatement> at = targetAt(view, indices, op);
  if (!at) return std::move(at.diagnostics());
  const Buffer &buffer = function_.graph.buffer(view.buffer);
  const int element = pool_.load(buffer.type, at->buffer, std::move(at->index), at->data, placeOf(op));
  if (!buffer.isBit || buffer.tensor != buffer.argument) return element;
  return pool_.op(Op::kAnd, DType::kU8, element, pool_.integer(DType::kU8, 1));
}

// ---- Buffers ----

Result<NestReader::View> NestReader::newBuffer(mlir::Value like) {
  Result<Buffer> buffer = function_.describe(like);
  if (!buffer) return std::move(buffer.diagnostics());
  std::int64_t elements = 1;
  for (const std::int64_t e : buffer->shape) elements = std::min(elements * e, kSmallArray + 1);
  const bool isPrivate = !isTensor(like) && elements <= kSmallArray && !loops_.empty();
  std::vector<int> around;
  if (isPrivate) around = loops_;
  std::vector<std::int64_t> shape;
  for (const int l : around) shape.push_back(program_.loops[static_cast<std::size_t>(l)].extent);
  buffer->shape.insert(buffer->shape.begin(), shape.begin(), shape.end());
  View view = whole(function_.graph.addBuffer(std::move(*buffer)));
  view.steps.erase(view.steps.begin(), view.steps.begin() + static_cast<std::ptrdiff_t>(around.size()));
  for (std::size_t d = 0; d < around.size(); ++d) view.offsets[d] = pool_.form(DType::kI64, unit(around[d]));
  return view;
}

Status NestReader::readAllocation(mlir::Operation &op) {
  Result<View> view = newBuffer(op.getResult(0));
  if (!view) return std::move(view.diagnostics());
  bind(op.getResult(0), std::move(*view));
  return okStatus();
}

/// to = from, element by element.
Status NestReader::copy(const View &from, const View &to, const std::vector<std::int64_t> &shape, mlir::Operation &op,
                        const char *name) {
  const std::size_t outside = loops_.size();
  std::vector<int> indices;
  for (const std::int64_t extent : shape) {
    loops_.push_back(newLoop(extent, placeOf(op)));
    indices.push_back(pool_.form(DType::kI64, unit(loops_.back())));
  }
  const Status done = assign(from, indices, to, indices, name, op);
  loops_.resize(outside);
  return done;
}

Status NestReader::assign(const View &from, const std::vector<int> &fromAt, const View &to,
                          const std::vector<int> &toAt, const char *name, mlir::Operation &op) {
  const std::string outer = std::exchange(kernelName_, name);
  Result<NestStatement> s = targetAt(to, toAt, op);
  Result<int> value = elementOf(from, fromAt, op);
  if (s && value) {
    s->value = *value;
    emit(std::move(*s), op);
  }
  kernelName_ = outer;
  if (!s) return std::move(s.diagnostics());
  if (!value) return std::move(value.diagnostics());
  return okStatus();
}

Status NestReader::readCopy(mlir::Operation &op) {
  auto copied = mlir::cast<mlir::memref::CopyOp>(op);
  Result<View> from = viewOf(copied.getSource(), op), to = viewOf(copied.getTarget(), op);
  if (!from) return std::move(from.diagnostics());
  if (!to) return std::move(to.diagnostics());
  Result<std::vector<std::int64_t>> shape = function_.dims.shape(copied.getSource());
  if (!shape) return std::move(shape.diagnostics());
  return copy(*from, *to, *shape, op);
}

// ---- Tensors ----

/// Whether no one else asks for a tensor, so that its buffer may be written.
bool NestReader::mayOverwrite(mlir::Value init, mlir::Operation &op) const {
  const bool isOfFunction =
      mlir::isa<mlir::BlockArgument>(init) && mlir::isa<mlir::func::FuncOp>(init.getParentBlock()->getParentOp());
  return init.hasOneUse() && !isOfFunction && init.getParentBlock() == op.getBlock();
}

/// The buffer that an op writes: that of its destination where nobody else needs it, else a copy.
Result<NestReader::View> NestReader::destination(mlir::Value init, mlir::Value result, bool needsOld,
                                                 mlir::Operation &op) {
  Result<View> from = viewOf(init, op);
  if (!from || !result) return from;
  if (mayOverwrite(init, op) && !bufferOf(*from).isShared) return from;
  Result<View> own = newBuffer(result);
  if (!own) return own;
  const bool hasContents = bufferOf(*from).holds != Holds::kNothing || isStoredTo(from->buffer);
  if (!needsOld || !hasContents) return own;
  Result<std::vector<std::int64_t>> shape = function_.dims.shape(result);
  if (!shape) return std::move(shape.diagnostics());
  if (Status s = copy(*from, *own, *shape, op); !s) return std::move(s.diagnostics());
  return own;
}

bool NestReader::isStoredTo(int buffer) const {
  const auto known = buffersOf_.find(buffer);
  return known != buffersOf_.end() && std::any_of(program_.statements.begin(), program_.statements.end(),
                                                  [&](const NestStatement &s) { return s.buffer == known->second; });
}

Status NestReader::readInsert(mlir::Operation &op) {
  auto insert = mlir::cast<mlir::tensor::InsertOp>(op);
  Result<View> to = destination(insert.getDest(), insert.getResult(), true, op);
  if (!to) return std::move(to.diagnostics());
  Result<std::vector<int>> at = valuesOf(insert.getIndices(), op);
  if (!at) return std::move(at.diagnostics());
  Result<NestStatement> s = targetAt(*to, *at, op);
  if (!s) return std::move(s.diagnostics());
  Result<int> value = valueOf(insert.getScalar(), op);
  if (!value) return std::move(value.diagnostics());
  s->value = *value;
  emit(std::move(*s), op);
  bind(insert.getResult(), std::move(*to));
  return okStatus();
}

Status NestReader::readInsertSlice(mlir::Operation &op) {
  auto insert = mlir::cast<mlir::tensor::InsertSliceOp>(op);
  Result<View> from = viewOf(insert.getSource(), op);
  if (!from) return std::move(from.diagnostics());
  Result<View> to = destination(insert.getDest(), insert.getResult(), true, op);
  if (!to) return std::move(to.diagnostics());
  Result<View> part = partOf(*to, mlir::cast<mlir::OffsetSizeAndStrideOpInterface>(op), insert.getDroppedDims(), op);
  if (!part) return std::move(part.diagnostics());
  Result<std::vector<std::int64_t>> shape = function_.dims.shape(insert.getSource());
  if (!shape) return std::move(shape.diagnostics());
  bind(insert.getResult(), std::move(*to));
  return copy(*from, *part, *shape, op, "slice");
}

// ---- Structured ops ----

Status NestReader::readStructured(mlir::linalg::LinalgOp op) {
  Result<std::vector<std::int64_t>> extents = function_.dims.loops(op);
  if (!extents) return std::move(extents.diagnostics());
  mlir::Block &body = *op.getBlock();
  std::vector<View> targets;
  for (unsigned o = 0; o < op.getNumDpsInits(); ++o) {
    mlir::OpOperand *init = op.getDpsInitOperand(o);
    const bool isKnown = init->getOperandNumber() < body.getNumArguments();
    const bool readsOld = isKnown && !op.getMatchingBlockArgument(init).use_empty();
    const bool isPermutation = op.getMatchingIndexingMap(init).isPermutation();
    const mlir::Value result = op->getNumResults() > o ? mlir::Value(op->getResult(o)) : mlir::Value();
    Result<View> to = destination(init->get(), result, readsOld || !isPermutation, *op);
    if (!to) return std::move(to.diagnostics());
    if (result) bind(result, *to);
    targets.push_back(std::move(*to));
  }
  const std::size_t outside = loops_.size();
  std::vector<int> loops, iterations;
  for (const std::int64_t extent : *extents) {
    loops_.push_back(newLoop(extent, placeOf(*op)));
    loops.push_back(loops_.back());
    iterations.push_back(pool_.form(DType::kI64, unit(loops_.back())));
  }
  const std::vector<int> outerLoops = std::exchange(sink_.loops, loops);
  const bool isNamed = op->hasAttr("pimento.kernel");
  const std::string name = isNamed ? kernelName_ : op->getName().stripDialect().str();
  const std::string outerName = std::exchange(kernelName_, name);
  Status done = readPoint(op, targets, iterations);
  kernelName_ = outerName;
  sink_.loops = outerLoops;
  loops_.resize(outside);
  return done;
}

/// One point of a structured op: all its operands are read before the first result is written.
Status NestReader::readPoint(mlir::linalg::LinalgOp op, const std::vector<View> &targets,
                             const std::vector<int> &iterations) {
  mlir::Block &body = *op.getBlock();
  const auto indicesOf = [&](mlir::OpOperand &operand) -> Result<std::vector<int>> {
    std::vector<int> at;
    for (const mlir::AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      Result<int> x = expressionOf(expr, iterations, static_cast<unsigned>(iterations.size()), *op);
      if (!x) return std::move(x.diagnostics());
      at.push_back(*x);
    }
    return at;
  };
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    if (operand.getOperandNumber() >= body.getNumArguments()) continue;
    const mlir::BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty()) continue;
    const bool isInit = op.isDpsInit(&operand);
    Result<int> value = [&]() -> Result<int> {
      if (!mlir::isa<mlir::ShapedType>(operand.get().getType())) return valueOf(operand.get(), *op);
      Result<std::vector<int>> at = indicesOf(operand);
      if (!at) return std::move(at.diagnostics());
      if (isInit) return elementOf(targets[operand.getOperandNumber() - op.getNumDpsInputs()], *at, *op);
      Result<View> view = viewOf(operand.get(), *op);
      if (!view) return std::move(view.diagnostics());
      return elementOf(*view, *at, *op);
    }();
    if (!value) return std::move(value.diagnostics());
    body_.values()[argument] = *value;
  }
  if (Status s = readBlock(body); !s) return s;
  Result<std::vector<int>> yields = valuesOf(body.getTerminator()->getOperands(), *op);
  if (!yields) return std::move(yields.diagnostics());
  held_.push_back(&*yields);
  Status done = okStatus();
  for (unsigned o = 0; o < targets.size() && done; ++o) {
    Result<std::vector<int>> at = indicesOf(*op.getDpsInitOperand(o));
    Result<NestStatement> s = at ? targetAt(targets[o], *at, *op) : Result<NestStatement>(std::move(at.diagnostics()));
    if (!s) {
      done = std::move(s.diagnostics());
      break;
    }
    s->value = std::exchange((*yields)[o], -1);
    s->where = placeOf(*op);
    emit(std::move(*s), *body.getTerminator());
  }
  held_.pop_back();
  return done;
}

}  // namespace pimento::frontend
