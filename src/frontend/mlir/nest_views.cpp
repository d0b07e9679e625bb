// Parts and other shapes of memrefs and tensors, and scf.forall, whose iterations insert parts.
#include <fmt/format.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "pimento/frontend/mlir/nest_reader.h"

namespace pimento::frontend {

using kernel::Op;

namespace {

bool isReshape(mlir::Operation &op) {
  return mlir::isa<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp, mlir::memref::ExpandShapeOp,
                   mlir::memref::CollapseShapeOp>(op);
}

bool isReturned(mlir::Value value) {
  return mlir::isa<mlir::TensorType>(value.getType()) &&
         llvm::any_of(value.getUsers(), [](mlir::Operation *user) { return mlir::isa<mlir::func::ReturnOp>(user); });
}

}  // namespace

// ---- Parts ----

Status NestReader::readView(mlir::Operation &op) {
  if (isReshape(op)) {
    Status done = okStatus();
    if (auto collapse = mlir::dyn_cast<mlir::tensor::CollapseShapeOp>(op)) {
      done = readCollapse(op, collapse.getReassociationIndices());
    } else if (auto memref = mlir::dyn_cast<mlir::memref::CollapseShapeOp>(op)) {
      done = readCollapse(op, memref.getReassociationIndices());
    } else {
      done = readExpand(op);
    }
    const bool isView = done && views_.contains(op.getResult(0));
    return isView && isReturned(op.getResult(0)) ? takeOut(op) : done;
  }
  Result<View> from = viewOf(op.getOperand(0), op);
  if (!from) return std::move(from.diagnostics());
  auto part = mlir::cast<mlir::OffsetSizeAndStrideOpInterface>(op);
  llvm::SmallBitVector dropped;
  if (auto view = mlir::dyn_cast<mlir::memref::SubViewOp>(op)) dropped = view.getDroppedDims();
  if (auto slice = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(op)) dropped = slice.getDroppedDims();
  Result<View> view = partOf(*from, part, dropped, op);
  if (!view) return std::move(view.diagnostics());
  if (mlir::isa<mlir::tensor::ExtractSliceOp>(op)) {
    // A value: what happens to the tensor later does not matter.
    Result<std::vector<std::int64_t>> shape = function_.dims.shape(op.getResult(0));
    if (!shape) return std::move(shape.diagnostics());
    Result<View> own = newBuffer(op.getResult(0));
    if (!own) return std::move(own.diagnostics());
    const bool hasContents = bufferOf(*view).holds != Holds::kNothing || isStoredTo(view->buffer);
    if (Status s = hasContents ? copy(*view, *own, *shape, op, "slice") : okStatus(); !s) return s;
    *view = std::move(*own);
  }
  bind(op.getResult(0), std::move(*view));
  return okStatus();
}

Result<NestReader::View> NestReader::partOf(const View &from, mlir::OffsetSizeAndStrideOpInterface part,
                                            const llvm::SmallBitVector &dropped, mlir::Operation &op) {
  const auto number = [&](mlir::OpFoldResult x) -> Result<int> {
    if (const auto value = mlir::dyn_cast<mlir::Value>(x)) return valueOf(value, op);
    return pool_.integer(DType::kI64, mlir::cast<mlir::IntegerAttr>(mlir::cast<mlir::Attribute>(x)).getInt());
  };
  View view{from.buffer, from.offsets, {}};
  const auto offsets = part.getMixedOffsets(), strides = part.getMixedStrides();
  for (unsigned d = 0; d < offsets.size(); ++d) {
    Result<int> offset = number(offsets[d]), stride = number(strides[d]);
    if (!offset) return std::move(offset.diagnostics());
    if (!stride) return std::move(stride.diagnostics());
    const auto [dim, step] = from.steps[d];
    view.offsets[dim] =
        pool_.op(Op::kAdd, DType::kI64, view.offsets[dim], pool_.op(Op::kMul, DType::kI64, *offset, step));
    if (d >= dropped.size() || !dropped.test(d))
      view.steps.push_back({dim, pool_.op(Op::kMul, DType::kI64, *stride, step)});
  }
  return view;
}

/// A result of the function is an array, not a view of one.
Status NestReader::takeOut(mlir::Operation &op) {
  Result<View> view = viewOf(op.getResult(0), op);
  if (!view) return std::move(view.diagnostics());
  Result<std::vector<std::int64_t>> shape = function_.dims.shape(op.getResult(0));
  if (!shape) return std::move(shape.diagnostics());
  Result<View> own = newBuffer(op.getResult(0));
  if (!own) return std::move(own.diagnostics());
  if (Status s = copy(*view, *own, *shape, op, "reshape"); !s) return s;
  bind(op.getResult(0), std::move(*own));
  return okStatus();
}

// ---- Other shapes ----

/// A tensor of which there are two names now: neither is updated in place.
void NestReader::share(const View &view, mlir::Value value) {
  if (mlir::isa<mlir::TensorType>(value.getType())) bufferOf(view).isShared = true;
}

/// Several indices move one dimension of the buffer.
Status NestReader::readExpand(mlir::Operation &op) {
  Result<View> from = viewOf(op.getOperand(0), op);
  if (!from) return std::move(from.diagnostics());
  Result<std::vector<std::int64_t>> shape = function_.dims.shape(op.getResult(0));
  if (!shape) return std::move(shape.diagnostics());
  auto tensor = mlir::dyn_cast<mlir::tensor::ExpandShapeOp>(op);
  const auto groups =
      tensor ? tensor.getReassociationIndices() : mlir::cast<mlir::memref::ExpandShapeOp>(op).getReassociationIndices();
  View view{from->buffer, from->offsets, std::vector<View::Step>(shape->size())};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::int64_t stride = 1;
    for (std::size_t i = groups[g].size(); i-- > 0;) {
      const auto d = static_cast<std::size_t>(groups[g][i]);
      const auto [dim, step] = from->steps[g];
      view.steps[d] = {dim, pool_.op(Op::kMul, DType::kI64, step, pool_.integer(DType::kI64, stride))};
      stride *= (*shape)[d];
    }
  }
  // From a tensor of one element without dimensions: indices that are 0.
  if (groups.empty()) {
    Result<View> own = newBuffer(op.getResult(0));
    if (!own) return std::move(own.diagnostics());
    if (Status s = reshape(*from, {}, *own, std::vector<int>(shape->size(), -1), op); !s) return s;
    bind(op.getResult(0), std::move(*own));
    return okStatus();
  }
  share(view, op.getOperand(0));
  bind(op.getResult(0), std::move(view));
  return okStatus();
}

