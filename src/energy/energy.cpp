#include "pimento/energy/energy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "pimento/machine/expression.h"

namespace pimento::energy {

namespace {

/// Numbers of a machine file stand in sections, so that their names have dots; of actions, those that a part of the
/// machine counts do, too ("l2.read").
bool isAction(std::string_view n, const machine::Machine &machine) {
  return n.find('.') == std::string_view::npos || !machine.numbers.contains(std::string(n));
}

/// A whole number of the machine file.
std::optional<std::int64_t> numberOf(std::string_view n, const machine::Machine &machine) {
  const auto number = machine.numbers.find(std::string(n));
  if (number == machine.numbers.end()) return std::nullopt;
  const double x = number->second.canonical;
  constexpr double kExact = 9e15;  // whole numbers up to here are exact in a double
  if (x != std::floor(x) || std::fabs(x) > kExact) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

/// Value of a checked formula. What can still fail is overflow, which gives the largest number, as counts do.
std::int64_t countOf(const machine::EnergyTerm &term, const machine::Machine &machine, const ActionCounts &counts) {
  std::shared_ptr<const machine::Expression> formula = term.formula;
  if (!formula) {
    auto parsed = machine::Expression::parse(term.action, {});
    PIMENTO_CHECK(parsed.ok() && "checked machines have formulas that parse");
    formula = std::make_shared<const machine::Expression>(std::move(*parsed));
  }
  const auto value = formula->evaluate(
      [&](std::string_view n) { return isAction(n, machine) ? std::optional(counts.of(n)) : numberOf(n, machine); },
      {});
  if (value) return *value;
  for (const std::string &n : formula->names())
    PIMENTO_CHECK((isAction(n, machine) || numberOf(n, machine)) && "machines are checked before they are priced");
  return std::numeric_limits<std::int64_t>::max();
}

EnergyRow priceTerm(const machine::EnergyTerm &term, const machine::Machine &machine, const ActionCounts &counts,
                    Picoseconds duration) {
  EnergyRow row;
  row.term = term.name;
  row.path = term.path();
  row.component = term.component;
  row.isBackground = term.isBackground;
  row.formula = term.action;
  row.count = term.isBackground ? term.instances : countOf(term, machine, counts);
  constexpr double kNanosecondsPerPicosecond = 1e-3;  // 1 mW is 1 pJ per ns
  const double factor =
      static_cast<double>(row.count) * (term.isBackground ? duration.value * kNanosecondsPerPicosecond : 1.0);
  row.energy = term.energy * factor;
  row.low = term.low * factor;
  row.high = term.high * factor;
  row.unitCost = term.energy.value;
  if (const auto number = machine.numbers.find(row.path); number != machine.numbers.end()) {
    row.unit = number->second.canonicalUnit;
    row.source = number->second.source;
    row.confidence = number->second.confidence;
  }
  return row;
}

}  // namespace

Status check(const machine::Machine &machine, std::span<const std::string_view> actions) {
  Diagnostics diagnostics;
  const auto report = [&](const machine::EnergyTerm &term, const Diagnostic &d) {
    const auto number = machine.numbers.find(term.path());
    diagnostics.push_back(d);
    if (number != machine.numbers.end()) diagnostics.back().where = number->second.where;
    diagnostics.back().message = "energy term '" + term.name + "': " + d.message;
  };
  for (const machine::EnergyTerm &term : machine.energy) {
    if (term.isBackground) continue;
    const auto formula = machine::Expression::parse(term.action, {});
    if (!formula) {
      report(term, formula.diagnostics().front());
    } else if (!formula->isMonotone()) {
      report(term, error("bad-formula", {}, "'" + term.action + "' could decrease while counts increase",
                         "action formulas only add and multiply"));
    } else if (const auto value = formula->evaluate(
                   [&](std::string_view n) -> std::optional<std::int64_t> {
                     if (!isAction(n, machine)) return numberOf(n, machine);
                     if (std::find(actions.begin(), actions.end(), n) == actions.end()) return std::nullopt;
                     return 0;
                   },
                   {actions.begin(), actions.end()});
               !value) {
      report(term, value.diagnostics().front());
    }
  }
  if (!diagnostics.empty()) return diagnostics;
  return okStatus();
}

EnergyReport price(const machine::Machine &machine, const ActionCounts &counts, Picoseconds duration) {
  EnergyReport report;
  report.duration = duration;
  report.covers = machine.energyCovers;
  for (const machine::EnergyTerm &term : machine.energy) {
    EnergyRow row = priceTerm(term, machine, counts, duration);
    ComponentEnergy &component = report.components[row.component];
    (row.isBackground ? component.background : component.dynamic) += row.energy;
    (row.isBackground ? report.background : report.dynamic) += row.energy;
    report.total += row.energy;
    report.low += row.low;
    report.high += row.high;
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace pimento::energy
