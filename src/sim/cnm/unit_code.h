// Virtual instructions with their costs on a machine: what the engine of a unit walks.
//
// A loop is pure if nothing in it can make a thread wait for anything but its turn: then it is a number of issue slots,
// whatever its trip counts. Accesses to the bank and operations with a latency are events. Internal to sim/cnm, and for
// lower bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/virtual.h"

namespace pimento::sim::cnm {

/// What a unit did: of all its threads; a vector's lanes count as one.
struct Counts {
  std::int64_t slots = 0, operations = 0, scratchpadAccesses = 0;
  std::int64_t bankReads = 0, bankWrites = 0, bankReadBytes = 0, bankWriteBytes = 0;

  /// `times` more of everything in `o`; saturated where `times` is positive.
  Counts &add(const Counts &o, std::int64_t times);
  bool operator==(const Counts &) const = default;
};

class UnitCode {
 public:
  enum class Kind : std::uint8_t { kSlots, kAccess, kWait, kLoop, kEnd };
  /// kSlots: issue slots alone. kAccess: `pieces` accesses to the bank, each with `slots` slots, the last of which
  /// starts it. kWait: `slots` slots, and `latency` cycles from the last one to the thread's next.
  struct Step {
    Kind kind = Kind::kSlots;
    int loop = -1;  ///< kLoop, kEnd
    std::int64_t slots = 0, latency = 0;
    bool isRead = true;
    std::int64_t pieces = 0, bytes = 0, lastBytes = 0;  ///< of a piece, of the last one
    Counts counts;                                      ///< of one execution
  };
  struct Loop {
    std::int64_t trip = 0;
    int depth = 0, begin = 0, end = 0;  ///< as program::FlatLoops::Loop
    bool isPure = false;
    bool isUniform = true;  ///< time does not hang on addresses, so any iteration stands for any other
    Counts counts;          ///< of all its iterations, control included
  };

  /// `loops` verify on the machine; their unit outlives this.
  UnitCode(const program::UnitLoops &loops, const machine::Machine &machine);

  const std::vector<Step> &steps() const { return steps_; }
  const std::vector<Loop> &loops() const { return loops_; }
  std::int64_t loopSlots() const { return loopSlots_; }
  /// Of one thread, from its start to its end.
  const Counts &total() const { return total_; }
  /// Threads that take turns: those of a pipeline, one for all lanes of a vector.
  int contexts() const { return contexts_; }
  /// Lanes that an instruction works for.
  std::int64_t lanes() const { return lanes_; }

 private:
  Counts flatten(const std::vector<program::InstructionNode> &nodes, int depth, bool &isPure);
  Step stepOf(const program::Instruction &i) const;
  Step access(const program::Instruction &i, int array, const program::Address &at, bool isRead,
              std::int64_t slots) const;

  const program::Unit &unit_;
  const machine::Compute &compute_;
  const machine::UnitMemory &memory_;
  std::vector<DType> registers_;
  std::vector<Step> steps_;
  std::vector<Loop> loops_;
  std::int64_t loopSlots_ = 0, lanes_ = 1;
  int contexts_ = 1;
  Counts total_;
};

}  // namespace pimento::sim::cnm
