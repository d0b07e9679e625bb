// Calls of functions of the file, inlined. Internal to the MLIR front end.
#pragma once

#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

/// Puts the bodies of called functions in place of their calls, whose callees stay as they are. Diagnostics:
/// recursive-function; unsupported-call (a function without a body, or of several blocks); too-long.
Status inlineCalls(mlir::func::FuncOp function, const std::string &file);

}  // namespace pimento::frontend
