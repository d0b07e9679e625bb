// A C program in UPMEM's interface (DPU half) to LLVM bitcode, by Clang as a library. What comes out is not optimised
// yet (but may be: no `optnone`); room `backend_dpu` does that.
#pragma once

#include <string>

#include "pimento/base/diagnostics.h"
#include "pimento/program/dpu_compiler.h"

namespace pimento::frontend {

/// Bitcode of a module with the triple and data layout of backend_dpu/backend.h. Our headers for the DPU (room `dpu`)
/// and Clang's own (stdint.h, stddef.h, stdbool.h) are found without being installed. Diagnostics: what Clang says,
/// each with file, line and column; warnings are in the Result's diagnostics only where asked for.
Result<std::string> readDpuC(const program::DpuSource &source);

}  // namespace pimento::frontend
