#include "pimento/dpu/load.h"

#include "pimento/dpu/assembler.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/runtime.h"

namespace pimento::dpu {

Result<program::Code> loadProgram(std::string_view contents, std::string_view file, const LinkOptions &options) {
  const ElfKind kind = elfKind(contents);
  if (kind == ElfKind::kExecutable) return readExecutable(contents, file, options.tasklets);
  Result<Object> object = kind == ElfKind::kRelocatable ? readObject(contents, file) : assemble(contents, file);
  if (!object) return std::move(object.diagnostics());
  std::vector<Object> objects;
  objects.push_back(std::move(*object));
  return link(std::move(objects), options, &runtimeLibrary());
}

}  // namespace pimento::dpu
