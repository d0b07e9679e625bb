// The extents of a function's tensors and loops: SizeClasses filled from its ops.
#pragma once

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pimento/frontend/mlir/parse.h"
#include "pimento/frontend/mlir/sizes.h"

namespace pimento::frontend {

class FunctionDims {
 public:
  FunctionDims(const ParsedModule &parsed, mlir::func::FuncOp function) : parsed_(parsed), function_(function) {}

  /// Finds which dimensions the ops force to be equal and gives the open ones the user's sizes.
  Status collect(const kernel::Sizes &sizes);

  /// After collect(): the shape of a ranked tensor or memref; empty for a scalar.
  Result<std::vector<std::int64_t>> shape(mlir::Value value);
  /// After collect(): the extents of the loops of an op.
  Result<std::vector<std::int64_t>> loops(mlir::linalg::LinalgOp op);
  /// After collect(): the value of an index or integer argument, or of a size, if known.
  std::optional<std::int64_t> index(mlir::Value value);

 private:
  Status visit(mlir::Operation &op);
  Status visitStructured(mlir::linalg::LinalgOp op);
  Status visitCarried(mlir::Operation &op);
  Status visitAllocation(mlir::Operation &op, mlir::ValueRange sizes);
  Status join(mlir::Value a, mlir::Value b, mlir::Operation &op);
  Status joinDims(int a, int b, mlir::Operation &op);
  const std::vector<int> &dimsOf(mlir::Value value);
  /// The dimension a value of type index stands for, or -1.
  int dimOfIndex(mlir::Value value);
  /// The same for one that may be computed of constants, sizes and arguments.
  int sizeOf(mlir::Value value);
  /// `left`: how many values may still be looked at.
  bool isComputable(mlir::Value value, int &left);
  std::optional<std::int64_t> evaluate(mlir::Value value);
  /// Of what it is computed of, not of what is known to be equal.
  std::optional<std::int64_t> evaluateOperands(mlir::Value value);
  Status visitWhile(mlir::scf::WhileOp op);

  const ParsedModule &parsed_;
  mlir::func::FuncOp function_;
  SizeClasses classes_;
  llvm::DenseMap<mlir::Value, std::vector<int>> dims_;
  llvm::DenseMap<mlir::Value, int> indexDims_;
  llvm::DenseMap<mlir::Value, std::int64_t> numbers_;  ///< integer arguments that the user gave
  llvm::SetVector<mlir::Value> unknownNumbers_;        ///< arguments that sizes are computed of, and that it did not
  llvm::DenseMap<mlir::Operation *, std::vector<int>> loops_;
};

}  // namespace pimento::frontend
