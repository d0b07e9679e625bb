// The answer of Eva-CiM's paper: how often candidates replace accesses, and what time and energy are with them.
//
// Time is that of section V-C2, energy that of the counts that are left, by the machine's energy section. Nothing is
// simulated again; instructions that candidates replace are taken out of the counts.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "pimento/evaluate/profile.h"
#include "pimento/machine/data_way.h"
#include "pimento/targets/cim/counts.h"
#include "pimento/trace/release/counters.h"

namespace pimento::targets::cim {

using machine::dataWay;

energy::EnergyReport priceTotals(const machine::Machine &machine, const Totals &totals, Cycles cycles);

/// What one of each count takes, in pJ.
std::array<double, kRows> unitPrices(const machine::Machine &machine);
/// How counts change where caches compute candidates. `countsAll`: each tree is an instruction that the core decodes,
/// queues and commits, with the addresses of its operands.
Totals changeOf(const machine::Machine &machine, const trace::CandidateCounts &candidates, bool countsAll);
/// Cycles that candidates save, by the paper's formula with the cycles per instruction of `profile`.
double savedCycles(const machine::Machine &machine, const evaluate::Profile &profile,
                   const trace::CandidateCounts &candidates, bool countsAll);

/// Whether the set of energies in use has operations of caches at all.
bool hasCimEnergy(const machine::Machine &machine);
/// Energies of operations hold for caches of one size. Diagnostic: "no-cim-energy" (a cache that computes is another).
Status checkCimEnergy(const machine::Machine &machine);

/// Whether a candidate is worth it, by the machine's cim.accept; null: all are.
std::function<bool(const trace::CimRules::Tree &)> acceptance(const machine::Machine &machine);

/// The account of a program that was simulated again; `profile` is of the program as it is.
evaluate::Account simulated(const machine::Machine &machine, const Totals &base, const Totals &totals,
                            std::int64_t cycles, const evaluate::Profile &profile);

/// The account of the released analyzer; `counters` are of all levels that compute.
evaluate::Account released(const machine::Machine &machine, const Totals &base,
                           const trace::release::Counters &counters, const evaluate::Profile &profile);
/// What the analyzer calls the caches that compute. Nothing: it has no name for them.
std::optional<trace::release::Configuration> releasedConfiguration(const machine::Machine &machine);

/// Fills in what follows from a profile's candidates and the counts of its run.
void account(const machine::Machine &machine, const Totals &counted, evaluate::Profile &profile);

}  // namespace pimento::targets::cim
