// Stores of the branches of a condition as one. Knows nothing of C or MLIR.
#pragma once

#include "pimento/frontend/nest/program.h"

namespace pimento::frontend {

/// if (c) y[i] = a; else y[i] = b;   becomes   y[i] = c ? a : b: one kernel, which does not read the old y. Stores to
/// one element under other conditions become one store under either of them. Accumulations stay what they are.
void mergeBranches(NestProgram &program);

}  // namespace pimento::frontend
