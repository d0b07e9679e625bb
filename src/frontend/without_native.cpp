// Texts in a build without LLVM: nothing compiles them.
#include "pimento/frontend/native.h"

namespace pimento::frontend {

namespace {

NativeAnswer absent() {
  return {{}, "this build cannot compile it: it was built without LLVM", {}};
}

}  // namespace

Result<NativeAnswer> runC(std::string_view /*text*/, std::string_view /*file*/, const CKernelOptions & /*options*/,
                          const kernel::Graph & /*graph*/, const kernel::DataSet & /*data*/,
                          const NativeLimits & /*limits*/) {
  return absent();
}

Result<NativeAnswer> runMlir(std::string_view /*text*/, std::string_view /*file*/, const MlirOptions & /*options*/,
                             const kernel::Graph & /*graph*/, const TensorsOfFunction & /*tensors*/,
                             const kernel::DataSet & /*data*/, const NativeLimits & /*limits*/) {
  return absent();
}

}  // namespace pimento::frontend
