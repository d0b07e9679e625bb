#include "pimento/frontend/mlir/dims.h"

#include <fmt/format.h>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace pimento::frontend {

const std::vector<int> &FunctionDims::dimsOf(mlir::Value value) {
  const auto it = dims_.find(value);
  if (it != dims_.end()) return it->second;
  std::vector<int> dims;
  const auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  if (type && type.hasRank()) {
    const std::string name = parsed_.nameOf(value);
    for (int d = 0; d < type.getRank(); ++d) {
      const std::int64_t extent = type.getDimSize(d);
      dims.push_back(mlir::ShapedType::isDynamic(extent) ? classes_.open(place(value.getLoc(), parsed_.file),
                                                                         fmt::format("dimension {} of %{}", d, name))
                                                         : classes_.fixed(extent));
      if (!name.empty()) classes_.name(dims.back(), fmt::format("{}:{}", name, d));
    }
  }
  return dims_.try_emplace(value, std::move(dims)).first->second;
}

int FunctionDims::dimOfIndex(mlir::Value value) {
  const auto it = indexDims_.find(value);
  if (it != indexDims_.end()) return it->second;
  int dim = -1;
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant))) {
    dim = classes_.fixed(constant.getSExtValue());
  } else if (mlir::isa<mlir::BlockArgument>(value)) {
    const std::string name = parsed_.nameOf(value);
    dim = classes_.open(place(value.getLoc(), parsed_.file), fmt::format("the index argument %{}", name));
    if (!name.empty()) classes_.name(dim, name);
  } else if (mlir::Operation *op = value.getDefiningOp(); mlir::isa<mlir::tensor::DimOp, mlir::memref::DimOp>(op)) {
    llvm::APInt position;
    if (mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&position))) {
      const std::vector<int> &dims = dimsOf(op->getOperand(0));
      if (position.getZExtValue() < dims.size()) dim = dims[position.getZExtValue()];
    }
  }
  indexDims_[value] = dim;
  return dim;
}

Status FunctionDims::joinDims(int a, int b, mlir::Operation &op) {
  if (classes_.unify(a, b)) return okStatus();
  return error("size-mismatch", place(op.getLoc(), parsed_.file),
               fmt::format("'{}' needs equal extents, but has {} and {}", op.getName().getStringRef().str(),
                           *classes_.extent(a), *classes_.extent(b)),
               "make the shapes agree; '?' takes the extent that the op implies");
}

Status FunctionDims::join(mlir::Value a, mlir::Value b, mlir::Operation &op) {
  const std::vector<int> first = dimsOf(a), second = dimsOf(b);
  for (std::size_t d = 0; d < first.size() && d < second.size(); ++d) {
    if (Status s = joinDims(first[d], second[d], op); !s) return s;
  }
  return okStatus();
}

Status FunctionDims::visitStructured(mlir::linalg::LinalgOp op) {
  // Operands first: the earliest dimension of a class is the one messages name.
  for (const mlir::Value operand : op->getOperands()) dimsOf(operand);
  std::vector<int> &loops = loops_[op];
  const unsigned count = op.getNumLoops();
  for (unsigned l = 0; l < count; ++l) {
    loops.push_back(classes_.open(place(op.getLoc(), parsed_.file), fmt::format("loop d{}", l)));
  }
  const auto maps = op.getIndexingMapsArray();
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    const std::vector<int> dims = dimsOf(operand.get());
    const mlir::AffineMap map = maps[operand.getOperandNumber()];
    for (unsigned r = 0; r < map.getNumResults() && r < dims.size(); ++r) {
      const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(map.getResult(r));
      if (!loop) continue;
      if (Status s = joinDims(dims[r], loops[loop.getPosition()], *op); !s) return s;
    }
  }
  for (unsigned l = 0; l < count; ++l) classes_.name(loops[l], fmt::format("d{}", l));
  for (unsigned r = 0; r < op->getNumResults() && r < op.getNumDpsInits(); ++r) {
    if (Status s = join(op.getDpsInitOperand(r)->get(), op->getResult(r), *op); !s) return s;
  }
  return okStatus();
}

Status FunctionDims::visitAllocation(mlir::Operation &op, mlir::ValueRange sizes) {
  const auto type = mlir::cast<mlir::ShapedType>(op.getResult(0).getType());
  for (const mlir::Value operand : op.getOperands())
    if (mlir::isa<mlir::ShapedType>(operand.getType())) dimsOf(operand);
  const std::vector<int> dims = dimsOf(op.getResult(0));
  unsigned next = 0;
  for (int d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d) || next >= sizes.size()) continue;
    const int size = dimOfIndex(sizes[next++]);
    if (size < 0) {
      return unsupported("unsupported-size", place(op.getLoc(), parsed_.file),
                         fmt::format("the extent of dimension {} is computed", d),
                         "a size is an index constant, tensor.dim, memref.dim or an argument of type index");
    }
    if (Status s = joinDims(size, dims[static_cast<std::size_t>(d)], op); !s) return s;
  }
  return okStatus();
}

