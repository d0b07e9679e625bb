#include "pimento/evaluate/cost.h"

#include "pimento/base/integer.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/choices.h"
#include "pimento/evaluate/counts.h"
#include "pimento/evaluate/price.h"
#include "pimento/machine/machine.h"

namespace pimento::evaluate {

Cost costOf(const machine::Machine &machine, const HostWork &work, const DeviceCost &run) {
  const Breakdown host = hostCycles(machine, work, run.cycles);
  energy::ActionCounts device = run.actions;
  device.set(kRankCycles, multiplySaturated(work.ranks, run.cycles.value));
  Cost cost;
  cost.kernel = run.cycles;
  cost.total = breakdownOf(machine, work, run).total();
  cost.kernelEnergy = energy::price(machine, device, machine.toTime(run.cycles)).total;
  energy::ActionCounts all = device;
  all.add(hostActions(machine, work, host));
  cost.energy = energy::price(machine, all, machine.toTime(cost.total)).total;
  return cost;
}

double valueOf(const Cost &cost, Objective objective) {
  switch (objective) {
    case Objective::kTime:
      return static_cast<double>(cost.total.value);
    case Objective::kEnergy:
      return cost.energy.value;
    case Objective::kKernel:
      break;
  }
  return static_cast<double>(cost.kernel.value);
}

}  // namespace pimento::evaluate
