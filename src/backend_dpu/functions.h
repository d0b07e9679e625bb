// What this room does with LLVM, as the module hands it over (base/module.h). No LLVM type appears here.
#pragma once

#include "pimento/backend_dpu/backend.h"

namespace pimento::backend_dpu {

/// The functions of backend.h that have the same names.
struct Functions {
  decltype(&backend_dpu::compile) compile;
  decltype(&backend_dpu::optimise) optimise;
};

/// The module's function that gives them.
inline constexpr const char *kModuleEntry = "pimentoBackendDpu";

}  // namespace pimento::backend_dpu
