#include "pimento/dpu/padded_routines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/assembler.h"
#include "pimento/dpu/runtime.h"

namespace pimento::dpu {

std::vector<RoutineCost> libraryCosts() {
  std::vector<RoutineCost> costs;
  for (const Object &object : runtimeLibrary()) {
    for (const Symbol &symbol : object.symbols) {
      if (symbol.section == Symbol::kAbsolute && symbol.name.starts_with(kSlotsPrefix))
        costs.push_back({symbol.name.substr(kSlotsPrefix.size()), static_cast<double>(symbol.value)});
    }
  }
  return costs;
}

PaddedRoutines paddedRoutines(const std::vector<RoutineCost> &costs) {
  // Arguments are in r0 to r3, and every routine changes r4.
  constexpr const char *kText =
      ".section .text.__wrap_{0},\"ax\",@progbits\n.globl __wrap_{0}\n.type __wrap_{0},@function\n__wrap_{0}:\n"
      "  move r4, {1}\n1: add r4, r4, -1, nz, 1b\n  jump __real_{0}\n.size __wrap_{0}, . - __wrap_{0}\n";
  const std::vector<RoutineCost> ours = libraryCosts();
  PaddedRoutines padded;
  for (const RoutineCost &cost : costs) {
    const auto own = std::find_if(ours.begin(), ours.end(), [&](const RoutineCost &c) { return c.name == cost.name; });
    if (own == ours.end()) continue;
    const long long turns = std::llround(cost.slots - own->slots) - 2;  // beside the move and the jump
    if (turns < 1) continue;
    Result<Object> object = assemble(fmt::format(fmt::runtime(kText), cost.name, turns), "padded/" + cost.name + ".s");
    if (!object) internalError(__FILE_NAME__, __LINE__, object.diagnostics().front().str().c_str());
    padded.objects.push_back(std::move(*object));
    padded.names.push_back(cost.name);
  }
  return padded;
}

}  // namespace pimento::dpu
