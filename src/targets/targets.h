// All targets there are. The list is targets.def; nothing else names them.
#pragma once

#include "pimento/evaluate/target.h"

namespace pimento::targets {

#define PIMENTO_TARGET(name)        \
  namespace name {                  \
  const evaluate::Target &target(); \
  }
#include "pimento/targets/targets.def"
#undef PIMENTO_TARGET

const evaluate::Targets &all();

/// The target of the machine's family. Diagnostics: "unknown-family", with the families there are.
Result<const evaluate::Target *> targetOf(const machine::Machine &machine);

/// The target that runs a program on the machine: that of its family, unless the program is one that runs anywhere.
Result<const evaluate::Target *> targetOf(const machine::Machine &machine, const program::Program &program);

/// What must hold beyond the machine file itself: the target's own checks, and names in energy formulas. A family that
/// no target has is let through; who runs something on it says so. Diagnostics: Target::check, energy::check.
Status check(const machine::Machine &machine);

}  // namespace pimento::targets
