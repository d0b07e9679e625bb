// What a mapping costs: the few numbers by which searches compare, of a run or of its lower bound.
//
// The same sums as a Report's (evaluator.h): host work by price.h, energy by energy.h. They never fall when the
// device's cycles or actions rise: every step from those to a cost adds or multiplies numbers that are not negative, in
// a fixed order, and rounding keeps order. So the cost of a bound (CompiledPart::bound) is at most the cost of the
// run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/units.h"
#include "pimento/energy/actions.h"

namespace pimento::machine {
struct Machine;
}

namespace pimento::evaluate {

struct HostWork;
enum class Objective : std::uint8_t;  // choices.h
enum class Part : std::uint8_t;       // report.h

/// A stretch of a program: commands that move operands or results beside its kernel, or a named part of the kernel.
struct CommandPhase {
  std::string name;  ///< "place", "move"
  Part part{};       ///< that it counts to
  Cycles cycles;
  std::int64_t commands = 0;  ///< device totals
};

/// What of a device run, or of its lower bound, decides what it costs.
struct DeviceCost {
  Cycles cycles;                 ///< of the kernel
  energy::ActionCounts actions;  ///< device totals, of all phases
  /// Where the program tells them apart: those of Part::kCompute are parts of the kernel, inside `cycles`; the others
  /// stand beside it.
  std::vector<CommandPhase> phases = {};
  std::int64_t kernelCommands = 0;  ///< device totals, where it has
};

struct Cost {
  Cycles kernel, total;             ///< Report::cycles, Report::breakdown.total()
  Picojoules energy, kernelEnergy;  ///< Report::energy.total, Report::kernelEnergy.total

  bool operator==(const Cost &) const = default;
};

/// What an objective minimises: cycles or pJ.
double valueOf(const Cost &cost, Objective objective);

/// The cost of a device run and the host's work around it. The run may be that of an equal program on another number of
/// ranks: `work` says on how many.
Cost costOf(const machine::Machine &machine, const HostWork &work, const DeviceCost &run);

}  // namespace pimento::evaluate
