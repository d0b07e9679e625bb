// What actions cost. Which actions there are is not said here: engines count them by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pimento/base/units.h"

namespace pimento::machine {

class Expression;

/// One priced action: `energy` per unit of the count that `action` gives. Background terms are powers. Source and
/// confidence stand in Machine::numbers[path()].
struct EnergyTerm {
  std::string name;    ///< "act_pre", "segment_cell", "standby_stack", ...
  std::string action;  ///< formula over action counts (energy/actions.h) and numbers of the file; "time": background
  std::shared_ptr<const Expression> formula;  ///< `action` as the loader parsed it; null: nobody has yet
  std::string component;                      ///< "pim", "dram", "host", "link"
  Picojoules energy;                          ///< per action; background: pJ per ns (= mW)
  Picojoules low, high;                       ///< range of sources; equal to `energy` where they agree
  bool isBackground = false;
  std::int64_t instances = 1;  ///< background: how many of what `energy` is the power of (stacks, channels)
  std::string instancesPath;   ///< of the number that says so; empty: one
  std::string covers;          ///< what one unit covers, in words
  std::string set;             ///< the set it is of; empty: it stands directly in `energy`

  /// Of its number: "energy.NAME", or "energy.sets.SET.NAME".
  std::string path() const;
};

}  // namespace pimento::machine
