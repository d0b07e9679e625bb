// A C program in UPMEM's interface (DPU half) to LLVM bitcode, by Clang as a library. What comes out is not optimised
// yet (but may be: no `optnone`); room `backend_dpu` does that.
//
// Types and layout of a DPU: docs/decisions/0010-dpu-c-abi.md. No Clang type appears here, and the same functions
// exist in a build without LLVM.
#pragma once

#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/program/dpu_compiler.h"

namespace pimento::frontend {

/// Whether this build has Clang (`PIMENTO_WITH_LLVM`).
bool hasDpuC();

enum class DpuOutput { kBitcode, kPreprocessed };

/// What Clang made of one file.
struct DpuModule {
  std::string bytes;                      ///< bitcode, or the preprocessed text
  int level = 2;                          ///< of optimisation, as the arguments ask: 0 to 3; 2 also for -Os
  bool keepsLines = true;                 ///< not with -g0
  Diagnostics warnings;                   ///< with their notes
  std::vector<std::string> dependencies;  ///< files it was made of, as includes found them; our own headers left out
};

/// A module with the triple and data layout of backend_dpu/backend.h. Our headers for the DPU (room `dpu`) and those of
/// Clang (stdint.h, stddef.h, stdbool.h) are found without being installed. `arguments` are flags of a C compiler as
/// Clang's driver reads them, without inputs and outputs; -O2 unless they say otherwise. Diagnostics: dpu-c (what Clang
/// says, each with file, line and column, and its notes), dpu-c-flag (flags that cannot be for a DPU), dpu-c-language
/// (not C), dpu-compiler-absent (a build without LLVM).
Result<DpuModule> readDpuC(const program::DpuSource &source, DpuOutput output = DpuOutput::kBitcode);

}  // namespace pimento::frontend
