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

/// Value of a name in an action formula: an action, or a whole number of the machine file.
std::optional<std::int64_t> valueOf(std::string_view n, const machine::Machine &machine, const ActionCounts &counts) {
  if (const auto action = parseAction(n)) return counts.of(*action);
  const auto number = machine.numbers.find(std::string(n));
  if (number == machine.numbers.end()) return std::nullopt;
  const double x = number->second.canonical;
  constexpr double kExact = 9e15;  // whole numbers up to here are exact in a double
  if (x != std::floor(x) || std::fabs(x) > kExact) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

std::vector<std::string> actionNames() {
  std::vector<std::string> names;
  for (int i = 0; i < kActions; ++i) names.emplace_back(name(static_cast<Action>(i)));
  return names;
}

/// Value of a checked formula. What can still fail is overflow, which gives the largest number, as counts do.
std::int64_t countOf(const machine::EnergyTerm &term, const machine::Machine &machine, const ActionCounts &counts) {
  std::shared_ptr<const machine::Expression> formula = term.formula;
  if (!formula) {
    auto parsed = machine::Expression::parse(term.action, {});
    PIMENTO_CHECK(parsed.ok() && "checked machines have formulas that parse");
    formula = std::make_shared<const machine::Expression>(std::move(*parsed));
  }
  const auto value = formula->evaluate([&](std::string_view n) { return valueOf(n, machine, counts); }, {});
  if (value) return *value;
  PIMENTO_CHECK(value.diagnostics().front().code != "unknown-name" && "machines are checked before they are priced");
  return std::numeric_limits<std::int64_t>::max();
}

EnergyRow priceTerm(const machine::EnergyTerm &term, const machine::Machine &machine, const ActionCounts &counts,
                    Picoseconds duration) {
  EnergyRow row;
  row.term = term.name;
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
  if (const auto number = machine.numbers.find("energy." + term.name); number != machine.numbers.end()) {
    row.unit = number->second.canonicalUnit;
    row.source = number->second.source;
    row.confidence = number->second.confidence;
  }
  return row;
}

}  // namespace

Status check(const machine::Machine &machine) {
  Diagnostics diagnostics;
  const auto report = [&](const machine::EnergyTerm &term, const Diagnostic &d) {
    const auto number = machine.numbers.find("energy." + term.name);
    diagnostics.push_back(error(d.code, number != machine.numbers.end() ? number->second.where : d.where,
                                "energy term '" + term.name + "': " + d.message, d.hint));
  };
  for (const machine::EnergyTerm &term : machine.energy) {
    if (term.isBackground) continue;
    const auto formula = machine::Expression::parse(term.action, {});
    if (!formula) {
      report(term, formula.diagnostics().front());
    } else if (!formula->isMonotone()) {
      report(term, error("bad-formula", {}, "'" + term.action + "' could fall while counts rise",
                         "action formulas only add and multiply"));
    } else if (const auto value =
                   formula->evaluate([&](std::string_view n) { return valueOf(n, machine, {}); }, actionNames());
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
