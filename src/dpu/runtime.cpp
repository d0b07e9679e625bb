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

bool isLibraryFile(std::string_view file) {
  return file.starts_with("runtime/") || file.starts_with("include/");
}

FaultMeaning faultMeaning(std::string_view file) {
  if (file == "runtime/divide32.s" || file == "runtime/divide64.s") return {"division by zero", {}};
  if (file == "runtime/assert.s") return {"an assertion failed", "read the log: it names the condition"};
  if (file == "runtime/heap.s")
    return {"the heap has no room for the block",
            "allocate less, call mem_reset at the start of a launch, or use smaller stacks or fewer tasklets"};
  return {};
}

}  // namespace pimento::dpu
