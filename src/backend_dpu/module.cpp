// This room in the module.
#include "pimento/base/module.h"

#include "pimento/backend_dpu/functions.h"

extern "C" const void *pimentoBackendDpu(const pimento::ModuleHost &host) {
  static const pimento::backend_dpu::Functions functions = {
      .compile = &pimento::backend_dpu::compile,
      .optimise = &pimento::backend_dpu::optimise,
  };
  return pimento::joinHost(host) ? &functions : nullptr;
}
