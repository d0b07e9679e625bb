// A fault within the run-time library as the program's author sees it: the call in the program, and what the fault
// means.
//
// Callers are found by the calling convention (decision 9): a leaf function has its return address in r23, others have
// r22 and r23 of their caller in the last 8 bytes of their frame. Where a program has no line information, there are
// none.
#pragma once

#include <optional>
#include <string>

#include "pimento/sim/dpu/core.h"

namespace pimento::sim::dpu {

/// The call outside the library through which `tasklet`, at `pc`, has entered it. Nothing where it is not in the
/// library or no caller outside of it is found.
std::optional<std::uint32_t> callIntoLibrary(const Core &core, int tasklet, std::uint32_t pc);

struct LibraryFault {
  std::uint32_t call = 0;  ///< as callIntoLibrary
  std::string meaning;     ///< "division by zero"; empty: as the instruction says
  std::string hint;
};

/// Of a tasklet that faults at its next instruction; nothing as above.
std::optional<LibraryFault> libraryFault(const Core &core, int tasklet);

}  // namespace pimento::sim::dpu
