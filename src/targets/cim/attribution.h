// What each instruction of a program took: counts of the core between one instruction and the next, and the accounts of
// Eva-CiM as sums over instructions.
//
// Sums over instructions are the totals: counts and cycles exactly, energies up to rounding, since energy is a sum of
// counts and of time, each with a price.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "pimento/evaluate/profile.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/core/core.h"
#include "pimento/targets/cim/counts.h"
#include "pimento/trace/candidates.h"

namespace pimento::targets::cim {

/// What one instruction took, all its executions together.
struct Spent {
  static constexpr std::size_t kMostLevels = 8;

  std::int64_t cycles = 0;
  Totals counts{};
  std::array<std::int64_t, kMostLevels> served{};  ///< loads by the level that had their data

  void add(const Spent &other);
};

/// Reads off what a core did since it was asked last.
class Meter {
 public:
  /// Both outlive this.
  Meter(const machine::Machine &machine, const sim::core::Core &core);

  /// `to`: the instruction that has run.
  void charge(const sim::core::Step &step, const sim::core::Times &times, Spent &to);

 private:
  std::vector<int> way_;
  const sim::core::Core &core_;
  Totals last_{};
  std::int64_t lastCycles_ = 0;
};

/// What is known of the instruction at one address.
struct OwnCounts {
  Spent spent;
  trace::CandidateCounts candidates;
};

/// `profile`: of the program, accounts and all. `again`: the reshaped program, by the addresses of the instructions
/// that its own stand for.
std::map<std::uint64_t, evaluate::Attributed> attributed(const machine::Machine &machine,
                                                         const std::map<std::uint64_t, OwnCounts> &own,
                                                         const std::unordered_map<std::uint64_t, Spent> &again,
                                                         const evaluate::Profile &profile);

/// Adds what a search counted of one instruction.
void add(trace::CandidateCounts &to, const trace::CandidateCounts &counts);

}  // namespace pimento::targets::cim
