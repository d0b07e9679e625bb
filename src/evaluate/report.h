// The one result object; every view (table, JSON, timeline, HTML) derives from it.
//
// Keys and meanings are the contract's (JSON of `estimate` / `simulate`). Parts sum to the total. `wallUs` and
// `compileUs` are the only fields that may differ between two runs of one input.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/energy/energy.h"

namespace pimento::evaluate {

/// Device cycles per part of a run. `compute` is the device kernel alone, mode changes included.
struct Breakdown {
  Cycles transferIn, rearrangeIn, compute, merge, rearrangeOut, transferOut;

  Cycles total() const { return transferIn + rearrangeIn + compute + merge + rearrangeOut + transferOut; }
};

enum class Exactness : std::uint8_t { kSimulated, kFastForwarded, kSampled };

/// A 99 % (say) confidence interval of the cycles, for sampled results.
struct Interval {
  double level = 0.99;
  Cycles low, high;
};

/// One kernel of a graph and what ran where.
struct Stage {
  std::string kernel;
  std::string where;  ///< "pim" or "host"
  std::string mapping;
  Cycles cycles;
};

struct Report {
  std::string kernel;
  std::map<std::string, std::int64_t> sizes;
  std::string dtype, target, mapping;
  Cycles cycles, cyclesSimulated;
  double timeNs = 0;  ///< of total_cycles
  Exactness exact = Exactness::kSimulated;
  std::optional<Interval> interval;
  Breakdown breakdown;
  energy::EnergyReport energy;        ///< of the whole run, host included
  energy::EnergyReport kernelEnergy;  ///< of the device kernel alone: its actions, and background power while it runs
  std::map<std::string, std::int64_t> counts;
  bool isChecked = false;
  std::int64_t channelsSimulated = 1, channelsIdentical = 1;  ///< one stands for all identical ones
  std::vector<Stage> stages;
  std::int64_t wallUs = 0, compileUs = 0;
  std::vector<std::string> warnings;
};

}  // namespace pimento::evaluate