/// A view where each group has one dimension of more than one element; else a copy, whose index is a sum.
Status NestReader::readCollapse(mlir::Operation &op, llvm::ArrayRef<mlir::ReassociationIndices> groups) {
  Result<View> from = viewOf(op.getOperand(0), op);
  if (!from) return std::move(from.diagnostics());
  Result<std::vector<std::int64_t>> shape = function_.dims.shape(op.getOperand(0));
  if (!shape) return std::move(shape.diagnostics());
  View view{from->buffer, from->offsets, {}};
  bool isView = true;
  for (const mlir::ReassociationIndices &group : groups) {
    std::size_t moving = static_cast<std::size_t>(group.front());
    int count = 0;
    for (const std::int64_t d : group) {
      if ((*shape)[static_cast<std::size_t>(d)] == 1) continue;
      moving = static_cast<std::size_t>(d);
      ++count;
    }
    isView = isView && count <= 1;
    view.steps.push_back(from->steps[moving]);
  }
  if (isView) {
    share(view, op.getOperand(0));
    bind(op.getResult(0), std::move(view));
    return okStatus();
  }
  if (!mlir::isa<mlir::TensorType>(op.getResult(0).getType())) {
    return unsupported("unsupported-op", placeOf(op),
                       "a memref.collapse_shape of several dimensions with more than one element is not supported",
                       "use tensors, or index the whole memref by sums of loops");
  }
  Result<View> own = newBuffer(op.getResult(0));
  if (!own) return std::move(own.diagnostics());
  std::vector<int> groupOf(shape->size(), -1);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::int64_t d : groups[g]) groupOf[static_cast<std::size_t>(d)] = static_cast<int>(g);
  if (Status s = reshape(*from, *shape, *own, groupOf, op); !s) return s;
  bind(op.getResult(0), std::move(*own));
  return okStatus();
}

