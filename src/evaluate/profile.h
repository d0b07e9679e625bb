// What a target says of a program of a host: time, energy, and what of it could run in memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "pimento/energy/energy.h"
#include "pimento/trace/candidates.h"

namespace pimento::evaluate {

/// Accesses by what could become of them (Eva-CiM, Fig. 12).
struct ClassedAccesses {
  std::int64_t writes = 0;          ///< WR
  std::int64_t notConvertible = 0;  ///< NC: reads that stay
  std::int64_t convertible = 0;     ///< CC: reads that a candidate makes in memory
};

struct Profile {
  std::int64_t instructions = 0, cycles = 0;
  std::map<std::string, std::int64_t> stack;   ///< cycles by cause; they sum to `cycles`
  std::map<std::string, std::int64_t> counts;  ///< by the names of the target's table
  trace::CandidateCounts candidates;
  ClassedAccesses accesses;
  energy::EnergyReport energy;
  /// Share of loads and stores that candidates replace; at the first data cache, and behind it.
  double conversion = 0, conversionL1 = 0, conversionOther = 0;
  /// The paper's time (Eva-CiM, section V-C2): what vanishes saves the program's own cycles per instruction, and an
  /// operation costs the latency of its level. `low` counts all of it, `high` what a sum takes beyond a read.
  double speedupLow = 1, speedupHigh = 1;
  std::map<std::uint64_t, std::int64_t> cyclesAt;  ///< by the address of the first instruction of blocks
  /// Of sampled ones: the interval that holds the cycles with 99 % probability. Nothing: all was run.
  std::optional<std::array<double, 2>> interval;
};

/// A consumer of one stream of instructions; once it has ended, its profile.
class Profiler : public trace::Consumer {
 public:
  /// Instead of onBlock(): the block leaves its traces in caches and predictors, and is otherwise left out.
  virtual void warm(const trace::Block &block, int count, std::span<const trace::Access> accesses) = 0;
  /// Of what onBlock() was given, as far as it has run: the last block waits for the next one.
  struct Progress {
    std::int64_t instructions = 0, cycles = 0;
  };
  virtual Progress progress() const = 0;
  virtual Profile profile() const = 0;
};

}  // namespace pimento::evaluate
