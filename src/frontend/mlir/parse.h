// MLIR text to a verified module in memory, with MLIR's own diagnostics turned into ours.
//
// Ops of dialects that the importer does not know are read where they are written in the generic form, or only wrap
// other ops (foreign.h); any other is an unsupported-op diagnostic of the parser. Internal to the MLIR front end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Value.h"
#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

/// A parsed and verified file.
struct ParsedModule {
  std::string file;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  /// "A" for %A; empty if the text gives none. What a pass makes of an op has the names of that op: they are part of
  /// its location.
  std::string nameOf(mlir::Value value) const;
  /// Letters, digits and '_', as names of the graph are; empty for numbers.
  std::string identifierOf(mlir::Value value) const;
};

Result<std::unique_ptr<ParsedModule>> parseModule(std::string_view text, std::string_view file);

/// Runs `work` on MLIR's own code; false if it crashed. Then nothing that it was at is safe to take apart.
bool survives(llvm::function_ref<void()> work);

/// The place in the text an MLIR location stands for.
Location place(mlir::Location where, const std::string &file);

/// What the importer accepts, for hints.
extern const char *const kSupportedOps;

/// "operation 'scf.for' (dialect 'scf') is not supported".
Diagnostic unsupportedOp(std::string_view op, Location where, std::string hint = kSupportedOps);

}  // namespace pimento::frontend