/// Copies; `groupOf`: to which dimension of the result each one of the operand goes. Without dimensions: one element.
Status NestReader::reshape(const View &from, const std::vector<std::int64_t> &shape, const View &to,
                           const std::vector<int> &groupOf, mlir::Operation &op) {
  const std::size_t outside = loops_.size();
  const int zero = pool_.integer(DType::kI64, 0);
  std::vector<int> indices, sums(to.steps.size(), zero);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    loops_.push_back(newLoop(shape[d], placeOf(op)));
    indices.push_back(pool_.form(DType::kI64, unit(loops_.back())));
    int &sum = sums[static_cast<std::size_t>(groupOf[d])];
    sum = pool_.op(Op::kAdd, DType::kI64, pool_.op(Op::kMul, DType::kI64, sum, pool_.integer(DType::kI64, shape[d])),
                   indices.back());
  }
  const Status done = assign(from, indices, to, sums, "reshape", op);
  loops_.resize(outside);
  return done;
}

// ---- scf.forall ----

/// Its results are tensors of which each iteration inserts a part; no two insert the same.
Status NestReader::readForall(mlir::Operation &op) {
  auto loop = mlir::cast<mlir::scf::ForallOp>(op);
  const auto number = [&](mlir::OpFoldResult x) -> Result<int> {
    if (const auto value = mlir::dyn_cast<mlir::Value>(x)) return valueOf(value, op);
    return pool_.integer(DType::kI64, mlir::cast<mlir::IntegerAttr>(mlir::cast<mlir::Attribute>(x)).getInt());
  };
  std::vector<View> shared;
  for (unsigned r = 0; r < op.getNumResults(); ++r) {
    Result<View> to = destination(loop.getOutputs()[r], op.getResult(r), true, op);
    if (!to) return std::move(to.diagnostics());
    bind(loop.getRegionIterArgs()[r], *to);
    shared.push_back(std::move(*to));
  }
  const auto low = loop.getMixedLowerBound(), high = loop.getMixedUpperBound(), steps = loop.getMixedStep();
  std::size_t d = 0;
  bool runs = true;
  for (; d < low.size(); ++d) {
    Result<int> first = number(low[d]), end = number(high[d]), step = number(steps[d]);
    for (auto *x : {&first, &end, &step})
      if (!*x) return std::move(x->diagnostics());
    Result<std::optional<Entered>> entered =
        enter(loop.getInductionVars()[d], {{*first}, {*end}, pool_.integerOf(*step).value_or(0)}, op);
    if (!entered) return std::move(entered.diagnostics());
    runs = entered->has_value();
    if (!runs) break;
    within(**entered);
  }
  Status done = okStatus();
  if (runs) {
    done = readBlock(*loop.getBody());
    if (done) done = readBlock(loop.getTerminator().getRegion().front());
  }
  while (d-- > 0) leave();
  for (unsigned r = 0; r < op.getNumResults() && done; ++r) bind(op.getResult(r), std::move(shared[r]));
  return done;
}

Status NestReader::readParallelInsert(mlir::Operation &op) {
  auto insert = mlir::cast<mlir::tensor::ParallelInsertSliceOp>(op);
  Result<View> from = viewOf(insert.getSource(), op), to = viewOf(insert.getDest(), op);
  if (!from) return std::move(from.diagnostics());
  if (!to) return std::move(to.diagnostics());
  Result<View> part = partOf(*to, mlir::cast<mlir::OffsetSizeAndStrideOpInterface>(op), insert.getDroppedDims(), op);
  if (!part) return std::move(part.diagnostics());
  Result<std::vector<std::int64_t>> shape = function_.dims.shape(insert.getSource());
  if (!shape) return std::move(shape.diagnostics());
  return copy(*from, *part, *shape, op, "slice");
}

}  // namespace pimento::frontend
