// Phases of a process: named stretches of its commands, one behind the other.
//
// A phase is an outermost loop that runs once and has a phase's name as its label; a process has phases if all its
// outermost nodes are. The text form needs nothing else: `loop load 1 { ... }`. Phases tell a kernel from the movement
// of its operands; what they count to in a report is the target's business.
#pragma once

#include <string_view>
#include <vector>

#include "pimento/program/command.h"

namespace pimento::program {

enum class PhaseKind : std::uint8_t {
  kPlace,    ///< weights from where the host has them into the banks
  kAppend,   ///< new rows of weights that lie in the banks
  kLoad,     ///< operands of this run, to where the units' controller sends them from
  kCompute,  ///< the kernel
  kMove,     ///< results to where the host has them
};
/// "place" "append" "load" "compute" "move".
std::string_view name(PhaseKind kind);

struct ProcessPhase {
  PhaseKind kind = PhaseKind::kCompute;
  int node = 0;               ///< among the outermost ones
  int firstCommand = 0;       ///< number of its first command in textual order (FlatLoops numbers them so)
  std::int64_t commands = 0;  ///< executed, saturated
};

/// In order; empty: the process has none. A phase without a command is left out.
std::vector<ProcessPhase> phasesOf(const CommandLoops &nodes);

}  // namespace pimento::program
