#include "pimento/frontend/mlir/softmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace pimento::frontend {

namespace {

namespace linalg = mlir::linalg;
namespace memref = mlir::memref;
using mlir::Value;

/// Builds the ops of one softmax.
class Softmax {
 public:
  Softmax(mlir::RewriterBase &rewriter, linalg::SoftmaxOp op)
      : build_(rewriter),
        at_(op.getLoc()),
        type_(mlir::cast<mlir::MemRefType>(op.getInput().getType())),
        dimension_(static_cast<unsigned>(op.getDimension())) {
    const unsigned rank = static_cast<unsigned>(type_.getRank());
    all_ = mlir::AffineMap::getMultiDimIdentityMap(rank, op.getContext());
    rows_ = all_.dropResult(dimension_);
  }

  void run(Value input, Value output) {
    using namespace mlir::arith;
    const mlir::Type element = type_.getElementType();
    const Value lowest = getIdentityValue(AtomicRMWKind::maximumf, element, build_, at_, /*useOnlyFiniteValue=*/true);
    const Value zero = getIdentityValue(AtomicRMWKind::addf, element, build_, at_, /*useOnlyFiniteValue=*/true);
    const Value largest = newRows(input, lowest), sum = newRows(input, zero);
    generic({input}, largest, true, [](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange v) -> Value {
      return b.create<MaxNumFOp>(l, v[0], v[1]);
    });
    generic({input, largest}, output, false, [](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange v) -> Value {
      return b.create<mlir::math::ExpOp>(l, b.create<SubFOp>(l, v[0], v[1]));
    });
    generic({output}, sum, true, [](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange v) -> Value {
      return b.create<AddFOp>(l, v[0], v[1]);
    });
    generic({output, sum}, output, false, [](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange v) -> Value {
      return b.create<DivFOp>(l, v[0], v[1]);
    });
  }

 private:
  /// One element for each row, all `value`.
  Value newRows(Value input, Value value) {
    llvm::SmallVector<std::int64_t> shape(type_.getShape());
    llvm::SmallVector<Value> sizes;
    for (unsigned d = 0; d < shape.size(); ++d)
      if (d != dimension_ && type_.isDynamicDim(d)) sizes.push_back(build_.create<memref::DimOp>(at_, input, d));
    shape.erase(shape.begin() + dimension_);
    const Value made = build_.create<memref::AllocOp>(at_, mlir::MemRefType::get(shape, type_.getElementType()), sizes);
    build_.create<linalg::FillOp>(at_, mlir::ValueRange{value}, mlir::ValueRange{made});
    return made;
  }

  /// An input whose rank is lower has an element for each row.
  void generic(llvm::ArrayRef<Value> inputs, Value output, bool isReduction,
               llvm::function_ref<Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body) {
    const auto mapOf = [&](Value v) {
      return mlir::cast<mlir::MemRefType>(v.getType()).getRank() == type_.getRank() ? all_ : rows_;
    };
    llvm::SmallVector<mlir::AffineMap> maps;
    for (const Value v : inputs) maps.push_back(mapOf(v));
    maps.push_back(isReduction ? rows_ : all_);
    llvm::SmallVector<mlir::utils::IteratorType> kinds(static_cast<std::size_t>(type_.getRank()),
                                                       mlir::utils::IteratorType::parallel);
    if (isReduction) kinds[dimension_] = mlir::utils::IteratorType::reduction;
    build_.create<linalg::GenericOp>(
        at_, inputs, mlir::ValueRange{output}, maps, kinds,
        [&](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange v) { b.create<linalg::YieldOp>(l, body(b, l, v)); });
  }

  mlir::RewriterBase &build_;
  mlir::Location at_;
  mlir::MemRefType type_;
  unsigned dimension_;
  mlir::AffineMap all_, rows_;
};

}  // namespace

void lowerSoftmax(mlir::RewriterBase &rewriter, linalg::SoftmaxOp op) {
  rewriter.setInsertionPoint(op);
  Softmax(rewriter, op).run(op.getInput(), op.getOutput());
  rewriter.eraseOp(op);
}

}  // namespace pimento::frontend
