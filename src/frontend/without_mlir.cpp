// The MLIR front end of a build without LLVM: it says what to install.
#include <utility>

#include "pimento/frontend/frontend.h"

namespace pimento::frontend {

bool hasMlir() {
  return false;
}

Result<Imported> importMlirFile(std::string_view /*text*/, std::string_view file, const MlirOptions & /*options*/) {
  return unsupported("needs-llvm", Location{std::string(file)}, "this build cannot read MLIR: it was made without LLVM",
                     "install the Debian packages libmlir-19-dev, llvm-19-dev and mlir-19-tools and build with "
                     "-DPIMENTO_WITH_LLVM=ON; index notation ('y[i] += A[i,j] * x[j]') needs no LLVM");
}

Result<kernel::Graph> importMlir(std::string_view text, std::string_view file, const MlirOptions &options) {
  return std::move(importMlirFile(text, file, options).diagnostics());
}

}  // namespace pimento::frontend
