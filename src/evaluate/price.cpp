#include "pimento/evaluate/price.h"

#include <algorithm>
#include <initializer_list>

namespace pimento::evaluate {

namespace {

using Formula = machine::Expression;

Formula formula(std::string_view text) {
  Result<Formula> f = Formula::parseReal(text);
  PIMENTO_CHECK(f && "built-in formulas parse");
  return std::move(*f);
}

/// `value` of the run, in words.
Operand ofRun(std::int64_t value, std::string_view unit, std::string_view about) {
  return {{}, about, unit, static_cast<double>(value), value};
}
Operand ofMachine(double value, std::string_view unit, std::string_view path) {
  return {path, {}, unit, value, 0};
}
Operand ofMachine(std::int64_t value, std::string_view path) {
  return {path, {}, "count", static_cast<double>(value), value};
}

Term real(const Formula &f, std::initializer_list<Operand> operands) {
  Term t;
  t.formula = &f;
  std::array<double, 10> values{};
  std::size_t n = 0;
  for (const Operand &o : operands) {
    values[n] = o.real;
    t.operands[n++] = o;
  }
  PIMENTO_CHECK(n == f.operands().size());
  t.value = static_cast<std::int64_t>(f.evaluateReal(values));
  return t;
}

Term integer(const Formula &f, std::initializer_list<Operand> operands) {
  Term t;
  t.formula = &f;
  std::array<std::int64_t, 10> values{};
  std::size_t n = 0;
  for (const Operand &o : operands) {
    values[n] = o.integer;
    t.operands[n++] = o;
  }
  PIMENTO_CHECK(n == f.operands().size());
  t.value = f.evaluateInteger(values).value_or(std::numeric_limits<std::int64_t>::max());
  return t;
}

Operand clock(const machine::Machine &m) {
  return ofMachine(m.clockGHz, "GHz", "clock.device");
}
Operand link(const machine::Machine &m) {
  return ofMachine(m.host.linkGBps, "GB/s", "link");
}
Operand latency(const machine::Machine &m) {
  return ofMachine(m.host.linkLatency.value / 1000.0, "ns", "host.link_latency");
}

}  // namespace

// GB/s and Gop/s are bytes and operations per ns. A hair is taken off before rounding up, so that a whole number of
// cycles stays one.

namespace {

/// Transfers to and from many DPUs: all at once, one copy for all, or one after the other; every call has its cost.
void dpuTransfers(const machine::Machine &machine, const HostWork &work, HostTerms &terms) {
  static const Formula kIn = formula(
      "ceil((calls * call + parallel / rate + broadcast / broadcast_rate + serial / serial_rate) * clock - 1e-9)");
  static const Formula kOut = formula("ceil((calls * call + parallel / rate + serial / serial_rate) * clock - 1e-9)");
  static const Formula kLaunch = formula("ceil(launches * launch * clock - 1e-9)");
  const machine::DpuLink &link = *machine.host.dpus;
  const auto rate = [&](const std::vector<machine::DpuLink::Rate> &rates, double limit) {
    Operand o = ofMachine(machine::DpuLink::rateOf(rates, limit, work.dpus, work.ranks), "GB/s", "rate");
    o.about = "rate for this number of DPUs and ranks, interpolated in the table";
    return o;
  };
  const auto cost = [&](const std::vector<machine::DpuLink::Cost> &costs, std::string_view about) {
    Operand o = ofMachine(link.costOf(costs, work.dpus, work.ranks).value / 1000.0, "ns", "call");
    o.about = about;
    return o;
  };
  constexpr std::string_view kLaunchCost =
      "cost of a launch of this number of DPUs and ranks, interpolated in the table";
  constexpr std::string_view kCall = "cost of a call for this number of DPUs and ranks, interpolated in the table";
  if (work.placed.value > 0)
    terms[Part::kTransferIn] =
        real(kIn, {ofRun(work.placeCalls, "count", "calls that transfer to DPUs"), cost(link.writeCall, kCall),
                   ofRun(work.placed.value - work.broadcast.value - work.serialPlaced.value, "B",
                         "operands, the same amount for each DPU, padding included"),
                   rate(link.write, link.writeLimitGBps),
                   ofRun(work.broadcast.value, "B", "operands and arguments sent to all DPUs, counted once per DPU"),
                   ofMachine(link.broadcastGBps, "GB/s", "host.dpus.broadcast"),
                   ofRun(work.serialPlaced.value, "B", "operands sent to one DPU at a time"),
                   ofMachine(link.serialWriteGBps, "GB/s", "host.dpus.serial_write"), clock(machine)});
  if (work.readBack.value > 0)
    terms[Part::kTransferOut] =
        real(kOut, {ofRun(work.readCalls, "count", "calls that transfer from DPUs"), cost(link.readCall, kCall),
                    ofRun(work.readBack.value - work.serialReadBack.value, "B",
                          "results, the same amount from each DPU, padding and partial results included"),
                    rate(link.read, link.readLimitGBps),
                    ofRun(work.serialReadBack.value, "B", "results read from one DPU at a time"),
                    ofMachine(link.serialReadGBps, "GB/s", "host.dpus.serial_read"), clock(machine)});
  if (work.launches > 0)
    terms[Part::kLaunch] = real(kLaunch, {ofRun(work.launches, "count", "launches of all DPUs"),
                                          cost(link.launch, kLaunchCost), clock(machine)});
}

}  // namespace

HostTerms hostTerms(const machine::Machine &machine, const HostWork &work) {
  static const Formula kTransfer = formula("ceil((bytes / (link * efficiency) + latency) * clock - 1e-9)");
  static const Formula kRearrange = formula("ceil(bytes / memory_bandwidth * clock - 1e-9)");
  static const Formula kMerge = formula("ceil(merges / merge_rate * clock - 1e-9)");
  const machine::Host &h = machine.host;
  const auto transfer = [&](Bytes bytes, std::string_view about, const Operand &efficiency) {
    if (bytes.value == 0) return Term{};
    return real(kTransfer,
                {ofRun(bytes.value, "B", about), link(machine), efficiency, latency(machine), clock(machine)});
  };
  const auto rearrange = [&](Bytes bytes, std::string_view about) {
    return real(kRearrange, {ofRun(bytes.value, "B", about), ofMachine(h.memoryGBps, "GB/s", "host.memory_bandwidth"),
                             clock(machine)});
  };
  HostTerms t;
  if (h.dpus && work.dpus > 0) {
    dpuTransfers(machine, work, t);
  } else {
    t[Part::kTransferIn] = transfer(work.placed, "operands written into the banks, including the mapping's padding",
                                    ofMachine(h.writeEfficiency, "ratio", "host.write_efficiency"));
    t[Part::kTransferOut] = transfer(work.readBack, "results read back, including padding and partial results",
                                     ofMachine(h.readEfficiency, "ratio", "host.read_efficiency"));
  }
  t[Part::kRearrangeIn] = rearrange(work.rearrangedIn, "operand bytes that the host gathers");
  t[Part::kMerge] = real(kMerge, {ofRun(work.merges, "count", "additions of partial results"),
                                  ofMachine(h.mergeGops, "Gop/s", "host.merge_rate"), clock(machine)});
  t[Part::kRearrangeOut] = rearrange(work.rearrangedOut, "result bytes that the host scatters");
  return t;
}

Term hostLayerTerm(const machine::Machine &machine, std::int64_t operations, Bytes read, Bytes written) {
  static const Formula kLayer = formula(
      "ceil((max(operations / peak, read / (link * read_efficiency) + written / (link * write_efficiency)) + latency)"
      " * clock - 1e-9)");
  const machine::Host &h = machine.host;
  return real(
      kLayer,
      {ofRun(operations, "count", "scalar operations of the kernel"), ofMachine(h.peakGflops, "GFLOP/s", "host.peak"),
       ofRun(read.value, "B", "bytes that the kernel reads, each once"), link(machine),
       ofMachine(h.readEfficiency, "ratio", "host.read_efficiency"),
       ofRun(written.value, "B", "bytes that the kernel writes, each once"),
       ofMachine(h.writeEfficiency, "ratio", "host.write_efficiency"), latency(machine), clock(machine)});
}

Breakdown hostCycles(const machine::Machine &machine, const HostWork &work, Cycles compute) {
  const HostTerms terms = hostTerms(machine, work);
  Breakdown b;
  for (const PartInfo &p : kParts) b[p.part] = Cycles(terms[p.part].value);
  b[Part::kCompute] = compute;
  return b;
}

Breakdown breakdownOf(const machine::Machine &machine, const HostWork &work, const DeviceCost &run) {
  Breakdown b = hostCycles(machine, work, run.cycles);
  for (const CommandPhase &p : run.phases)
    if (p.part != Part::kCompute) b[p.part] += p.cycles;  // those are inside the kernel's
  return b;
}

namespace {

/// A part of the kernel's cycles that has a name of its own.
void takeOut(std::vector<Phase> &phases, Cycles part) {
  const auto at = std::ranges::find(phases, Part::kCompute, &Phase::part);
  PIMENTO_CHECK(at != phases.end() && at->counted >= part);
  at->cycles = at->counted = at->counted - part;
  if (at->cycles.value == 0) phases.erase(at);
}

}  // namespace

std::vector<Phase> phasesOf(const machine::Machine &machine, const HostWork &work, const DeviceCost &run,
                            std::int64_t times) {
  std::vector<Phase> out = phasesOf(machine, hostCycles(machine, work, run.cycles).times(times));
  for (Phase &p : out)
    if (p.part == Part::kCompute) p.commands = multiplySaturated(run.kernelCommands, times);
  for (const CommandPhase &p : run.phases) {
    const Cycles c(multiplySaturated(p.cycles.value, times));
    if (p.part == Part::kCompute) takeOut(out, c);
    addPhases(out, {{p.name, p.part, c, "device", c, machine.toTime(c), multiplySaturated(p.commands, times)}});
  }
  for (Phase &p : out) p.time = machine.toTime(p.cycles);
  return out;
}

std::vector<Phase> phasesOf(const machine::Machine &machine, const Breakdown &breakdown) {
  std::vector<Phase> out;
  for (const PartInfo &p : kRunOrder)
    if (const Cycles c = breakdown[p.part]; c.value > 0)
      out.push_back({std::string(p.title), p.part, c, "device", c, machine.toTime(c)});
  return out;
}

namespace {

Term mergeTerm(const HostWork &work) {
  static const Formula kOne = formula("merges");
  return integer(kOne, {ofRun(work.merges, "count", "additions of partial results")});
}
Term rearrangeTerm(const HostWork &work) {
  static const Formula kSum = formula("rearranged_in + rearranged_out");
  return integer(kSum, {ofRun(work.rearrangedIn.value, "B", "operand bytes that the host gathers"),
                        ofRun(work.rearrangedOut.value, "B", "result bytes that the host scatters")});
}

/// Without a DRAM channel of its own, the device is at the end of a link.
std::array<ActionTerm, 6> linkActionTerms(const HostWork &work) {
  static const Formula kLink = formula("placed + read_back");
  return {{{"link_bytes", integer(kLink, {ofRun(work.placed.value, "B", "bytes that the host sends"),
                                          ofRun(work.readBack.value, "B", "bytes that the host reads back")})},
           {"merges", mergeTerm(work)},
           {"host_memory_bytes", rearrangeTerm(work)}}};
}

}  // namespace

std::array<ActionTerm, 6> hostActionTerms(const machine::Machine &machine, const HostWork &work,
                                          const Breakdown &breakdown) {
  if (!machine.dram) return linkActionTerms(work);
  static const Formula kBursts = formula("bytes / burst");
  static const Formula kRows = formula("(writes + columns - 1) / columns + (reads + columns - 1) / columns");
  static const Formula kRefreshes = formula("cycles / interval * ranks * channels");
  const machine::Organization &o = machine.dram->organization;
  const auto bursts = [&](Bytes bytes, std::string_view about) {
    return integer(kBursts, {ofRun(bytes.value, "B", about), ofMachine(o.burst.value, "organization.burst")});
  };
  const Term writes = bursts(work.placed, "bytes that the host writes into the banks");
  const Term reads = bursts(work.readBack, "bytes that the host reads back");
  Term refreshes;
  const std::int64_t interval = machine.dram->refreshInterval.value;
  if (interval > 0)
    refreshes = integer(kRefreshes,
                        {ofRun((breakdown.total() - breakdown[Part::kCompute]).value, "cycle", "time of the host part"),
                         ofMachine(interval, "refresh.interval"), ofMachine(o.ranks, "organization.ranks"),
                         ofMachine(o.channels, "organization.channels")});
  return {{{"host_writes", writes},
           {"host_reads", reads},
           {"activations", integer(kRows, {ofRun(writes.value, "count", "bursts that the host writes, as full rows"),
                                           ofMachine(o.columns, "organization.columns"),
                                           ofRun(reads.value, "count", "bursts that the host reads, as full rows")})},
           {"refreshes", refreshes},
           {"merges", mergeTerm(work)},
           {"host_memory_bytes", rearrangeTerm(work)}}};
}

std::vector<std::string_view> hostActionNames() {
  return {"host_writes", "host_reads",        "activations", "refreshes",
          "merges",      "host_memory_bytes", "link_bytes",  kHostOperations};
}

energy::ActionCounts hostActions(const machine::Machine &machine, const HostWork &work, const Breakdown &breakdown) {
  energy::ActionCounts a;
  for (const ActionTerm &t : hostActionTerms(machine, work, breakdown)) a.add(t.action, t.term.value);
  return a;
}

}  // namespace pimento::evaluate
