// What a program computes, without the time it takes: tasklets take turns from event to event.
//
// One of the orders in which a DPU could execute the program. Where tasklets race, results may differ from those of a
// simulation with time. The performance counter counts instructions.
#pragma once

#include <cstdint>

#include "pimento/sim/dpu/core.h"
#include "pimento/sim/dpu/interpreter.h"

namespace pimento::sim::dpu {

class UntimedRun {
 public:
  /// `code` is made from the core's steps, which stay as they are.
  UntimedRun(Core &core, const FastCode &code) : core_(core), code_(code), interpreter_(code, core.steps, core.wram) {}

  /// From a launch to the end.
  void run(const RunOptions &options);

 private:
  void runTasklet(int tasklet, std::int64_t mostInstructions);
  bool event(int tasklet);

  Core &core_;
  const FastCode &code_;
  Interpreter interpreter_;
};

}  // namespace pimento::sim::dpu
