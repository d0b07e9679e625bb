// One function of an MLIR file as a Graph: the walk over its ops. Internal to the MLIR front end.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "pimento/frontend/frontend.h"
#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/mlir/body.h"
#include "pimento/frontend/mlir/dims.h"
#include "pimento/frontend/mlir/nest_reader.h"
#include "pimento/frontend/mlir/parse.h"

namespace pimento::frontend {

/// The function the user means: `wanted`, or the first public one that no other function calls. Diagnostics:
/// no-function, unknown-function.
Result<mlir::func::FuncOp> chooseFunction(const ParsedModule &parsed, const std::string &wanted);

class FunctionImporter {
 public:
  FunctionImporter(const ParsedModule &parsed, mlir::func::FuncOp function);

  Result<Imported> run(const kernel::Sizes &sizes);

 private:
  /// One output of a structured op: where it goes and how.
  struct Output {
    mlir::Value init;
    mlir::Value result;  ///< null on memrefs
    mlir::Value yielded;
    mlir::BlockArgument argument;  ///< the old element; may be null
    std::vector<kernel::Affine> index;
    int from = -1;  ///< buffer of the old contents
    int to = -1;    ///< buffer that is written
    bool coversAll = false;
  };

  // import.cpp
  Status checkOps();
  Status addArguments();
  Result<bool> isConstant(mlir::BlockArgument argument);
  Status checkConstants();
  void readNotes(mlir::Operation &op);
  TensorsOfFunction tensors();
  bool isOfNests(mlir::Operation &op) const;
  Status importOp(mlir::Operation &op);
  Status importConstant(mlir::Operation &op);
  Status importContents(mlir::Operation &op, mlir::Attribute value);
  Status importReturn(mlir::Operation &op);
  /// A buffer for a ranked tensor or memref value, without contents.
  Result<Buffer> describe(mlir::Value value);
  Result<int> addBuffer(mlir::Value value);
  Location placeOf(mlir::Operation &op) const { return place(op.getLoc(), parsed_.file); }

  // structured.cpp
  using Dims = std::vector<kernel::Dim>;
  Status importStructured(mlir::linalg::LinalgOp op);
  Result<bool> importFill(mlir::linalg::LinalgOp op);
  Result<Dims> loopsOf(mlir::linalg::LinalgOp op);
  Result<std::vector<Output>> outputsOf(mlir::linalg::LinalgOp op, const Dims &dims);
  Result<std::vector<kernel::Affine>> indexOf(mlir::linalg::LinalgOp op, mlir::OpOperand *operand, const Dims &dims);
  Status bindInputs(mlir::linalg::LinalgOp op, const Dims &dims, BodyTranslator &body);
  void bindFunctionScalars(BodyTranslator &body);
  void bindContents(BodyTranslator &body, mlir::Value argument, int buffer, std::vector<kernel::Affine> index);
  Status checkAliases(mlir::linalg::LinalgOp op, const Dims &dims, const std::vector<Output> &outputs);
  Status store(mlir::linalg::LinalgOp op, Output &out, const Dims &dims, kernel::KernelBuilder &k,
               BodyTranslator &body);
  bool readsTensor(mlir::linalg::LinalgOp op, int tensor);
  bool mayReuse(const Output &out);

  const ParsedModule &parsed_;
  mlir::func::FuncOp function_;
  FunctionDims dims_;
  GraphBuilder graph_;
  llvm::DenseMap<mlir::Value, int> buffers_;          ///< what a name stands for by now
  llvm::DenseMap<mlir::Value, int> argumentBuffers_;  ///< what it stood for at first
  llvm::DenseMap<mlir::Value, int> scalars_;          ///< scalar arguments: buffers of rank 0
  std::map<int, std::vector<std::byte>> contents_;    ///< of buffers that the file gives
  Diagnostics warnings_;
  NestProgram program_;
  NestReader nests_;
};

}  // namespace pimento::frontend
