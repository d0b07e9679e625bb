// The loops behind the micro-benchmark tables of a DPU, as small programs on the simulated DPU.
//
// Each is run as it was measured: the time of a loop less the time of the same loop without what is measured, with all
// tasklets, start and end left out. So what one contaminates the other contaminates as well.
#pragma once

#include "pimento/base/diagnostics.h"
#include "pimento/machine/machine.h"
#include "pimento/tune/calibration_tables.h"

namespace pimento::tune {

/// Slots of the loop that transfers are measured in: without any, and how many more it has with some. The table says
/// both: a saturated engine takes transfers at its pace however long the loop, so what is subtracted shows.
struct LoopSlots {
  std::int64_t empty = 19, more = 2;
};

/// Cycles as the table counts them. Diagnostics: a fault of the run, dpu-link-tasklets.
Result<double> benchmarkTransfers(const machine::Dpu &dpu, const TransferRow &row, const LoopSlots &slots = {});
Result<double> benchmarkMultiply(const machine::Dpu &dpu, std::int64_t value);
Result<double> benchmarkBarrier(const machine::Dpu &dpu, std::int64_t tasklets, std::int64_t barriers);
/// `count` instructions written as `instruction`, of a lone tasklet; r4 is 0, r5 an address of WRAM, r14 in use.
Result<double> benchmarkInstructions(const machine::Dpu &dpu, const std::string &instruction, std::int64_t count);

}  // namespace pimento::tune
