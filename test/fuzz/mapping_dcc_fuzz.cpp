// Any text is read as DCC's representation; what is accepted and can stand on a machine with the levels it names prints
// and reads back unchanged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/mapping/dcc.h"
#include "test/support/same_module.h"

namespace {

using namespace pimento;

/// The last level is that of the cores.
machine::Machine machineOf(const mapping::CnmModule &module) {
  machine::Machine machine;
  machine.name = module.target;
  for (const std::string &level : module.levels) machine.levels.push_back({level, 64, true, "host", false});
  if (machine.levels.empty()) machine.levels.push_back({"core", 64, true, "host", false});
  return machine;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  static_cast<void>(mapping::dccTarget(text));
  const Result<mapping::CnmModule> module = mapping::parseDcc(text, "fuzz");
  if (!module) {
    PIMENTO_CHECK(module.diagnostics().size() <= mapping::kMaxCnmDiagnostics);
    for (const Diagnostic &d : module.diagnostics())
      PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty() && d.where.line > 0 && d.where.column > 0);
    return 0;
  }
  if (!mapping::verify(*module)) return 0;
  const machine::Machine machine = machineOf(*module);
  if (!mapping::verify(*module, machine)) return 0;
  const Result<std::string> printed = mapping::printDcc(*module, machine);
  if (!printed) return 0;
  const Result<mapping::CnmModule> back = mapping::parseDcc(*printed, "again");
  PIMENTO_CHECK(back.ok());
  PIMENTO_CHECK(*mapping::printDcc(*back, machine) == *printed);
  return 0;
}
