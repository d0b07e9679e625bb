// --set PATH=VALUE: changes a machine file's tree before it is read, so that every check runs on the changed file.
#pragma once

#include <vector>

#include "pimento/machine/document.h"
#include "pimento/machine/machine.h"

namespace pimento::machine {

/// Applies overrides in order. A number without unit takes the unit it replaces; an alias stands for its path.
/// Diagnostics: "unknown-path", "bad-override" (not a single value).
void applyOverrides(Node &root, const std::vector<Override> &overrides, Diagnostics &out);

}  // namespace pimento::machine
