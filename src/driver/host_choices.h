// Machines of `profile`: every choice of --caches, --arrays, --technology and --levels is one.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {

struct HostChoice {
  std::string caches, arrays, technology, levels;  ///< as the options have them; empty: the machine's own
  machine::Machine machine;
};

/// The machine whose core runs programs (cim-a9 where none is named) with --locality, and with each choice of caches,
/// of sets of arrays and cells that price them, and of levels that compute: in this order, the last one changes first.
/// Diagnostics: those of loadTarget, of arrays and cells, "missing-section", "bad-locality", "bad-caches",
/// "empty-choice", "duplicate-choice", "unknown-name".
Result<std::vector<HostChoice>> hostChoices(const Options &options);

/// The one machine of these options. Diagnostics: those of hostChoices(), "one-choice" (there are several).
Result<machine::Machine> loadHost(const Options &options);

}  // namespace pimento::driver
