// What a target says of a program of a host: time, energy, and what of it could run in memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "pimento/energy/energy.h"
#include "pimento/trace/candidates.h"
#include "pimento/trace/reshape.h"

namespace pimento::evaluate {

/// Accesses by what could become of them (Eva-CiM, Fig. 12).
struct ClassedAccesses {
  std::int64_t writes = 0;          ///< WR
  std::int64_t notConvertible = 0;  ///< NC: reads that stay
  std::int64_t convertible = 0;     ///< CC: reads that a candidate makes in memory
};

/// What a program would take with its candidates in memory, beside what it takes without.
struct Account {
  double cycles = 0, speedup = 1;
  std::map<std::string, std::int64_t> counts;  ///< what is left, and what memory does
  /// None where the machine does not say what operations of its caches cost.
  std::optional<energy::EnergyReport> energy;
  std::optional<double> energyImprovement;
  /// Of the energy that is saved, that of the processor and of its caches (Eva-CiM, Table VI).
  std::optional<double> shareProcessor, shareCaches;
  /// What the gain cannot exceed: all energy over that of the terms of which nothing is saved.
  std::optional<double> mostImprovement;
};

/// One step of the way from the paper's account to the simulated one.
struct BridgeStep {
  std::string effect;  ///< "constant_cpi", "overlap", "operations", "banks", "order", "moves"
  double cycles = 0;   ///< with it and all before it
};

/// What instructions of a program took, and what could become of them; sums of all are those of the profile.
struct Attributed {
  std::int64_t executions = 0, cycles = 0;  ///< cycles: from the commit before it to its own
  double energy = 0;                        ///< pJ
  std::vector<std::int64_t> served;         ///< loads by the cache that had their data, memory last; not forwarded ones
  std::array<std::int64_t, trace::kFates> operations{};
  std::array<std::int64_t, trace::kLoadFates> loads{};
  std::int64_t trees = 0, replaced = 0;  ///< candidates whose root it is; instructions that vanish
  struct Saved {
    double cycles = 0, energy = 0;  ///< energy in pJ
  };
  Saved low, high, resimulated;  ///< as the accounts of the profile have it

  void add(const Attributed &other);
};

struct Profile {
  std::int64_t instructions = 0, cycles = 0;
  std::map<std::string, std::int64_t> stack;   ///< cycles by cause; they sum to `cycles`
  std::map<std::string, std::int64_t> counts;  ///< by the names of the target's table
  trace::CandidateCounts candidates;
  ClassedAccesses accesses;
  energy::EnergyReport energy;
  /// Accesses that candidates replace (MACR): of loads and stores, as the paper has it; of those, at the first data
  /// cache, and behind it; and loads of all loads, as the released analyzer counts.
  double conversion = 0, conversionL1 = 0, conversionOther = 0, conversionRelease = 0;
  /// The paper's (Eva-CiM, section V-C2): what vanishes saves the program's own cycles per instruction, and an
  /// operation costs the latency of its level. `low` counts all of it, and an instruction of the core for each
  /// candidate; `high` what a sum takes beyond a read.
  Account low, high;
  /// The released analyzer's, which knows no time (docs/models/cim.md). None where it does not read the instruction set
  /// (it reads Arm's), or the run was sampled.
  std::optional<Account> release;
  /// The reshaped program, simulated again, on the same core; and with operations of caches that take no time. None
  /// where the run was sampled, or the machine's caches do not compute.
  std::optional<Account> resimulated, ideal;
  std::vector<BridgeStep> bridge;  ///< where it was asked for
  trace::ReshapedCounts reshaped;
  std::int64_t movedDown = 0, copied = 0;  ///< lines and operands, when it was simulated again
  /// Instructions that zero a line of memory, and whose stores nobody tells of (`dc zva` of A64).
  std::int64_t zeroings = 0;
  std::map<std::uint64_t, std::int64_t> cyclesAt;  ///< by the address of the first instruction of blocks
  std::map<std::uint64_t, Attributed> at;          ///< by the address of each instruction; where attribute() was called
  /// Of sampled ones: the interval that holds the cycles with 99 % probability. Nothing: all was run.
  std::optional<std::array<double, 2>> interval;
};

/// A consumer of one stream of instructions; once it has ended, its profile.
class Profiler : public trace::Consumer {
 public:
  /// Before the first block: the profile says what each instruction took.
  virtual void attribute() {}
  /// Instead of onBlock(): the block leaves its traces in caches and predictors, and is otherwise left out.
  virtual void warm(const trace::Block &block, int count, std::span<const trace::Access> accesses) = 0;
  /// Of what onBlock() was given, as far as it has run: the last block waits for the next one.
  struct Progress {
    std::int64_t instructions = 0, cycles = 0;
  };
  virtual Progress progress() = 0;
  virtual Profile profile() = 0;
};

}  // namespace pimento::evaluate
