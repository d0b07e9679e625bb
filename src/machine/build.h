// From checked values to a typed Machine, and the checks that need several values at once.
#pragma once

#include "pimento/machine/document.h"
#include "pimento/machine/machine.h"
#include "pimento/machine/reader.h"

namespace pimento::machine {

/// Builds the machine, section by section (sections/sections.def). `root` gives the order of names; `values` came from
/// it. Diagnostics: those of the sections, for example "unknown-command", "bad-address-map", "missing-section",
/// "bad-alias", "impossible-value" (powers of two, tRC against tRAS + tRP, banks against blocks, rows in range),
/// "wrong-levels".
Result<Machine> buildMachine(const Node &root, Values values);

}  // namespace pimento::machine
