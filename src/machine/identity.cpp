#include "pimento/machine/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace pimento::machine {

namespace {

void addDram(const Dram &d, std::string &out) {
  const auto add = [&](const auto &...parts) {
    ((out += fmt::format("{} ", parts)), ...);
    out += "\n";
  };
  const Organization &o = d.organization;
  add("organization", o.channels, o.ranks, o.bankGroups, o.banksPerGroup, o.rows, o.columns, o.burst.value);
  for (const Organization::Field &f : o.addressMap) add("address", f.name, f.bits);
  // What is as usual is no difference.
  if (o.pseudoChannels != 1) add("pseudo channels", o.pseudoChannels);
  for (const Command &c : d.commands) {
    add("command", c.name, static_cast<int>(c.kind), name(c.scope));
    if (c.needs != Command::usualNeeds(c.kind)) add("needs", static_cast<int>(c.needs));
    if (c.completion) add("ends", c.completion->value);
    if (c.checks != ScopeLevel::kBank) add("checks", name(c.checks));
  }
  for (const TimingConstraint &t : d.constraints)
    add("constraint", static_cast<int>(t.level), t.preceding, t.following, t.latency.value, t.window);
  const Controller &c = d.controller;
  add("controller", c.transactionQueue, c.commandQueue, name(c.scheduler), c.prechargePolicy, c.refreshPolicy,
      c.refreshWaitsForPrecharge, c.losesBarrierOnFullQueue, c.fence.value, c.commandLatency.value);
  if (c.scheduler == Scheduler::kFourQueues)
    add("four queues", static_cast<int>(c.barrier), c.writesBegin, c.writesEnd, d.quirks.severalOpenRows,
        d.quirks.namedBankOnly);
  add("completion", d.readLatency.value, d.writeLatency.value, d.prechargeTime.value, d.refreshInterval.value,
      d.refreshTime.value);
}

void addPim(const PimUnit &p, std::string &out) {
  out += fmt::format("pim {} {} {} {} {} {} {} {} {} {} {}\n", p.blocks, p.lanes, p.banksPerBlock, p.grfEntries,
                     p.srfEntries, p.crfWords, name(p.type), p.pimRanks, p.firstControlRow, p.rows, p.columns);
  for (const ModeRule &r : p.modeRules)
    out += fmt::format("mode {} {} {} {} {} {} {}\n", static_cast<int>(r.from), static_cast<int>(r.to),
                       static_cast<int>(r.command), r.row, r.banks, r.column.value_or(-1), r.value.value_or(-1));
}

}  // namespace

std::string identity(const Machine &machine) {
  std::string out =
      fmt::format("{} {} {} {}\n", machine.name, machine.family, name(machine.nativeType), machine.clockGHz);
  const bool hasLanes = machine.pim || (machine.compute && machine.compute->mode == Compute::Mode::kVector);
  // A role that says what the position says is no difference.
  std::size_t inside = machine.levels.size();
  for (const Level &l : machine.levels) {
    out += fmt::format("level {} {} {} {} {}", l.name, l.count, l.splitsReduction, l.merge, l.mustFill);
    if (l.role != usualRole(--inside, hasLanes)) out += fmt::format(" {}", name(l.role));
    out += "\n";
  }
  if (machine.dram) addDram(*machine.dram, out);
  if (machine.pim) addPim(*machine.pim, out);
  for (const EnergyTerm &t : machine.energy)
    out += fmt::format("energy {} {} {} {} {} {} {} {}\n", t.name, t.action, t.component, t.energy.value, t.low.value,
                       t.high.value, t.isBackground, t.instances);
  const Host &h = machine.host;
  out += fmt::format("host {} {} {} {} {} {} {}\n", h.linkGBps, h.writeEfficiency, h.readEfficiency,
                     h.linkLatency.value, h.memoryGBps, h.mergeGops, h.peakGflops);
  for (const auto &[path, n] : machine.numbers) out += fmt::format("{}={}{}\n", path, n.canonical, n.canonicalUnit);
  for (const auto &[path, word] : machine.words) out += fmt::format("{}={}\n", path, word);
  return out;
}

}  // namespace pimento::machine
