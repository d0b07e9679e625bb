// Machines of `profile`: every choice of --caches and --levels is one.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {

struct HostChoice {
  std::string caches, levels;  ///< as the options have them; empty: the machine's own
  machine::Machine machine;
};

/// The machine whose core runs programs (cim-a9 where none is named) with --locality, and with each choice of caches
/// and of levels that compute, in the order of the options, caches first. Diagnostics: those of loadTarget,
/// "missing-section", "bad-locality", "bad-caches", "empty-choice", "unknown-name".
Result<std::vector<HostChoice>> hostChoices(const Options &options);

/// The one machine of these options. Diagnostics: those of hostChoices(), "one-choice" (there are several).
Result<machine::Machine> loadHost(const Options &options);

}  // namespace pimento::driver
