// What a module may ask for that the DPU cannot do, found before LLVM would stop the process over it.
#pragma once

#include "pimento/base/diagnostics.h"

namespace llvm {
class Module;
}

namespace pimento::backend_dpu {

/// Adds dpu-backend-unsupported, with file and line where the module has them.
void screen(const llvm::Module &module, Diagnostics &found);

}  // namespace pimento::backend_dpu
