// The C front end for kernels of a build without LLVM: it says what to install.
#include "pimento/frontend/frontend.h"

namespace pimento::frontend {

namespace {

Diagnostics needsLlvm(std::string_view file) {
  return {unsupported(
      "needs-llvm", Location{std::string(file)}, "this build cannot read C: it was built without LLVM",
      "install the Debian packages libclang-19-dev, libclang-cpp19-dev, clang-19, libmlir-19-dev, llvm-19-dev "
      "and mlir-19-tools and build with -DPIMENTO_WITH_LLVM=ON; index notation ('y[i] += A[i,j] * x[j]') needs "
      "no LLVM")};
}

}  // namespace

struct CFile::Read {
  std::string file;
};

bool hasKernelC() {
  return false;
}

Result<CFile> CFile::read(std::string_view /*text*/, std::string_view file, const std::string & /*function*/,
                          const CPreprocessing & /*preprocessing*/) {
  return needsLlvm(file);
}

Result<CKernels> CFile::bind(const kernel::Sizes & /*sizes*/) const {
  return needsLlvm(read_->file);
}

Result<std::vector<std::string>> CFile::sizes() const {
  return needsLlvm(read_->file);
}

Result<CKernels> importC(std::string_view /*text*/, std::string_view file, const CKernelOptions & /*options*/) {
  return needsLlvm(file);
}

}  // namespace pimento::frontend
