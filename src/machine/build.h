// From checked values to a typed Machine, and the checks that need several values at once.
#pragma once

#include "pimento/machine/document.h"
#include "pimento/machine/machine.h"
#include "pimento/machine/reader.h"

namespace pimento::machine {

/// Builds the machine. `root` gives the order of names; `values` came from it. Diagnostics: "unknown-command",
/// "bad-address-map", "missing-section", "bad-alias", "bad-formula".
Result<Machine> buildMachine(const Node &root, Values values);

/// Checks between values: powers of two, tRC against tRAS + tRP, banks against blocks, rows in range, levels against
/// organisation. Diagnostics: "impossible-value", "missing-section", "wrong-levels".
void checkMachine(const Machine &machine, const Node &root, Diagnostics &out);

}  // namespace pimento::machine
