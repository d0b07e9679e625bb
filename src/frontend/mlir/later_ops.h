// Ops of linalg that MLIR got after version 19, read as the linalg.generic that they mean: linalg.contract,
// linalg.elementwise, and the products whose operands `indexing_maps` transpose or broadcast (matmul, batch_matmul,
// batch_reduce_matmul), as the documentation of the dialect describes them. Internal to the MLIR front end.
#pragma once

#include <string>
#include <string_view>

#include "mlir/IR/MLIRContext.h"

namespace pimento::frontend {

/// Lets the parser read them.
void addLaterOps(mlir::MLIRContext &context);

/// The text with what the dialect of MLIR 19 cannot read by names of our own, as long as theirs, so that everything
/// stays where it is: "add" for #linalg.elementwise_kind<add>, linalg.mapped for a linalg.matmul that is followed by
/// `indexing_maps`.
std::string withPlainNames(std::string_view text);

}  // namespace pimento::frontend
