// Any bytes are read as a program and as HBM-PIM assembly; what is accepted must print and read back unchanged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/program/hbm_pim_isa.h"
#include "pimento/program/text.h"

namespace {

void tryProgram(std::string_view text) {
  const pimento::Result<pimento::program::Program> program = pimento::program::parse(text, "fuzz");
  if (!program) {
    for (const pimento::Diagnostic &d : program.diagnostics()) PIMENTO_CHECK(d.where.line > 0 && !d.hint.empty());
    return;
  }
  const std::string printed = pimento::program::print(*program);
  const pimento::Result<pimento::program::Program> back = pimento::program::parse(printed);
  PIMENTO_CHECK(back.ok());
  PIMENTO_CHECK(*back == *program);
}

void tryAssembly(std::string_view text) {
  namespace isa = pimento::program::hbm_pim;
  const auto code = isa::parse(text, "fuzz");
  if (!code) {
    for (const pimento::Diagnostic &d : code.diagnostics()) PIMENTO_CHECK(d.where.line > 0 && !d.hint.empty());
    return;
  }
  PIMENTO_CHECK(isa::check(*code).ok());
  const auto back = isa::parse(isa::print(*code));
  PIMENTO_CHECK(back.ok() && *back == *code);
  for (const isa::Instruction &i : *code) {
    const auto decoded = isa::decode(isa::encode(i));
    PIMENTO_CHECK(decoded.ok() && *decoded == i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  tryProgram(text);
  tryAssembly(text);
  return 0;
}
