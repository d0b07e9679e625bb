// scf.while loops that count, as scf.for: what Polygeist prints of loops in C. Internal to the MLIR front end.
//
// A counter is a carried integer that goes up or down by a constant and is compared with what the loop leaves alone:
// while (i < n), and do ... while (i < n), where the region in front of the condition holds the body. Loads in front of
// the condition count as left alone where the loop stores to no element of their memref. The comparison with native
// code runs the text as it is, so that it checks this rewriting too.
#pragma once

#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace pimento::frontend {

/// Replaces those that count. Others stay.
void countLoops(mlir::func::FuncOp function);

/// Why one that stayed does not count, as the rest of a message: "...".
std::string whyUncounted(mlir::scf::WhileOp loop);

}  // namespace pimento::frontend
