// linalg.softmax on memrefs as the ops that it means: MLIR itself takes it apart on tensors only. Internal to the MLIR
// front end.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace pimento::frontend {

/// Replaces the op by four structured ones, in the order and with the start values that MLIR takes for tensors: the
/// largest of each row, exp(x - largest) into the output, its sum, the quotient. `op` has no results.
void lowerSoftmax(mlir::RewriterBase &rewriter, mlir::linalg::SoftmaxOp op);

}  // namespace pimento::frontend
