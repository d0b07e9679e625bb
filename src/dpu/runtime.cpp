#include "pimento/dpu/runtime.h"

#include "pimento/dpu/assembler.h"

namespace pimento::dpu {

const std::vector<Object> &runtimeLibrary() {
  static const std::vector<Object> library = [] {
    std::vector<Object> objects;
    for (const RuntimeFile &file : runtimeFiles()) {
      Result<Object> object = assemble(file.text, "runtime/" + file.name);
      if (!object) internalError(__FILE_NAME__, __LINE__, object.diagnostics().front().str().c_str());
      objects.push_back(std::move(*object));
    }
    return objects;
  }();
  return library;
}

}  // namespace pimento::dpu
