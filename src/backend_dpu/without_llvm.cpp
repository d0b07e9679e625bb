// Pimento built without LLVM: programs for DPUs can be assembled, not compiled.
#include "pimento/backend_dpu/backend.h"

namespace pimento::backend_dpu {
namespace {

Diagnostics absent() {
  return {unsupported("dpu-compiler-absent", {}, "this build of Pimento has no compiler for DPUs",
                      "install llvm-19-dev, libclang-19-dev, libclang-cpp19-dev and clang-19, and build with "
                      "-DPIMENTO_WITH_LLVM=ON")};
}

}  // namespace

Result<std::string> compile(std::string_view, const Options &) {
  return absent();
}
Result<std::string> optimise(std::string_view, const Options &) {
  return absent();
}

}  // namespace pimento::backend_dpu
