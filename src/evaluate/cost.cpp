#include "pimento/evaluate/cost.h"

#include "pimento/base/integer.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/price.h"

namespace pimento::evaluate {

Cost costOf(const machine::Machine &machine, const lower::HostWork &work, const DeviceRun &run) {
  const Breakdown breakdown = hostCycles(machine, work, run.cycles);
  energy::ActionCounts device = run.actions;
  device.set(energy::Action::kRankCycles, multiplySaturated(work.ranks, run.cycles.value));
  Cost cost;
  cost.kernel = run.cycles;
  cost.total = breakdown.total();
  cost.kernelEnergy = energy::price(machine, device, machine.toTime(run.cycles)).total;
  energy::ActionCounts all = device;
  all.add(hostActions(machine, work, breakdown));
  cost.energy = energy::price(machine, all, machine.toTime(cost.total)).total;
  return cost;
}

}  // namespace pimento::evaluate
