// The room as all others link it: LLVM is loaded at the first call.
#include "pimento/backend_dpu/functions.h"
#include "pimento/base/module.h"

namespace pimento::backend_dpu {

Result<std::string> compile(std::string_view module, const Options &options) {
  const Result<const Functions *> functions = moduleFunctions<Functions>(kModuleEntry);
  if (!functions) return functions.diagnostics();
  return (*functions)->compile(module, options);
}

Result<std::string> optimise(std::string_view module, const Options &options) {
  const Result<const Functions *> functions = moduleFunctions<Functions>(kModuleEntry);
  if (!functions) return functions.diagnostics();
  return (*functions)->optimise(module, options);
}

}  // namespace pimento::backend_dpu
