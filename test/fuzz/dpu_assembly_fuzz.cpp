// Any bytes are assembled and linked; what becomes an instruction must come back through its text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/dpu/assembler.h"
#include "pimento/dpu/disassembler.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/isa.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/runtime.h"

namespace {

namespace dpu = pimento::dpu;

void checkReasons(const pimento::Diagnostics &found) {
  PIMENTO_CHECK(!found.empty());
  for (const pimento::Diagnostic &d : found) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty());
  }
}

void checkWords(const dpu::Object &object) {
  for (const dpu::Section &section : object.sections) {
    if (section.memory != dpu::Memory::kIram) continue;
    for (std::size_t at = 0; at + 8 <= section.bytes.size() && at < 8 * 64; at += 8) {
      std::uint64_t word = 0;
      for (std::size_t i = 8; i-- > 0;) word = word << 8 | section.bytes[at + i];
      const auto instruction = dpu::decode(word);
      if (!instruction) continue;  // data in a section of code
      const auto back = dpu::assemble(dpu::print(*instruction), "fuzz");
      PIMENTO_CHECK(back.ok() && dpu::encode(*instruction) == word);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const auto object = dpu::assemble({reinterpret_cast<const char *>(data), size}, "fuzz");
  if (!object) {
    checkReasons(object.diagnostics());
    return 0;
  }
  checkWords(*object);
  const std::string file = dpu::writeObject(*object);
  const auto read = dpu::readObject(file, "fuzz");
  if (!read) checkReasons(read.diagnostics());
  const auto code = dpu::link({*object}, {}, &dpu::runtimeLibrary());
  if (!code) checkReasons(code.diagnostics());
  return 0;
}
