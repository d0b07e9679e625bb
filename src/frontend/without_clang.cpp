// The C front end of a build without LLVM: it says what to install.
#include "pimento/frontend/dpu_c.h"
#include "pimento/frontend/host_c.h"

namespace pimento::frontend {

bool hasDpuC() {
  return false;
}

Result<DpuModule> readDpuC(const program::DpuSource &source, DpuOutput /*output*/) {
  return unsupported(
      "dpu-compiler-absent", Location{source.file}, "this build cannot compile C for DPUs: it was built without LLVM",
      "install the Debian packages llvm-19-dev, libclang-19-dev, libclang-cpp19-dev and clang-19 and build with "
      "-DPIMENTO_WITH_LLVM=ON; assembly (.s) and ELF files need no LLVM");
}

Result<std::string> compileHostC(const std::string & /*text*/, HostOutput /*output*/) {
  return unsupported(
      "host-compiler-absent", {}, "this build cannot compile kernels for a host's core: it was built without LLVM",
      "install the Debian packages llvm-19-dev, libclang-19-dev, libclang-cpp19-dev and clang-19 and build with "
      "-DPIMENTO_WITH_LLVM=ON");
}

}  // namespace pimento::frontend
