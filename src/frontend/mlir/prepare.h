// A function as exporters write it, in the ops that the importer reads. Internal to the MLIR front end.
//
// Wrappers are looked through and calls inlined; tosa, linalg.softmax, tensor.pad, concat, pack, generate and the like
// are lowered by MLIR's own passes and patterns; values of globals become constants. Locations and names of values stay
// those of the text. What remains unknown is refused by the importer.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pimento/base/diagnostics.h"
#include "pimento/frontend/mlir/parse.h"

namespace pimento::frontend {

/// Changes the function in place. Warnings: wrapped-ops. Diagnostics: unsupported-op, recursive-function,
/// unsupported-call, mlir-crash; after the last one the module is gone.
Status prepare(ParsedModule &parsed, mlir::func::FuncOp function, Diagnostics &warnings);

}  // namespace pimento::frontend
