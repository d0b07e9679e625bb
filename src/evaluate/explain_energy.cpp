#include <fmt/format.h>

#include <algorithm>

#include "pimento/evaluate/explainer.h"

namespace pimento::evaluate {

namespace {

using Arithmetic = Derivation::Arithmetic;

const machine::EnergyTerm &termNamed(const machine::Machine &m, const std::string &name) {
  const auto at = std::find_if(m.energy.begin(), m.energy.end(), [&](const auto &t) { return t.name == name; });
  PIMENTO_CHECK(at != m.energy.end());
  return *at;
}

/// The count that a term prices, by its action formula.
DerivationPtr countNode(const std::string &name, const energy::EnergyRow &row, const machine::EnergyTerm &term,
                        const ActionNodes &actions, MachineNumbers &numbers) {
  if (row.isBackground) {
    if (term.instancesPath.empty()) return leaf(name, row.count, "", "draws the power once");
    return node(name, row.count, "", "instances", Arithmetic::kInteger,
                {{"instances", numbers.number(term.instancesPath)}});
  }
  const Result<machine::Expression> formula = machine::Expression::parseReal(row.formula);
  if (!formula) return leaf(name, row.count, "", "counted as " + row.formula);
  Parts parts;
  for (const std::string &symbol : formula->operands()) {
    if (numbers.has(symbol)) {
      parts.push_back({symbol, numbers.number(symbol)});
    } else {
      const auto known = actions.find(symbol);
      parts.push_back(
          {symbol, known != actions.end() ? known->second : leaf(symbol, std::int64_t{0}, "", "none in this run")});
    }
  }
  return node(name, row.count, "", row.formula, Arithmetic::kInteger, std::move(parts));
}

}  // namespace

std::vector<EnergyNodes> explainEnergy(const std::string &prefix, const energy::EnergyReport &report,
                                       const ActionNodes &actions, const DerivationPtr &time, MachineNumbers &numbers) {
  std::vector<EnergyNodes> out;
  for (const energy::EnergyRow &row : report.rows) {
    const machine::EnergyTerm &term = termNamed(numbers.machine(), row.term);
    const std::string at = prefix + row.term, path = row.path;
    const DerivationPtr cost = numbers.number(path, term.energy.value);
    EnergyNodes nodes;
    nodes.count = countNode(at + ".count", row, term, actions, numbers);
    nodes.unitCost = node(at + ".unit_cost", row.unitCost, cost->unit, "cost", Arithmetic::kReal, {{"cost", cost}});
    const auto priced = [&](const char *which, Picojoules value, const DerivationPtr &unitCost) {
      Parts parts = {{"count", nodes.count}, {row.isBackground ? "power" : "cost", unitCost}};
      if (row.isBackground) parts.push_back({"time", time});
      return node(at + which, value.value, "pJ", row.isBackground ? "power * (count * time)" : "cost * count",
                  Arithmetic::kReal, std::move(parts), term.covers);
    };
    const auto end = [&](const char *which, Picojoules value) {
      auto d = std::make_shared<Derivation>(
          *leaf(fmt::format("{} ({} end of its range)", path, which), value.value, cost->unit, {}));
      d->source = cost->source;
      d->confidence = cost->confidence;
      return d;
    };
    nodes.pj = priced(".pj", row.energy, cost);
    nodes.low = priced(".low", row.low, end("low", term.low));
    nodes.high = priced(".high", row.high, end("high", term.high));
    out.push_back(std::move(nodes));
  }
  return out;
}

}  // namespace pimento::evaluate
