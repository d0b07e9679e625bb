#include "pimento/targets/cim/accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace pimento::targets::cim {

namespace {

using evaluate::Account;

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

/// The row of an operation that the machine's section cim has.
CimCount countOf(std::string_view operation) {
  constexpr std::pair<std::string_view, CimCount> kLogic[] = {
      {"or", CimCount::kOr}, {"and", CimCount::kAnd}, {"xor", CimCount::kXor}};
  for (const auto &[name, count] : kLogic)
    if (name == operation) return count;
  return CimCount::kAdd;  // a difference costs what a sum does
}

/// Counts without what candidates replace, with what caches do instead.
Totals replaced(const machine::Machine &machine, const Totals &counted, const trace::CandidateCounts &c,
                bool countsAll) {
  Totals t = counted;
  t[kInstructions] -= c.removed.all();
  t[kLoads] -= c.removed.loads;
  t[kStores] -= c.removed.stores;
  t[kIntegerOperations] -= c.removed.operations;
  t[kRegisterReads] -= c.removed.registerReads;
  t[kRegisterWrites] -= c.removed.registerWrites;
  const std::vector<int> way = dataWay(machine);
  for (int place = 0; place < std::min(kPlaces, static_cast<int>(way.size())); ++place) {
    const trace::CandidatesAt &at = c.at[static_cast<std::size_t>(way[static_cast<std::size_t>(place)])];
    // What a cache behind the first one serves is looked for in those before it.
    for (int above = 0; above <= place; ++above) t[readsOf(above)] -= at.loads;
    // What lies above is read there and written here; what is in another bank, or elsewhere on its bitlines, is copied.
    if (place > 0) {
      t[readsOf(place - 1)] += at.writtenBack;
      t[writesOf(place)] += at.writtenBack;
    }
    t[readsOf(place)] += at.copied;
    t[writesOf(place)] += at.copied;
    // The result is written where it is computed.
    t[writesOf(0)] -= at.stored;
    t[writesOf(place)] += at.stored;
    for (std::size_t o = 0; o < at.operations.size(); ++o)
      t[rowOf(place, countOf(machine.cim->operations[o]))] += at.operations[o];
    t[rowOf(place, CimCount::kRead)] += at.trees - at.stored;
    if (!countsAll) continue;
    t[kInstructions] += at.trees;
    t[kLoads] += at.trees;
    t[kRegisterReads] += at.loads + at.stored;
    t[kRegisterWrites] += at.trees - at.stored;
  }
  return t;
}

double partOf(const energy::EnergyReport &e, std::string_view component) {
  const auto found = e.components.find(std::string(component));
  return found == e.components.end() ? 0 : found->second.total().value;
}

/// Of operations in caches, one after the other.
std::int64_t operationCycles(const machine::Machine &machine, const trace::CandidateCounts &c, bool countsAll) {
  std::int64_t cycles = 0;
  for (std::size_t l = 0; l < c.at.size(); ++l)
    for (std::size_t o = 0; o < c.at[l].operations.size(); ++o) {
      const bool isSum = countOf(machine.cim->operations[o]) == CimCount::kAdd;
      cycles += c.at[l].operations[o] *
                ((countsAll ? machine.caches[l].latency.value : 0) + (isSum ? machine.cim->addExtra.value : 0));
    }
  return cycles;
}

/// By the paper's formula: what is left takes the program's own cycles per instruction.
double timeOf(const machine::Machine &machine, const evaluate::Profile &p, bool countsAll) {
  const double cpi = static_cast<double>(p.cycles) / static_cast<double>(p.instructions);
  return static_cast<double>(p.instructions - p.candidates.removed.all()) * cpi +
         static_cast<double>(operationCycles(machine, p.candidates, countsAll));
}

/// `base`, `left`: counts as the program is, and as it would be.
void priceAccount(const machine::Machine &machine, const Totals &base, const Totals &left, const evaluate::Profile &p,
                  Account &a) {
  for (std::size_t i = 0; i < kRows; ++i) a.counts[std::string(countTable().rows[i].name)] = left[i];
  if (!hasCimEnergy(machine)) return;
  a.energy = priceTotals(machine, left, Cycles(std::llround(a.cycles)));
  a.energyImprovement = ratio(p.energy.total.value, a.energy->total.value);
  double untouched = 0;
  for (std::size_t i = 0; i < p.energy.rows.size(); ++i)
    untouched += std::min(p.energy.rows[i].energy.value, a.energy->rows[i].energy.value);
  a.mostImprovement = ratio(p.energy.total.value, untouched);
  PIMENTO_CHECK(untouched <= a.energy->total.value * (1 + 1e-9));
  const double saved = p.energy.total.value - a.energy->total.value;
  if (saved == 0 || base == left) return;
  a.shareProcessor = (partOf(p.energy, "processor") - partOf(*a.energy, "processor")) / saved;
  a.shareCaches = (partOf(p.energy, "cache") - partOf(*a.energy, "cache")) / saved;
}

Account accountOf(const machine::Machine &machine, const Totals &counted, const evaluate::Profile &p, bool countsAll) {
  Account a;
  a.cycles = timeOf(machine, p, countsAll);
  a.speedup = ratio(static_cast<double>(p.cycles), a.cycles);
  const Totals left = replaced(machine, counted, p.candidates, countsAll);
  // The paper's energy knows no time.
  Account priced = a;
  priced.cycles = static_cast<double>(p.cycles);
  priceAccount(machine, counted, left, p, priced);
  priced.cycles = a.cycles;
  return priced;
}

/// A tree as if it were all candidates.
trace::CandidateCounts countsOf(const machine::Machine &machine, const trace::CimRules::Tree &tree) {
  trace::CandidateCounts c;
  c.at.resize(machine.caches.size());
  for (trace::CandidatesAt &at : c.at) at.operations.resize(machine.cim->operations.size());
  trace::CandidatesAt &at = c.at[static_cast<std::size_t>(tree.level)];
  at.trees = 1;
  at.stored = tree.isStored ? 1 : 0;
  at.operations.assign(tree.operations.begin(), tree.operations.end());
  if (tree.highest >= 0 && tree.highest < std::ssize(c.at))
    c.at[static_cast<std::size_t>(tree.highest)].loads = tree.goneLoads;
  at.writtenBack = tree.writtenBack;
  at.copied = tree.copied;
  c.removed = tree.removed;
  return c;
}

/// Cycles from the first load to the result, on the core and in the cache.
bool isSlower(const machine::Machine &machine, const trace::CimRules::Tree &tree) {
  const auto latencyOf = [&](int level) { return machine.caches[static_cast<std::size_t>(level)].latency.value; };
  const int last = static_cast<int>(machine.caches.size()) - 1;
  const std::int64_t read = latencyOf(tree.level),
                     host = latencyOf(std::clamp(tree.highest, dataWay(machine).front(), last)) +
                            tree.depth * machine.core->of(machine::CoreOperation::kInteger).latency.value;
  std::int64_t here = tree.isStored ? machine.caches[static_cast<std::size_t>(tree.level)].writeBusy : read;
  for (const int level : dataWay(machine)) {
    if (level == tree.level) break;
    here += latencyOf(level);
  }
  for (std::size_t o = 0; o < tree.operations.size(); ++o) {
    const bool isSum = countOf(machine.cim->operations[o]) == CimCount::kAdd;
    here += tree.operations[o] * (read + (isSum ? machine.cim->addExtra.value : 0));
  }
  if (tree.copied > 0) here += read + machine.caches[static_cast<std::size_t>(tree.level)].writeBusy;
  return here > host;
}

std::string pathOf(const machine::Machine &machine, std::string_view level, std::string_view key) {
  return fmt::format("cim.constants.{}.{}.{}", machine.energySet, level, key);
}

}  // namespace

