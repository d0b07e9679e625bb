// The one result object; every view (table, JSON, timeline, HTML) derives from it.
//
// Keys and meanings are the contract's (JSON of `estimate` / `simulate`). Parts sum to the total. `wallUs` and
// `compileUs` are the only fields that may differ between two runs of one input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/base/units.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/profile.h"

namespace pimento::evaluate {

/// Device cycles per part of a run. `compute` is the device kernel alone, mode changes included; `launch` is what it
/// costs the host to start it and to learn that it is done; `host` is the time of kernels that stay on the host.
struct Breakdown {
  Cycles transferIn, rearrangeIn, launch, compute, merge, rearrangeOut, transferOut, host;

  Cycles total() const {
    return transferIn + rearrangeIn + launch + compute + merge + rearrangeOut + transferOut + host;
  }
  Breakdown &operator+=(const Breakdown &o) {
    transferIn += o.transferIn;
    rearrangeIn += o.rearrangeIn;
    launch += o.launch;
    compute += o.compute;
    merge += o.merge;
    rearrangeOut += o.rearrangeOut;
    transferOut += o.transferOut;
    host += o.host;
    return *this;
  }
};

enum class Exactness : std::uint8_t { kSimulated, kFastForwarded, kSampled, kExtrapolated };

/// A 99 % (say) confidence interval of the cycles, for sampled results.
struct Interval {
  double level = 0.99;
  Cycles low, high;
};

/// One kernel of a graph and what ran where.
struct Stage {
  std::string kernel;
  bool isOnHost = false;
  std::string why;         ///< why it stays on the host; empty on the device
  std::string mapping;     ///< empty on the host
  std::string mappingWhy;  ///< who chose the mapping, and among how many; empty on the host
  Cycles cycles;           ///< of the device kernel
  Breakdown breakdown;
  Picojoules energy;  ///< dynamic, and background while it runs
  std::int64_t operations = 0;
  Bytes bytes;                            ///< that the kernel touches in memory, each once
  Cycles hostCycles;                      ///< were it to run on the host: its roofline
  std::optional<Cycles> offloadedCycles;  ///< were it to run on the device, host work included; nothing if it cannot
};

/// What a program left in a place of its memory that the user asked for.
struct Readout {
  std::string place;  ///< as asked for: "result:u32[8]"
  DType type = DType::kU8;
  std::vector<std::byte> bytes;
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
  Cycles setup;                       ///< placing constants of the graph before the first run; in no total
  energy::EnergyReport setupEnergy;   ///< of that
  energy::EnergyReport energy;        ///< of the whole run, host included
  energy::EnergyReport kernelEnergy;  ///< of the device kernel alone: its actions, and background power while it runs
  std::map<std::string, std::int64_t> counts;
  bool isChecked = false;
  std::string unit = "channel";  ///< of what the device has many: "channel", "DPU"
  /// How many ran, for how many identical ones they stand.
  std::int64_t unitsSimulated = 1, unitsIdentical = 1;
  std::vector<Stage> stages;
  std::int64_t wallUs = 0, compileUs = 0;
  std::vector<std::string> warnings;
  /// False: a program from a file, with no kernel behind it that says what the answer is.
  bool hasKernel = true;
  // Of machine-code programs from files:
  std::optional<Profile> profile;
  std::string log;  ///< what the program printed
  std::vector<Readout> readouts;
  std::optional<Diagnostic> fault;  ///< the run ended early; the rest is of what happened up to there
};

}  // namespace pimento::evaluate
