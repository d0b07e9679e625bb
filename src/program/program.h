// What the device executes: processes, each with its kind of body, side by side.
//
// A body is loops of device commands (command.h), loops of virtual instructions (virtual.h), or machine code (code.h);
// who asks which visits it. A Program keeps its loops as loops; engines walk them with a cursor (loops_cursor.h) and
// fast-forward skips whole iterations. The model is CoMoNM's llvcnm (section IV-D): with the device's own commands
// where time hangs on addresses (HBM-PIM), with virtual instructions where it does not. The text form is in text.h.
//
// Not here: data (images are named, their contents belong to the lowering) and time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/machine/machine.h"
#include "pimento/program/code.h"
#include "pimento/program/command.h"
#include "pimento/program/virtual.h"

namespace pimento::program {

/// Data the host sends with writes: `bursts` bursts, one copy for all channels or one per channel.
struct Image {
  std::string name;
  std::int64_t bursts = 0;
  bool isPerChannel = false;

  bool operator==(const Image &) const = default;
};

/// What a DPU runs.
struct MachineCode {
  std::shared_ptr<const Code> code;           ///< never null
  std::vector<Code::Segment> arguments = {};  ///< what the host writes besides operands, before the launch

  bool operator==(const MachineCode &o) const {
    return arguments == o.arguments && (code == o.code || *code == *o.code);
  }
};

using Body = std::variant<CommandLoops, UnitLoops, MachineCode>;

/// What `instances` identical units do: channels that receive a command stream, units that run virtual instructions, or
/// DPUs that run machine code.
struct Process {
  std::string name;
  std::int64_t instances = 1;
  Body body;
  /// Commands: one list for all channels, taken in order; the first command that its channel refuses holds up all of
  /// them. Commands say which channels they go to. Else every channel takes the list for itself.
  bool isShared = false;

  bool operator==(const Process &) const = default;
};

/// Processes run side by side, each on units of its own; all bodies are of one kind.
struct Program {
  std::string target;
  std::vector<Image> images;
  std::vector<Process> processes;
  std::vector<NamedCommand> commands = {};  ///< at most 255

  bool operator==(const Program &) const = default;
};

/// Where processes and statements stand in the text a program was read from, both in textual order.
struct Places {
  std::vector<Location> processes, commands;
};

/// Has a process a body of this kind?
template <typename Kind>
bool has(const Program &program) {
  return std::any_of(program.processes.begin(), program.processes.end(),
                     [](const Process &p) { return std::holds_alternative<Kind>(p.body); });
}

/// Checks a program against a machine: whether it has what the bodies run on, and enough of it for all processes
/// together; of commands whether the machine has them, nesting depth, trip counts,
/// rank/bank/row/column bounds over all iterations, image bounds; of
/// virtual instructions what verify.h lists; of machine code whether there is room for it. Diagnostics name the
/// process or the statement, say by how much, and where it stands if `places` are given.
Status verify(const Program &program, const machine::Machine &machine, const Places *places = nullptr);

/// How many channels of its process a command goes to: of a process that is not shared, one of each instance.
inline std::int64_t channelsOf(const Process &process, const Command &command) {
  if (!process.isShared) return 1;
  return command.channels.count > 0 ? command.channels.count : process.instances;
}

/// Executions of each purpose per instance (of a shared process: of all together), from the trip counts; saturated.
/// None where the body has no commands.
std::array<std::int64_t, kPurposes> countCommands(const Process &process);

}  // namespace pimento::program
