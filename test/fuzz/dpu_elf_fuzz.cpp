// Any bytes are read as an archive, as an object, linked, and read as an executable; what is accepted must survive
// being written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/dpu/archive.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/linker.h"

namespace {

namespace dpu = pimento::dpu;

void checkReasons(const pimento::Diagnostics &found) {
  PIMENTO_CHECK(!found.empty());
  for (const pimento::Diagnostic &d : found) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty());
  }
}

void checkExecutable(const pimento::program::Code &code) {
  const auto back = dpu::readExecutable(dpu::writeExecutable(code), "fuzz", code.tasklets);
  PIMENTO_CHECK(back.ok() && back->instructions == code.instructions && back->lines == code.lines);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const auto members = dpu::readArchive(bytes, "fuzz");
  if (!members) checkReasons(members.diagnostics());
  const auto code = dpu::readExecutable(bytes, "fuzz");
  if (code) {
    checkExecutable(*code);
  } else {
    checkReasons(code.diagnostics());
  }
  const auto object = dpu::readObject(bytes, "fuzz");
  if (!object) {
    checkReasons(object.diagnostics());
    return 0;
  }
  const std::string file = dpu::writeObject(*object);
  PIMENTO_CHECK(dpu::readObject(file, "fuzz").ok());
  const auto linked = dpu::link({*object}, {});
  if (!linked) {
    checkReasons(linked.diagnostics());
  } else {
    checkExecutable(*linked);
  }
  return 0;
}
