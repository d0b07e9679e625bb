// What a front end guesses of branches: directions, targets, returns.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/trace/instruction.h"

namespace pimento::sim::core {

/// How wrong a guess was.
enum class Guess : std::uint8_t {
  kRight,
  kLateTarget,  ///< a direct jump whose target the front end had to wait for: known once it is decoded
  kWrong,       ///< known once it has executed
};

class Predictor {
 public:
  explicit Predictor(const machine::Core &core);

  /// Guesses, then learns what happened. `next`: the address that ran after the branch.
  Guess branch(const trace::Instruction &branch, std::uint64_t next);

 private:
  struct Target {
    std::uint64_t address = 0, target = 0, used = 0;
  };
  bool guessDirection(std::uint64_t address, bool isTaken);
  /// Where the buffer says the branch goes; 0: it does not know. Learns.
  std::uint64_t guessTarget(std::uint64_t address, std::uint64_t target, bool isTaken);

  const machine::Core &core_;
  std::vector<std::uint8_t> counters_;
  std::uint64_t history_ = 0, historyMask_;
  std::vector<Target> targets_;
  std::size_t setMask_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> returns_;
};

}  // namespace pimento::sim::core
