// What a unit executes virtual instructions with, and the memories it has. A DPU is such a unit, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/base/units.h"
#include "pimento/machine/sections/dpu.h"

namespace pimento::machine {

/// How a unit of a compute-near-memory machine executes virtual instructions (CoMoNM section V-A: compute engine and
/// memory engine). Times are device cycles.
struct Compute {
  enum class Mode : std::uint8_t {
    kPipeline,  ///< threads take turns in one pipeline: one instruction of any of them per cycle
    kVector,    ///< threads are lanes in lock step: one instruction at a time, for all of them
  } mode = Mode::kPipeline;
  std::int64_t threads = 1;
  Cycles issueInterval = Cycles(1);  ///< from one issue slot of a thread (of the vector) to its next
  /// What an operation costs on some types.
  struct Operation {
    std::string name;  ///< its key in the file
    std::vector<std::string> operations;
    std::vector<DType> types;
    std::int64_t slots = 1;  ///< issue slots
    Cycles latency;          ///< from its last slot to the thread's next; below the issue interval: that
  };
  std::vector<Operation> operations;
  std::int64_t loopSlots = 0;  ///< of an iteration of a loop: counter, branch

  /// Null where the machine cannot do it.
  const Operation *costOf(std::string_view operation, DType type) const;
};

/// The DRAM bank of a unit, and its scratchpad if it has one.
struct UnitMemory {
  Bytes size;               ///< of the bank
  bool isBlocking = false;  ///< nothing issues while an access is under way; else only the thread that asked waits
  std::int64_t ports = 1;   ///< accesses at a time
  Bytes unit, largest;      ///< sizes are multiples of the unit; longer accesses are split
  std::int64_t ticksPerCycle = 1;
  std::vector<Dpu::Transfer> reads, writes;
  Cycles refreshInterval, refreshTime;  ///< as Dpu's
  Bytes scratchpad;                     ///< 0: there is none, registers are loaded from the bank
  std::int64_t scratchpadSlots = 1;     ///< issue slots of a LOAD or STORE there
};

}  // namespace pimento::machine
