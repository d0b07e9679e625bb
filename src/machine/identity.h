// Everything in a machine that can change a result, as text: two machines with equal texts give equal results.
//
// Not for readers (see printMachine) and not a format: nothing reads it back. Names of sources, notes and places in
// files are left out.
#pragma once

#include <string>

#include "pimento/machine/machine.h"

namespace pimento::machine {

std::string identity(const Machine &machine);

}  // namespace pimento::machine
