#include "pimento/frontend/mlir/dims.h"

#include <fmt/format.h>

#include <algorithm>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

namespace {

/// What arithmetic on sizes gives; none where it is undefined, or no such op.
std::optional<std::int64_t> computedBy(mlir::Operation &op, std::int64_t a, std::int64_t b) {
  using namespace mlir::arith;
  const bool divides = mlir::isa<DivSIOp, DivUIOp, RemSIOp, RemUIOp, CeilDivSIOp, CeilDivUIOp, FloorDivSIOp>(op);
  const bool isUnsigned = mlir::isa<DivUIOp, RemUIOp, CeilDivUIOp, MinUIOp, MaxUIOp>(op);
  if ((divides && b == 0) || (divides && b == -1) || (isUnsigned && (a < 0 || b < 0))) return std::nullopt;
  std::int64_t result = 0;
  if (mlir::isa<AddIOp>(op)) return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (mlir::isa<SubIOp>(op)) return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (mlir::isa<MulIOp>(op)) return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (mlir::isa<MinSIOp, MinUIOp>(op)) return std::min(a, b);
  if (mlir::isa<MaxSIOp, MaxUIOp>(op)) return std::max(a, b);
  if (!divides) return std::nullopt;
  const std::int64_t rest = a % b;
  if (mlir::isa<RemSIOp, RemUIOp>(op)) return rest;
  const bool isBelow = rest != 0 && (rest < 0) != (b < 0);  // the quotient was rounded up
  if (mlir::isa<FloorDivSIOp>(op)) return a / b - (isBelow ? 1 : 0);
  if (mlir::isa<CeilDivSIOp, CeilDivUIOp>(op)) return a / b + (rest != 0 && !isBelow ? 1 : 0);
  return a / b;
}

bool isSizeArithmetic(mlir::Operation &op) {
  using namespace mlir::arith;
  return mlir::isa<AddIOp, SubIOp, MulIOp, MinSIOp, MinUIOp, MaxSIOp, MaxUIOp, DivSIOp, DivUIOp, RemSIOp, RemUIOp,
                   CeilDivSIOp, CeilDivUIOp, FloorDivSIOp>(op);
}

bool isSizeCast(mlir::Operation &op) {
  return mlir::isa<mlir::arith::IndexCastOp, mlir::arith::ExtSIOp>(op);
}

bool isSizeMap(mlir::Operation &op) {
  return mlir::isa<mlir::affine::AffineApplyOp, mlir::affine::AffineMinOp, mlir::affine::AffineMaxOp>(op);
}

}  // namespace

bool FunctionDims::isComputable(mlir::Value value, int &left) {
  llvm::APInt constant;
  if (--left < 0) return false;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant))) return true;
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    if (argument.getOwner() != &function_.getBody().front() || value.getType().isInteger(1)) return false;
    if (value.getType().isIndex()) return true;
    if (!value.getType().isSignlessInteger()) return false;
    if (!numbers_.contains(value)) unknownNumbers_.insert(value);
    return true;
  }
  mlir::Operation &op = *value.getDefiningOp();
  if (mlir::isa<mlir::tensor::DimOp, mlir::memref::DimOp>(op)) return dimOfIndex(value) >= 0;
  if (!isSizeArithmetic(op) && !isSizeCast(op) && !isSizeMap(op)) return false;
  return llvm::all_of(op.getOperands(), [&](mlir::Value operand) { return isComputable(operand, left); });
}

std::optional<std::int64_t> FunctionDims::evaluate(mlir::Value value) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant))) return constant.getSExtValue();
  if (const auto number = numbers_.find(value); number != numbers_.end()) return number->second;
  if (mlir::isa<mlir::BlockArgument>(value) && !value.getType().isIndex()) return std::nullopt;
  if (const int dim = dimOfIndex(value); dim >= 0) return classes_.extent(dim);
  return evaluateOperands(value);
}

