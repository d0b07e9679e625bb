#include "pimento/dpu/runtime.h"

#include "pimento/dpu/assembler.h"

namespace pimento::dpu {

void makeWeak(Object &object) {
  for (Symbol &symbol : object.symbols) {
    if (symbol.section != Symbol::kUndefined && symbol.binding == Binding::kGlobal) symbol.binding = Binding::kWeak;
  }
}

const std::vector<Object> &runtimeLibrary() {
  static const std::vector<Object> library = [] {
    std::vector<Object> objects;
    for (const RuntimeFile &file : runtimeFiles()) {
      Result<Object> object = assemble(file.text, "runtime/" + file.name);
      if (!object) internalError(__FILE_NAME__, __LINE__, object.diagnostics().front().str().c_str());
      makeWeak(*object);
      objects.push_back(std::move(*object));
    }
    return objects;
  }();
  return library;
}

}  // namespace pimento::dpu
