// MLIR text to a verified module in memory, with MLIR's own diagnostics turned into ours.
//
// Only the dialects the importer understands are loaded, so an op of any other dialect is an unsupported-op
// diagnostic of the parser. Internal to the MLIR front end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "llvm/ADT/DenseMap.h"
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
  llvm::DenseMap<mlir::Value, std::string> names;  ///< as the text spells them, without '%'

  /// "A" for %A; empty if the text gives none.
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
