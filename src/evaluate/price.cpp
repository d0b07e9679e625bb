#include "pimento/evaluate/price.h"

#include <cmath>

namespace pimento::evaluate {

using energy::Action;

Breakdown hostCycles(const machine::Machine &machine, const lower::HostWork &work, Cycles compute) {
  const machine::Host &h = machine.host;
  // GB/s and Gop/s are bytes and operations per ns.
  const auto cycles = [&](double ns) {
    return Cycles(static_cast<std::int64_t>(std::ceil(ns * machine.clockGHz - 1e-9)));
  };
  const auto transfer = [&](Bytes bytes, double efficiency) {
    if (bytes.value == 0) return Cycles(0);
    return cycles(static_cast<double>(bytes.value) / (h.linkGBps * efficiency) + h.linkLatency.value / 1000.0);
  };
  Breakdown b;
  b.transferIn = transfer(work.placed, h.writeEfficiency);
  const auto rearrange = [&](Bytes bytes) { return cycles(static_cast<double>(bytes.value) / h.memoryGBps); };
  b.rearrangeIn = rearrange(work.rearrangedIn);
  b.compute = compute;
  b.merge = cycles(static_cast<double>(work.merges) / h.mergeGops);
  b.rearrangeOut = rearrange(work.rearrangedOut);
  b.transferOut = transfer(work.readBack, h.readEfficiency);
  return b;
}

energy::ActionCounts hostActions(const machine::Machine &machine, const lower::HostWork &work,
                                 const Breakdown &breakdown) {
  const machine::Organization &o = machine.dram->organization;
  const std::int64_t written = work.placed.value / o.burst.value, read = work.readBack.value / o.burst.value;
  energy::ActionCounts a;
  a.add(Action::kHostWrites, written);
  a.add(Action::kHostReads, read);
  a.add(Action::kActivations, (written + o.columns - 1) / o.columns + (read + o.columns - 1) / o.columns);
  const std::int64_t interval = machine.dram->refreshInterval.value;
  if (interval > 0)
    a.add(Action::kRefreshes, (breakdown.total() - breakdown.compute).value / interval * o.ranks * o.channels);
  a.add(Action::kMerges, work.merges);
  a.add(Action::kHostMemoryBytes, work.rearrangedIn.value + work.rearrangedOut.value);
  return a;
}

}  // namespace pimento::evaluate
