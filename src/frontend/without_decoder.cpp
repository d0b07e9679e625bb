// The decoder of machine code of a build without LLVM: it says what to install.
#include "pimento/frontend/decoder/decoder.h"

namespace pimento::frontend {

Result<std::vector<trace::Instruction>> decodeInstructions(trace::Isa /*isa*/,
                                                           std::span<const EncodedInstruction> /*code*/) {
  return unsupported("needs-llvm", {}, "this build cannot decode machine code: it was built without LLVM",
                     "install the Debian package llvm-19-dev and build with -DPIMENTO_WITH_LLVM=ON; saved traces "
                     "(.ptrace) need no decoder");
}

}  // namespace pimento::frontend
