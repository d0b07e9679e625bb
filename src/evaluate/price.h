// What the host's part of a run costs: moving operands and results, rearranging, adding partial sums.
//
// Bandwidth models, not simulations: bytes over the link's bandwidth times the share of it that streams reach, plus a
// latency per phase. Known error: placement and read-back of 4 MiB and more lie within 13 % of the engine's own host
// streams (test/unit/evaluate/price_test.cpp); small transfers are dominated by the latency, which those do not have.
#pragma once

#include "pimento/energy/actions.h"
#include "pimento/evaluate/backend.h"
#include "pimento/evaluate/report.h"
#include "pimento/machine/machine.h"

namespace pimento::evaluate {

/// The breakdown of a run whose device part took `compute`.
Breakdown hostCycles(const machine::Machine &machine, const lower::HostWork &work, Cycles compute);

/// The actions of the host's part: bursts over the link (in full rows), refreshes meanwhile, merges, host memory.
energy::ActionCounts hostActions(const machine::Machine &machine, const lower::HostWork &work,
                                 const Breakdown &breakdown);

}  // namespace pimento::evaluate
