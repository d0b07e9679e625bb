// Any text is read as CNM IR; what is accepted must print and read back unchanged, and be verified on a machine with
// the levels it names, by whose mappings it may be placed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/mapping/cnm.h"
#include "test/support/same_module.h"

namespace {

using namespace pimento;

machine::Machine machineOf(const mapping::CnmModule &module) {
  machine::Machine machine;
  machine.name = "fuzz";
  for (const std::string &level : module.levels)
    machine.levels.push_back({level, 64, level.size() % 2 == 0, "host", level.size() % 3 == 0});
  return machine;
}

void checkDiagnostics(const Diagnostics &diagnostics, bool hasPlaces) {
  for (const Diagnostic &d : diagnostics) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty());
    PIMENTO_CHECK(!hasPlaces || (d.where.line > 0 && d.where.column > 0));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  static_cast<void>(mapping::cnmTarget(text));
  const Result<mapping::CnmModule> module = mapping::parseCnm(text, "fuzz");
  if (!module) {
    PIMENTO_CHECK(module.diagnostics().size() <= mapping::kMaxCnmDiagnostics);
    checkDiagnostics(module.diagnostics(), true);
    return 0;
  }
  const std::string printed = mapping::print(*module);
  const Result<mapping::CnmModule> back = mapping::parseCnm(printed);
  PIMENTO_CHECK(back.ok());
  PIMENTO_CHECK(test::isSame(*module, *back));
  PIMENTO_CHECK(mapping::print(*back) == printed);
  // A graph without a kernel is the one thing that stands nowhere.
  const Status verified = mapping::verify(*module, machineOf(*module));
  if (!verified) checkDiagnostics(verified.diagnostics(), !module->graph.kernels.empty());
  PIMENTO_CHECK(mapping::verify(*back, machineOf(*back)).ok() == verified.ok());
  return 0;
}
