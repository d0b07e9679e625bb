#include "pimento/evaluate/cost.h"

#include "pimento/energy/energy.h"
#include "pimento/evaluate/price.h"

namespace pimento::evaluate {

Cost costOf(const machine::Machine &machine, const lower::HostWork &work, const DeviceRun &run) {
  const Breakdown breakdown = hostCycles(machine, work, run.cycles);
  Cost cost;
  cost.kernel = run.cycles;
  cost.total = breakdown.total();
  cost.kernelEnergy = energy::price(machine, run.actions, machine.toTime(run.cycles)).total;
  energy::ActionCounts all = run.actions;
  all.add(hostActions(machine, work, breakdown));
  cost.energy = energy::price(machine, all, machine.toTime(cost.total)).total;
  return cost;
}

}  // namespace pimento::evaluate
