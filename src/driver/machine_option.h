// `--target` and `--set`: which machine, and where its file lies.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"

namespace pimento::machine {
struct Machine;
}

namespace pimento::driver {

/// Loads the machine `name` with the overrides of `options`. Diagnostics: bad-override, those of machine files.
Result<machine::Machine> loadTarget(const Options &options, const std::string &name);

/// Folders with machine files: `options.machinePath`, else $PIMENTO_MACHINES, else those that come with the tool.
std::vector<std::string> machineFolders(const Options &options);

}  // namespace pimento::driver