energy::EnergyReport priceTotals(const machine::Machine &machine, const Totals &totals, Cycles cycles) {
  evaluate::DeviceRun run;
  run.cycles = cycles;
  evaluate::setCounts(run, countTable(), totals, machine, 1);
  return energy::price(machine, run.actions, machine.toTime(cycles));
}

std::array<double, kRows> unitPrices(const machine::Machine &machine) {
  constexpr std::int64_t kMany = 1 << 20;
  std::array<double, kRows> out{};
  for (std::size_t i = 0; i < kRows; ++i) {
    Totals one{};
    one[i] = kMany;
    out[i] = priceTotals(machine, one, Cycles(0)).total.value / static_cast<double>(kMany);
  }
  return out;
}

Totals changeOf(const machine::Machine &machine, const trace::CandidateCounts &candidates, bool countsAll) {
  return replaced(machine, {}, candidates, countsAll);
}

double savedCycles(const machine::Machine &machine, const evaluate::Profile &p, const trace::CandidateCounts &c,
                   bool countsAll) {
  const double cpi = static_cast<double>(p.cycles) / static_cast<double>(p.instructions);
  return static_cast<double>(c.removed.all()) * cpi - static_cast<double>(operationCycles(machine, c, countsAll));
}

bool hasCimEnergy(const machine::Machine &machine) {
  return machine.cim && std::ranges::any_of(machine.energy, [](const machine::EnergyTerm &t) {
           return t.action.find(".cim_") != std::string::npos;
         });
}

