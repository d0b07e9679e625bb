#include "pimento/targets/cim/attribution.h"

#include <algorithm>

#include "pimento/targets/cim/accounts.h"
#include "pimento/targets/cim/rerun.h"

namespace pimento::targets::cim {

namespace {

using evaluate::Attributed;

/// What counts and time cost.
struct Prices {
  std::array<double, kRows> of{};
  double perCycle = 0;

  double price(const Totals &t, double cycles) const {
    double sum = cycles * perCycle;
    for (std::size_t i = 0; i < kRows; ++i) sum += static_cast<double>(t[i]) * of[i];
    return sum;
  }
};

Prices pricesOf(const machine::Machine &machine) {
  constexpr std::int64_t kMany = 1 << 20;
  Prices out;
  out.of = unitPrices(machine);
  out.perCycle = priceTotals(machine, {}, Cycles(kMany)).total.value / static_cast<double>(kMany);
  return out;
}

}  // namespace

void Spent::add(const Spent &other) {
  cycles += other.cycles;
  for (std::size_t i = 0; i < kRows; ++i) counts[i] += other.counts[i];
  for (std::size_t i = 0; i < served.size(); ++i) served[i] += other.served[i];
}

Meter::Meter(const machine::Machine &machine, const sim::core::Core &core) : way_(dataWay(machine)), core_(core) {
  PIMENTO_CHECK(machine.caches.size() < Spent::kMostLevels);
}

void Meter::charge(const sim::core::Step &step, const sim::core::Times &times, Spent &to) {
  const Totals now = totalsOf(way_, core_);
  for (std::size_t i = 0; i < kRows; ++i) to.counts[i] += now[i] - last_[i];
  last_ = now;
  to.counts[kRegisterReads] += step.readCount;
  to.counts[kRegisterWrites] += step.writeCount;
  to.cycles += core_.cycles() - lastCycles_;
  lastCycles_ = core_.cycles();
  if (times.level >= 0) ++to.served[static_cast<std::size_t>(times.level)];
}

void add(trace::CandidateCounts &to, const trace::CandidateCounts &c) {
  const auto sum = [](auto &a, const auto &b) {
    for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  };
  to.trees += c.trees;
  to.stored += c.stored;
  sum(to.operations, c.operations);
  sum(to.loads, c.loads);
  to.at.resize(std::max(to.at.size(), c.at.size()));
  for (std::size_t l = 0; l < c.at.size(); ++l) {
    trace::CandidatesAt &at = to.at[l];
    const trace::CandidatesAt &from = c.at[l];
    at.operations.resize(std::max(at.operations.size(), from.operations.size()));
    sum(at.operations, from.operations);
    at.trees += from.trees;
    at.stored += from.stored;
    at.loads += from.loads;
    at.writtenBack += from.writtenBack;
    at.copied += from.copied;
  }
  to.removed.operations += c.removed.operations;
  to.removed.loads += c.removed.loads;
  to.removed.stores += c.removed.stores;
  to.removed.registerReads += c.removed.registerReads;
  to.removed.registerWrites += c.removed.registerWrites;
  to.proved += c.proved;
  to.disproved += c.disproved;
}

std::map<std::uint64_t, Attributed> attributed(const machine::Machine &machine,
                                               const std::map<std::uint64_t, OwnCounts> &own,
                                               const std::unordered_map<std::uint64_t, Spent> &again,
                                               const evaluate::Profile &p) {
  const Prices prices = pricesOf(machine);
  const std::size_t levels = machine.caches.size() + 1;
  const bool hasAccounts = machine.cim && p.instructions > 0, hasEnergy = hasCimEnergy(machine);
  std::map<std::uint64_t, Attributed> out;
  for (const auto &[address, o] : own) {
    Attributed &a = out[address];
    a.executions = o.spent.counts[kInstructions];
    a.cycles = o.spent.cycles;
    a.energy = prices.price(o.spent.counts, static_cast<double>(a.cycles));
    a.served.assign(o.spent.served.begin(), o.spent.served.begin() + static_cast<std::ptrdiff_t>(levels));
    const trace::CandidateCounts &c = o.candidates;
    a.operations = c.operations;
    a.loads = c.loads;
    a.trees = c.trees;
    a.replaced = c.removed.all();
    if (!hasAccounts) continue;
    for (const bool countsAll : {true, false}) {
      Attributed::Saved &saved = countsAll ? a.low : a.high;
      saved.cycles = savedCycles(machine, p, c, countsAll);
      if (hasEnergy) saved.energy = -prices.price(changeOf(machine, c, countsAll), 0);
    }
    if (p.resimulated) a.resimulated = {static_cast<double>(a.cycles), hasEnergy ? a.energy : 0};
  }
  if (!p.resimulated) return out;
  for (const auto &[address, spent] : again) {
    Attributed &a = out[address];
    a.served.resize(levels);
    a.resimulated.cycles -= static_cast<double>(spent.cycles);
    if (hasEnergy) a.resimulated.energy -= prices.price(spent.counts, static_cast<double>(spent.cycles));
  }
  return out;
}

}  // namespace pimento::targets::cim