Status FunctionDims::visit(mlir::Operation &op) {
  if (auto structured = mlir::dyn_cast<mlir::linalg::LinalgOp>(op)) return visitStructured(structured);
  if (auto empty = mlir::dyn_cast<mlir::tensor::EmptyOp>(op)) return visitAllocation(op, empty.getDynamicSizes());
  if (auto alloc = mlir::dyn_cast<mlir::memref::AllocOp>(op)) return visitAllocation(op, alloc.getDynamicSizes());
  if (auto alloca = mlir::dyn_cast<mlir::memref::AllocaOp>(op)) return visitAllocation(op, alloca.getDynamicSizes());
  if (auto copy = mlir::dyn_cast<mlir::memref::CopyOp>(op)) return join(copy.getSource(), copy.getTarget(), op);
  if (mlir::isa<mlir::tensor::CastOp, mlir::memref::CastOp>(op)) return join(op.getOperand(0), op.getResult(0), op);
  if (auto part = mlir::dyn_cast<mlir::memref::SubViewOp>(op)) return visitAllocation(op, part.getSizes());
  if (auto part = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(op)) return visitAllocation(op, part.getSizes());
  for (const mlir::Value operand : op.getOperands()) {
    if (mlir::isa<mlir::ShapedType>(operand.getType())) dimsOf(operand);
    const auto argument = mlir::dyn_cast<mlir::BlockArgument>(operand);
    if (operand.getType().isIndex() && argument && argument.getOwner() == &function_.getBody().front())
      dimOfIndex(operand);
  }
  for (const mlir::Value result : op.getResults()) {
    if (result.getType().isIndex() && mlir::isa<mlir::tensor::DimOp, mlir::memref::DimOp>(op)) dimOfIndex(result);
  }
  if (mlir::isa<mlir::tensor::InsertOp>(op)) return join(op.getOperand(1), op.getResult(0), op);
  if (auto part = mlir::dyn_cast<mlir::tensor::InsertSliceOp>(op)) return join(part.getDest(), part.getResult(), op);
  if (Status s = visitCarried(op); !s) return s;
  for (mlir::Region &region : op.getRegions()) {
    for (mlir::Operation &nested : region.getOps())
      if (Status s = visit(nested); !s) return s;
  }
  return okStatus();
}

/// Arrays that a loop carries keep their shape.
Status FunctionDims::visitCarried(mlir::Operation &op) {
  auto loop = mlir::dyn_cast<mlir::LoopLikeOpInterface>(op);
  if (!loop) return okStatus();
  const auto arguments = loop.getRegionIterArgs();
  for (unsigned r = 0; r < arguments.size(); ++r) {
    if (!mlir::isa<mlir::ShapedType>(arguments[r].getType())) continue;
    if (auto forall = mlir::dyn_cast<mlir::scf::ForallOp>(op)) {
      for (const mlir::Value other : {mlir::Value(forall.getOutputs()[r]), mlir::Value(op.getResult(r))})
        if (Status s = join(other, arguments[r], op); !s) return s;
      continue;
    }
    for (const mlir::Value other :
         {mlir::Value(loop.getInits()[r]), mlir::Value(op.getResult(r)), mlir::Value(loop.getYieldedValues()[r])})
      if (Status s = join(other, arguments[r], op); !s) return s;
  }
  return okStatus();
}

Status FunctionDims::collect(const kernel::Sizes &sizes) {
  Diagnostics found;
  for (mlir::Operation &op : function_.getBody().front()) {
    if (Status s = visit(op); !s) found.insert(found.end(), s.diagnostics().begin(), s.diagnostics().end());
  }
  if (!found.empty()) return found;
  kernel::Sizes dims = sizes;
  for (const mlir::BlockArgument argument : function_.getArguments()) {
    if (!argument.getType().isSignlessInteger() || argument.getType().isInteger(1)) continue;
    const auto given = dims.find(parsed_.nameOf(argument));
    if (given == dims.end()) continue;
    numbers_[argument] = given->second;
    dims.erase(given);
  }
  return classes_.bind(dims, parsed_.file);
}

Result<std::vector<std::int64_t>> FunctionDims::shape(mlir::Value value) {
  std::vector<std::int64_t> shape;
  for (const int dim : std::vector<int>(dimsOf(value))) {
    const auto extent = classes_.extent(dim);
    if (!extent || *extent < 1) {
      return error("bad-size", place(value.getLoc(), parsed_.file),
                   extent ? fmt::format("%{} has a dimension of extent {}", parsed_.nameOf(value), *extent)
                          : fmt::format("%{} has a dimension of unknown extent", parsed_.nameOf(value)),
                   "extents must be at least 1");
    }
    shape.push_back(*extent);
  }
  return shape;
}

Result<std::vector<std::int64_t>> FunctionDims::loops(mlir::linalg::LinalgOp op) {
  std::vector<std::int64_t> extents;
  for (const int loop : loops_[op]) {
    const auto extent = classes_.extent(loop);
    if (!extent || *extent < 1) {
      return error("bad-size", place(op.getLoc(), parsed_.file),
                   fmt::format("loop d{} of '{}' has {}", extents.size(), op->getName().getStringRef().str(),
                               extent ? fmt::format("extent {}", *extent) : std::string("no extent")),
                   "every loop needs an operand that it alone indexes, with an extent of at least 1");
    }
    extents.push_back(*extent);
  }
  return extents;
}

std::optional<std::int64_t> FunctionDims::index(mlir::Value value) {
  if (const auto number = numbers_.find(value); number != numbers_.end()) return number->second;
  if (!value.getType().isIndex()) return std::nullopt;
  const int dim = dimOfIndex(value);
  return dim < 0 ? std::nullopt : classes_.extent(dim);
}

}  // namespace pimento::frontend
