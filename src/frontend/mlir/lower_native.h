// A function of MLIR to LLVM IR by MLIR's own passes. Internal to the MLIR front end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pimento/frontend/mlir/parse.h"
#include "pimento/frontend/native/jit.h"

namespace pimento::frontend {

/// Lowers `function`, the only one that is kept. Tensors become dense memrefs; arguments stay as they are, whatever the
/// function does to tensors it is given. Where `isReturned`, a returned value is copied to one more memref argument, of
/// the value's shape; others are dropped. The module has void ENTRY(ptr), which takes an array with a pointer for each
/// argument: to a memref's descriptor, or to the value of a scalar. exp, log and tanh are evaluated in double precision
/// and rounded once. What MLIR leaves undefined ends the run (endUndefined).
///
/// Nothing: `why` has what MLIR says. Afterwards `parsed` is of no more use.
std::optional<NativeModule> lowerToNative(ParsedModule &parsed, mlir::func::FuncOp function,
                                          const std::vector<bool> &isReturned, const char *entry, std::string &why);

}  // namespace pimento::frontend