Status checkCimEnergy(const machine::Machine &machine) {
  // Sets of arrays hold for any cache; those of the file for the ones that it names.
  if (!hasCimEnergy(machine) || std::ranges::find(machine.energySets, machine.energySet) == machine.energySets.end())
    return okStatus();
  constexpr const char *kHint =
      "take a model of arrays of any size with --arrays release-constants, destiny or cacti7; or a set for caches of "
      "this "
      "size with --set energy.set=NAME; or compute in other caches (--levels)";
  for (const int l : machine.cim->levels) {
    const machine::CacheLevel &level = machine.caches[static_cast<std::size_t>(l)];
    const auto size = machine.numbers.find(pathOf(machine, level.name, "size")),
               ways = machine.numbers.find(pathOf(machine, level.name, "ways"));
    if (size == machine.numbers.end() || ways == machine.numbers.end())
      return error("no-cim-energy", {},
                   fmt::format("the set '{}' has no operations of {}", machine.energySet, level.name), kHint);
    const auto theirSize = static_cast<std::int64_t>(size->second.canonical),
               theirWays = static_cast<std::int64_t>(ways->second.canonical);
    if (theirSize != level.size.value || theirWays != level.ways)
      return error("no-cim-energy", size->second.where,
                   fmt::format("the set '{}' prices operations of an {} of {} B and {} ways, not of {} B and {}",
                               machine.energySet, level.name, theirSize, theirWays, level.size.value, level.ways),
                   kHint);
  }
  return okStatus();
}

std::function<bool(const trace::CimRules::Tree &)> acceptance(const machine::Machine &machine) {
  using Accepts = machine::Cim::Accepts;
  if (!machine.cim || machine.cim->accepts == Accepts::kAll) return nullptr;
  const bool asksTime = machine.cim->accepts != Accepts::kEnergy,
             asksEnergy = machine.cim->accepts != Accepts::kTime && hasCimEnergy(machine);
  return [&machine, asksTime, asksEnergy, prices = unitPrices(machine)](const trace::CimRules::Tree &tree) {
    if (asksTime && isSlower(machine, tree)) return false;
    if (!asksEnergy) return true;
    const Totals change = replaced(machine, {}, countsOf(machine, tree), true);
    double energy = 0;
    for (std::size_t i = 0; i < kRows; ++i) energy += static_cast<double>(change[i]) * prices[i];
    return energy <= 0;
  };
}

