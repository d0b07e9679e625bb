#include "account.h"

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/price.h"
#include "pimento/targets/upmem/counts.h"

namespace pimento::upmem {

namespace {

void addName(std::vector<std::string> &names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

}  // namespace

CallName nameOf(Call call) {
  static constexpr CallName kNames[kCalls] = {{"dpu_load", ""},
                                              {"dpu_copy_to", "to_dpu"},
                                              {"dpu_broadcast_to", "to_dpu"},
                                              {"dpu_push_xfer", "to_dpu"},
                                              {"dpu_push_sg_xfer", "to_dpu"},
                                              {"dpu_launch", ""},
                                              {"dpu_copy_from", "from_dpu"},
                                              {"dpu_push_xfer", "from_dpu"},
                                              {"dpu_push_sg_xfer", "from_dpu"},
                                              {"dpu_log_read", "from_dpu"},
                                              {"dpu_fifo_push_xfer", "to_dpu"},
                                              {"dpu_fifo_push_xfer", "from_dpu"}};
  return kNames[static_cast<std::size_t>(call)];
}

void Totals::add(const Totals &o) {
  isTimed = isTimed && o.isTimed;
  sets += o.sets;
  dpus += o.dpus;
  launches += o.launches;
  programRuns += o.programRuns;
  faults += o.faults;
  kernelCycles += o.kernelCycles;
  kernel += o.kernel;
  launch += o.launch;
  toDpu += o.toDpu;
  fromDpu += o.fromDpu;
  total += o.total;
  overlap += o.overlap;
  for (std::size_t i = 0; i < kCalls; ++i) {
    calls[i].count += o.calls[i].count;
    calls[i].bytes += o.calls[i].bytes;
    calls[i].time += o.calls[i].time;
  }
  toDpuTransfers += o.toDpuTransfers;
  fromDpuTransfers += o.fromDpuTransfers;
  toDpuBytes += o.toDpuBytes;
  fromDpuBytes += o.fromDpuBytes;
  targets::upmem::addCounts(counts, o.counts, 1);
  for (const Energy &e : o.energy) {
    const auto same = [&](const Energy &x) { return x.term == e.term && x.component == e.component; };
    const auto at = std::ranges::find_if(energy, same);
    if (at == energy.end()) {
      energy.push_back(e);
    } else {
      at->count = addSaturated(at->count, e.count);
      at->energy += e.energy;
    }
  }
  energyTotal += o.energyTotal;
  energyLow += o.energyLow;
  energyHigh += o.energyHigh;
  for (const std::string &m : o.machines) addName(machines, m);
  for (const std::string &c : o.compilers) addName(compilers, c);
}

Account::Account(const machine::Machine &machine, std::int64_t ranks, std::int64_t dpus, bool isTimed)
    : machine_(machine), ranks_(static_cast<std::size_t>(ranks)) {
  sums_.sets = 1;
  sums_.dpus = dpus;
  sums_.isTimed = isTimed;
  sums_.machines = {machine.name};
}

Cycles Account::now() const {
  const std::lock_guard lock(mutex_);
  return host_;
}

void Account::advance(const Place &place, Cycles duration) {
  const auto first = ranks_.begin() + place.ranks.first, last = first + place.ranks.count;
  Cycles begin = place.isAsync ? place.submitted : host_;
  if (place.isAsync) {
    for (auto r = first; r != last; ++r) *r = std::max(*r, begin) + duration;
    return;
  }
  for (auto r = first; r != last; ++r) begin = std::max(begin, *r);
  host_ = begin + duration;
  std::fill(first, last, host_);
}

void Account::count(Call call, Bytes bytes, Cycles time) {
  Totals::CallSum &sum = sumOf(call);
  ++sum.count;
  sum.bytes += bytes;
  times_[static_cast<std::size_t>(call)] += time;
}

void Account::addTransfer(const Place &place, Call call, const evaluate::HostWork &work) {
  const std::lock_guard lock(mutex_);
  const bool isToDpu = work.placed.value > 0;
  const evaluate::Breakdown b = evaluate::hostCycles(machine_, work, Cycles(0));
  (isToDpu ? toDpu_ : fromDpu_) += b.total();
  ++(isToDpu ? sums_.toDpuTransfers : sums_.fromDpuTransfers);
  sums_.toDpuBytes += work.placed;
  sums_.fromDpuBytes += work.readBack;
  count(call, isToDpu ? work.placed : work.readBack, b.total());
  actions_.add(evaluate::hostActions(machine_, work, b));
  advance(place, b.total());
}

void Account::addLoad(std::int64_t dpus, std::int64_t bytes, std::string_view compiler) {
  const std::lock_guard lock(mutex_);
  if (!compiler.empty()) addName(sums_.compilers, compiler);
  count(Call::kLoad, Bytes(multiplySaturated(dpus, bytes)), Cycles(0));
}

void Account::addLaunch(const Place &place, std::int64_t dpus, const sim::dpu::Counts &counts, Cycles slowest,
                        std::int64_t faults) {
  const std::lock_guard lock(mutex_);
  evaluate::HostWork work;
  work.dpus = dpus;
  work.ranks = place.ranks.count;
  work.launches = 1;
  const evaluate::Breakdown b = evaluate::hostCycles(machine_, work, slowest);
  launch_ += b[evaluate::Part::kLaunch];
  ++sums_.launches;
  count(Call::kLaunch, Bytes(0), b.total());
  sums_.programRuns += dpus;
  sums_.faults += faults;
  sums_.kernelCycles += slowest;
  targets::upmem::addCounts(sums_.counts, counts, 1);
  evaluate::DeviceRun run;
  run.cycles = slowest;
  targets::upmem::setCounts(run, counts, machine_, place.ranks.count);
  actions_.add(run.actions);
  actions_.add(evaluate::hostActions(machine_, work, b));
  advance(place, b.total());
}

void Account::sync(RankRange ranks) {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t r = ranks.first; r < ranks.first + ranks.count; ++r) host_ = std::max(host_, ranks_[r]);
}

Totals Account::totals() const {
  const std::lock_guard lock(mutex_);
  Totals t = sums_;
  t.kernel = machine_.toTime(sums_.kernelCycles);
  t.launch = machine_.toTime(launch_);
  t.toDpu = machine_.toTime(toDpu_);
  t.fromDpu = machine_.toTime(fromDpu_);
  const Cycles total = std::max(host_, *std::ranges::max_element(ranks_));
  t.total = machine_.toTime(total);
  t.overlap = machine_.toTime(sums_.kernelCycles + launch_ + toDpu_ + fromDpu_ - total);
  for (std::size_t i = 0; i < kCalls; ++i) t.calls[i].time = machine_.toTime(times_[i]);
  const energy::EnergyReport priced = energy::price(machine_, actions_, t.total);
  for (const energy::EnergyRow &row : priced.rows) t.energy.push_back({row.term, row.component, row.count, row.energy});
  t.energyTotal = priced.total;
  t.energyLow = priced.low;
  t.energyHigh = priced.high;
  return t;
}

}  // namespace pimento::upmem
