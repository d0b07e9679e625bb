// Ops of linalg that MLIR got after version 19, read as the linalg.generic that they mean: linalg.contract and
// linalg.elementwise, as the documentation of the dialect describes them. Internal to the MLIR front end.
#pragma once

#include <string>
#include <string_view>

#include "mlir/IR/MLIRContext.h"

namespace pimento::frontend {

/// Lets the parser read them.
void addLaterOps(mlir::MLIRContext &context);

/// The text with "add" in place of #linalg.elementwise_kind<add>, which the dialect of MLIR 19 cannot read; everything
/// stays where it is.
std::string withPlainKinds(std::string_view text);

}  // namespace pimento::frontend
