// Energy of a run: integer action counts times the cited costs of the machine file, plus background power times time.
//
// Modelled, not validated. Nothing is summed while a run goes on: counts are integers, so the result does not depend
// on how the run was evaluated, and rows are added once, in the order of the machine file. What may be added to what
// without counting twice is decided in the machine file (activation per row, column energy by path segments, standby
// once for the whole interval); this room multiplies and adds.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/energy/actions.h"
#include "pimento/machine/machine.h"

namespace pimento::energy {

/// One term of the machine file, priced.
struct EnergyRow {
  std::string term;       ///< "act_pre"
  std::string path;       ///< of its number in Machine::numbers: "energy.act_pre"
  std::string component;  ///< "dram", "pim", "link", "host"
  bool isBackground = false;
  std::int64_t count = 0;        ///< value of the action formula; background: instances that draw the power
  std::string formula;           ///< the action formula, or "time"
  double unitCost = 0;           ///< in `unit`
  std::string unit;              ///< "pJ", "pJ/bit"; background: "mW"
  Picojoules energy, low, high;  ///< with the term's value, and with the ends of its range
  std::string source;
  machine::Confidence confidence = machine::Confidence::kAssumed;
};

/// Energy of one component of the machine.
struct ComponentEnergy {
  Picojoules dynamic, background;

  Picojoules total() const { return dynamic + background; }
};

struct EnergyReport {
  std::vector<EnergyRow> rows;  ///< one per term, in the order of the file; `total` is their sum in this order
  std::map<std::string, ComponentEnergy> components;
  Picojoules dynamic, background, total;
  Picojoules low, high;  ///< all terms at the low, or high, end of their ranges: no confidence interval
  Picoseconds duration;  ///< what background power was multiplied with
  std::string covers;    ///< the chips and the level the total stands for
};

/// Checks that action formulas name `actions` (what the machine's engines and its host count) and whole numbers of the
/// file, and only add and multiply, so that energy never falls when a count rises. Machines must pass before they are
/// priced. Diagnostics: "unknown-name",
/// "bad-formula".
Status check(const machine::Machine &machine, std::span<const std::string_view> actions);

/// Prices a run that took `duration`. `machine` has passed check(); counts are of the whole machine.
EnergyReport price(const machine::Machine &machine, const ActionCounts &counts, Picoseconds duration);

/// Sentence that goes with every energy number.
inline constexpr const char *kDisclaimer = "energy is modelled from cited constants, not validated against hardware";

}  // namespace pimento::energy
