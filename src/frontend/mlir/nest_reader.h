// Loop nests of affine and scf ops, read into statements: their loops, guards and accesses. Internal to the MLIR front
// end.
//
// A loop counts from 0 to its extent - 1; lower bounds and steps go into the indices, bounds that depend on outer
// loops become guards. iter_args are reductions: into the element their result is stored to, or into a temporary.
#pragma once

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/mlir/body.h"
#include "pimento/frontend/mlir/dims.h"
#include "pimento/frontend/mlir/parse.h"
#include "pimento/frontend/nest.h"

namespace pimento::frontend {

/// One store of a nest.
struct NestStatement {
  NestAccess target;
  std::vector<kernel::Affine> guards;
  mlir::Value value;                    ///< what is stored, or the term of `carried`
  std::optional<Accumulation> carried;  ///< an accumulation by iter_args
  Location where;
};

/// A loop, a load or a store outside linalg: what NestReader reads.
bool isNestOp(mlir::Operation &op);

class NestReader {
 public:
  NestReader(const ParsedModule &parsed, FunctionDims &dims, GraphBuilder &graph,
             const llvm::DenseMap<mlir::Value, int> &buffers)
      : parsed_(parsed), dims_(dims), graph_(graph), buffers_(buffers) {}

  /// Reads one op of the function's block.
  Status read(mlir::Operation &op);

  /// Once the statements of a read op are in the graph: what it loaded outside all loops is what was copied.
  void settle();

  const std::vector<NestStatement> &statements() const { return statements_; }
  const std::vector<std::int64_t> &extents() const { return extents_; }
  /// The element a scalar was loaded from; null if it was computed.
  const NestAccess *loadOf(mlir::Value value) const;
  /// The affine form of a loop or of an index made of loops; none for other scalars.
  std::optional<kernel::Affine> formOf(mlir::Value value);

 private:
  struct Scope {
    std::vector<int> loops;
    std::vector<kernel::Affine> guards;
  };
  struct Reduction {
    Scope scope;
    Accumulation how;
    mlir::Value origin;  ///< the enclosing loop's argument it continues
  };
  using Forms = std::vector<kernel::Affine>;

  Status readBlock(mlir::Block &block, const Scope &scope);
  Status readOp(mlir::Operation &op, const Scope &scope);
  Status readLoop(mlir::Operation &op, const Scope &scope);
  Status readParallel(mlir::Operation &op, Scope scope);
  Status readIf(mlir::Operation &op, const Scope &scope);
  Status readAccess(mlir::Operation &op, const Scope &scope);
  Status readCarried(mlir::LoopLikeOpInterface loop, const Scope &outer, const Scope &inner);
  Status emitCarried(mlir::LoopLikeOpInterface loop, unsigned result, const Scope &outer, const Reduction &reduction);
  mlir::Operation *directStore(mlir::LoopLikeOpInterface loop, unsigned result, int firstStatementLoad) const;

  /// Adds a loop to `scope`; false if it never runs.
  Result<bool> addLoop(mlir::Value iv, const Forms &lower, const Forms &upper, std::int64_t step, Scope &scope,
                       mlir::Operation &op);
  Result<NestAccess> accessOf(mlir::Operation &op, const Scope &scope);
  Result<kernel::Affine> valueForm(mlir::Value value, mlir::Operation &user, int depth = 0);
  Result<kernel::Affine> expressionForm(mlir::AffineExpr expr, const Forms &operands, unsigned dims,
                                        mlir::Operation &user);
  Result<Forms> mapForms(mlir::AffineMap map, mlir::ValueRange operands, mlir::Operation &user);
  Location placeOf(mlir::Operation &op) const { return place(op.getLoc(), parsed_.file); }

  const ParsedModule &parsed_;
  FunctionDims &dims_;
  GraphBuilder &graph_;
  const llvm::DenseMap<mlir::Value, int> &buffers_;
  std::vector<std::int64_t> extents_;
  std::vector<NestStatement> statements_;
  llvm::DenseMap<mlir::Value, NestAccess> loads_;
  llvm::DenseMap<mlir::Value, kernel::Affine> forms_;
  llvm::DenseMap<mlir::Value, Reduction> chained_;
  llvm::DenseSet<mlir::Operation *> done_;  ///< stores that a reduction took over
  mlir::Value loaded_;                      ///< a load outside all loops
  int order_ = 0;
};

}  // namespace pimento::frontend
