// The reader of debug information of a build without LLVM: it says what to install.
#include "pimento/frontend/symbols/symbols.h"

namespace pimento::frontend {

Result<Symbols> readSymbols(std::string_view /*program*/, const std::string &file,
                            std::span<const std::uint64_t> /*addresses*/) {
  return unsupported("needs-llvm", {file}, "this build cannot read debug information: it was built without LLVM",
                     "install the Debian package llvm-19-dev and build with -DPIMENTO_WITH_LLVM=ON; saved traces "
                     "(.ptrace) keep the lines of what ran");
}

}  // namespace pimento::frontend