evaluate::Account simulated(const machine::Machine &machine, const Totals &base, const Totals &totals,
                            std::int64_t cycles, const evaluate::Profile &p) {
  Account a;
  a.cycles = static_cast<double>(cycles);
  a.speedup = ratio(static_cast<double>(p.cycles), a.cycles);
  priceAccount(machine, base, totals, p, a);
  return a;
}

std::optional<trace::release::Configuration> releasedConfiguration(const machine::Machine &machine) {
  using enum trace::release::Configuration;
  if (!machine.cim) return std::nullopt;
  const std::vector<int> way = dataWay(machine);
  std::array<bool, kPlaces> computes{};
  for (const int l : machine.cim->levels)
    for (std::size_t place = 0; place < std::min<std::size_t>(kPlaces, way.size()); ++place)
      computes[place] = computes[place] || way[place] == l;
  if (computes[0]) return computes[1] || way.size() == 1 ? kAll : kL1;
  if (computes[1] && !computes[2]) return kL2AndDram;
  if (computes[2] && !computes[1]) return kL3;
  return std::nullopt;
}

evaluate::Account released(const machine::Machine &machine, const Totals &base,
                           const trace::release::Counters &counters, const evaluate::Profile &p) {
  using trace::release::Level;
  const auto loadsOf = [&](Level l) { return counters.loads[static_cast<std::size_t>(l)]; };
  const int last = static_cast<int>(dataWay(machine).size()) - 1;
  Totals t = base;
  const auto less = [&](std::size_t row, std::int64_t by) { t[row] = std::max<std::int64_t>(0, t[row] - by); };
  const std::int64_t moved = counters.movedLoads() - loadsOf(Level::kDram);
  less(kInstructions, moved);
  less(kLoads, moved);
  less(kIntegerOperations, counters.removed.integerAlu);
  less(kRegisterReads, counters.removed.registerReads);
  less(kRegisterWrites, counters.removed.registerWrites);
  for (int i = 0; i < trace::release::kLevels; ++i) {
    // What it calls DRAM computes in the last cache; loads stay there.
    const int place = std::min(i, std::min(last, kPlaces - 1));
    const trace::release::CimCounts &cim = counters.cim[static_cast<std::size_t>(i)];
    t[rowOf(place, CimCount::kAdd)] += cim.add;
    t[rowOf(place, CimCount::kAnd)] += cim.bitAnd;
    t[rowOf(place, CimCount::kXor)] += cim.bitXor;
    if (static_cast<Level>(i) != Level::kDram) less(readsOf(place), loadsOf(static_cast<Level>(i)));
  }
  evaluate::Account a;
  a.cycles = static_cast<double>(p.cycles);
  priceAccount(machine, base, t, p, a);
  return a;
}

void account(const machine::Machine &machine, const Totals &counted, evaluate::Profile &p) {
  const trace::CandidateCounts &c = p.candidates;
  const std::int64_t gone = c.loads[static_cast<std::size_t>(trace::LoadFate::kOffloaded)],
                     kept = c.loads[static_cast<std::size_t>(trace::LoadFate::kKept)];
  p.accesses = {counted[kStores], counted[kLoads] - gone - kept, gone + kept};
  const auto loads = static_cast<double>(counted[kLoads]),
             all = static_cast<double>(counted[kLoads] + counted[kStores]);
  p.conversion = ratio(static_cast<double>(gone + c.stored), all);
  p.conversionRelease = ratio(static_cast<double>(gone), loads);
  const trace::CandidatesAt &first = c.at[static_cast<std::size_t>(dataWay(machine).front())];
  p.conversionL1 = ratio(static_cast<double>(first.loads + first.stored), all);
  p.conversionOther = p.conversion - p.conversionL1;
  if (!machine.cim || p.instructions == 0) return;
  p.low = accountOf(machine, counted, p, true);
  p.high = accountOf(machine, counted, p, false);
}

}  // namespace pimento::targets::cim
