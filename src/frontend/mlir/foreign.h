// Ops of dialects that the importer does not know, as far as they only wrap ops that it knows.
//
// `cinm.compute attributes {...} -> types { ... cinm.yield %x : type }` and its generic form place ops on a machine, a
// stream or a group, and say nothing of what is computed: the region is read as if it stood outside, with a warning.
// Internal to the MLIR front end.
#pragma once

#include <string>
#include <string_view>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

/// Lets the parser read ops of unknown dialects that the text opens a region with: those become scf.execute_region.
/// Where such an op is written in another way the parser says that it is unknown.
void addWrappers(mlir::MLIRContext &context, std::string_view text);

/// Puts the ops of wrapped regions in place of the wrappers; each kind of wrapper gives one warning (wrapped-ops).
/// Diagnostics: unsupported-op for unknown ops that are more than a wrapper.
Status lookThrough(mlir::func::FuncOp function, const std::string &file, Diagnostics &warnings);

}  // namespace pimento::frontend