std::optional<std::int64_t> FunctionDims::evaluateOperands(mlir::Value value) {
  mlir::Operation &op = *value.getDefiningOp();
  llvm::SmallVector<std::int64_t> operands;
  for (const mlir::Value operand : op.getOperands()) {
    const auto known = evaluate(operand);
    if (!known) return std::nullopt;
    operands.push_back(*known);
  }
  if (isSizeCast(op)) return operands.front();
  if (isSizeArithmetic(op)) return computedBy(op, operands[0], operands[1]);
  mlir::AffineMap map;
  if (auto apply = mlir::dyn_cast<mlir::affine::AffineApplyOp>(op)) map = apply.getAffineMap();
  if (auto least = mlir::dyn_cast<mlir::affine::AffineMinOp>(op)) map = least.getAffineMap();
  if (auto most = mlir::dyn_cast<mlir::affine::AffineMaxOp>(op)) map = most.getAffineMap();
  llvm::SmallVector<mlir::Attribute> known;
  for (const std::int64_t x : operands)
    known.push_back(mlir::IntegerAttr::get(mlir::IndexType::get(op.getContext()), x));
  llvm::SmallVector<mlir::Attribute> results;
  if (mlir::failed(map.constantFold(known, results))) return std::nullopt;
  llvm::SmallVector<std::int64_t> numbers;
  for (const mlir::Attribute a : results) numbers.push_back(mlir::cast<mlir::IntegerAttr>(a).getInt());
  return mlir::isa<mlir::affine::AffineMaxOp>(op) ? *std::max_element(numbers.begin(), numbers.end())
                                                  : *std::min_element(numbers.begin(), numbers.end());
}

int FunctionDims::sizeOf(mlir::Value value) {
  int left = 1000;  // values that are looked at: one that is used twice is asked twice
  const int dim = dimOfIndex(value);
  if (dim >= 0 || !isComputable(value, left)) return dim;
  const Location where = place(value.getLoc(), parsed_.file);
  const std::string name = parsed_.nameOf(value);
  return indexDims_[value] =
             classes_.computed(where, name.empty() ? std::string("a computed size") : fmt::format("the size %{}", name),
                               [this, value] { return evaluateOperands(value); });
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
    const int size = sizeOf(sizes[next++]);
    if (size < 0) {
      return unsupported("unsupported-size", place(op.getLoc(), parsed_.file),
                         fmt::format("the extent of dimension {} is computed", d),
                         "a size is computed of constants, tensor.dim, memref.dim and arguments, outside loops");
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

Status FunctionDims::visitWhile(mlir::scf::WhileOp op) {
  const auto isShaped = [](mlir::Value value) { return mlir::isa<mlir::ShapedType>(value.getType()); };
  for (unsigned a = 0; a < op.getBeforeArguments().size(); ++a) {
    const mlir::Value argument = op.getBeforeArguments()[a];
    if (!isShaped(argument)) continue;
    for (const mlir::Value other : {mlir::Value(op.getInits()[a]), mlir::Value(op.getYieldOp().getResults()[a])})
      if (Status s = join(other, argument, *op); !s) return s;
  }
  for (unsigned r = 0; r < op.getNumResults(); ++r) {
    const mlir::Value argument = op.getAfterArguments()[r];
    if (!isShaped(argument)) continue;
    for (const mlir::Value other : {mlir::Value(op.getConditionOp().getArgs()[r]), mlir::Value(op.getResult(r))})
      if (Status s = join(other, argument, *op); !s) return s;
  }
  return okStatus();
}

/// Arrays that a loop carries keep their shape.
Status FunctionDims::visitCarried(mlir::Operation &op) {
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op)) return visitWhile(loop);
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
  kernel::Sizes dims = sizes;
  for (const mlir::BlockArgument argument : function_.getArguments()) {
    if (!argument.getType().isSignlessInteger() || argument.getType().isInteger(1)) continue;
    const auto given = dims.find(parsed_.nameOf(argument));
    if (given == dims.end()) continue;
    numbers_[argument] = given->second;
    dims.erase(given);
  }
  Diagnostics found;
  for (mlir::Operation &op : function_.getBody().front()) {
    if (Status s = visit(op); !s) found.insert(found.end(), s.diagnostics().begin(), s.diagnostics().end());
  }
  for (const mlir::Value number : unknownNumbers_) {
    const std::string name = parsed_.nameOf(number);
    found.push_back(error("missing-size", place(number.getLoc(), parsed_.file),
                          fmt::format("%{} decides an extent, and its value is unknown", name),
                          fmt::format("--size {}=N", name)));
  }
  if (!found.empty()) return found;
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
