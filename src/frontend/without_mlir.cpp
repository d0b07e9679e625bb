// The MLIR front end of a build without LLVM: it says what to install.
#include <utility>

#include "pimento/frontend/frontend.h"

namespace pimento::frontend {

namespace {

Diagnostics needsLlvm(std::string_view file) {
  return {unsupported("needs-llvm", Location{std::string(file)},
                      "this build cannot read MLIR: it was built without LLVM",
                      "install the Debian packages libmlir-19-dev, llvm-19-dev and mlir-19-tools and build with "
                      "-DPIMENTO_WITH_LLVM=ON; index notation ('y[i] += A[i,j] * x[j]') needs no LLVM")};
}

}  // namespace

struct MlirFile::Read {
  std::string file;
};

bool hasMlir() {
  return false;
}

Result<MlirFile> MlirFile::read(std::string_view /*text*/, std::string_view file, const std::string & /*function*/) {
  return needsLlvm(file);
}

Result<Imported> MlirFile::bind(const kernel::Sizes & /*sizes*/) const {
  return needsLlvm(read_->file);
}

Result<Imported> importMlirFile(std::string_view /*text*/, std::string_view file, const MlirOptions & /*options*/) {
  return needsLlvm(file);
}

Result<kernel::Graph> importMlir(std::string_view /*text*/, std::string_view file, const MlirOptions & /*options*/) {
  return needsLlvm(file);
}

}  // namespace pimento::frontend
