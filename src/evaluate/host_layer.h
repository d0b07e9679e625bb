// A kernel of a graph that stays on the host: how long it takes there, and what that costs.
//
// A roofline, not a simulation: operations over the host's peak, or bytes over the memory's bandwidth, whichever takes
// longer, plus one memory latency. The memory is the device's, used as plain memory over the link. It favours the host:
// every operation runs at peak rate (exp and division count as one) and each byte moves once. It favours the device
// where the host's caches would keep an activation from layer to layer.
#pragma once

#include "pimento/energy/actions.h"
#include "pimento/evaluate/report.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"

namespace pimento::evaluate {

/// What a kernel does and moves, each element once.
struct HostLayer {
  std::int64_t operations = 0;
  Bytes read, written;
  Cycles cycles;  ///< device cycles' worth of time

  Bytes bytes() const { return read + written; }
};

/// Of all kernels of the part together.
HostLayer hostLayer(const GraphPart &part, const machine::Machine &machine);

/// The actions of it: bursts over the link in full rows, refreshes meanwhile, operations.
energy::ActionCounts hostLayerActions(const machine::Machine &machine, const HostLayer &layer);

}  // namespace pimento::evaluate
