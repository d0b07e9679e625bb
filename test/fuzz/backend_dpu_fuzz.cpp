// Random modules of LLVM IR, drawn from the fuzzer's bytes: compiled, linked and run, they compute what an interpreter
// of our own says.
#include <cstddef>
#include <cstdint>

#include "test/support/compiled_ir.h"
#include "test/support/random_ir.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento::test;
  Choices choices(std::span<const std::uint8_t>(data, size));
  RandomIrOptions options;
  const int level = static_cast<int>(choices.below(4));
  options.functions = choices.integer(1, 3);
  options.statements = 16;
  IrModule module = RandomIr(choices, options).module();
  const std::optional<IrAnswer> answer = IrInterpreter(module).run();
  if (!answer) return 0;  // runs on for too long
  const std::string text = IrPrinter(module).text();
  const std::string wrong = wrongWith(text, module, *answer, level);
  PIMENTO_CHECK(wrong.empty());
  return 0;
}
