// Any text is read as a saved result. What is refused says why and what to do; what is accepted names a run, and the
// numbers of a result agree with themselves.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pimento/driver/result_file.h"
#include "pimento/emit/run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const auto result = driver::parseResult(text, "fuzz.json");
  if (!result) {
    PIMENTO_CHECK(!result.diagnostics().empty());
    for (const Diagnostic &d : result.diagnostics())
      PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty() && d.where.file == "fuzz.json");
    return 0;
  }
  PIMENTO_CHECK(!result->run.input.empty() && !result->run.target.empty());
  PIMENTO_CHECK(driver::optionsOf(*result, {}).input == result->run.input);
  emit::RunText now;
  now.version = result->version;
  now.machine = result->machine;
  PIMENTO_CHECK(driver::compareNumbers(*result, result->numbers, now, "fuzz.json").ok());
  if (!result->numbers.empty() && result->numbers.begin()->first != "wall_us" &&
      result->numbers.begin()->first != "compile_us")
    PIMENTO_CHECK(!driver::compareNumbers(*result, {}, now, "fuzz.json").ok());
  return 0;
}
