// Flags of a C compiler for a DPU: which there are, and what Clang's driver makes of them.
//
// Clang's own driver translates (-fno-strict-aliasing, -funsigned-char, -Os, ...); here is what it must not see because
// it would print, start processes, load code or aim at another machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

struct DpuInvocation {
  std::unique_ptr<clang::CompilerInvocation> clang;  ///< null where Clang's driver has found errors
  int level = 2;                                     ///< of optimisation
  bool keepsLines = true;
};

/// How `file` is to be compiled. What Clang says of the flags goes to `diags`. Diagnostics: dpu-c-flag, dpu-c-language.
Result<DpuInvocation> readDpuArguments(const std::string &file, const std::vector<std::string> &arguments,
                                       const llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> &diags);

}  // namespace pimento::frontend
