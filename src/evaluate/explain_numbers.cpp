#include <fmt/format.h>

#include <cmath>

#include "pimento/base/text.h"
#include "pimento/evaluate/explainer.h"

namespace pimento::evaluate {

using Arithmetic = Derivation::Arithmetic;

DerivationPtr leaf(std::string name, Value value, std::string unit, std::string note) {
  return node(std::move(name), value, std::move(unit), {}, Arithmetic::kInteger, {}, std::move(note));
}

DerivationPtr node(std::string name, Value value, std::string unit, std::string formula, Arithmetic how, Parts parts,
                   std::string note) {
  auto d = std::make_shared<Derivation>();
  d->name = std::move(name);
  d->value = value;
  d->unit = std::move(unit);
  d->formula = std::move(formula);
  d->arithmetic = how;
  d->parts = std::move(parts);
  d->note = std::move(note);
  return d;
}

DerivationPtr sumOf(std::string name, Value value, std::string unit, const std::vector<DerivationPtr> &parts,
                    std::string note) {
  Parts all;
  for (const DerivationPtr &p : parts) all.push_back({{}, p});
  const Arithmetic how = value.index() == 0 ? Arithmetic::kInteger : Arithmetic::kReal;
  return node(std::move(name), value, std::move(unit), Derivation::kSum, how, std::move(all), std::move(note));
}

DerivationPtr MachineNumbers::number(const std::string &path, Value fallback) {
  if (const auto known = made_.find(path); known != made_.end()) return known->second;
  const auto n = machine_.numbers.find(path);
  DerivationPtr d = n == machine_.numbers.end() ? leaf(path, fallback, {}, "the machine has no file") : make(n->second);
  made_.emplace(path, d);
  return d;
}

DerivationPtr MachineNumbers::make(const machine::Number &n) {
  auto d = std::make_shared<Derivation>();
  d->name = n.path;
  d->unit = n.canonicalUnit == "count" ? "" : n.canonicalUnit;
  constexpr double kExact = 9e15;
  if (n.canonical == std::floor(n.canonical) && std::fabs(n.canonical) < kExact)
    d->value = static_cast<std::int64_t>(n.canonical);
  else
    d->value = n.canonical;
  d->source = n.source;
  d->confidence = std::string(machine::name(n.confidence));
  if (n.low && n.high) d->note = fmt::format("range {} to {} {}", numberText(*n.low), numberText(*n.high), n.unit);
  if (n.overridden) d->note += d->note.empty() ? "overridden by --set" : "; overridden by --set";
  const Result<machine::Expression> formula = machine::Expression::parseReal(n.formula);
  if (!formula || formula->operands().empty()) return d;
  for (const std::string &name : formula->operands()) {
    const std::string path = has("timing." + name) ? "timing." + name : name;
    if (!has(path) || path == n.path) return d;
    d->parts.push_back({name, number(path)});
  }
  d->formula = n.formula;
  return d;
}

/// All links together.
DerivationPtr MachineNumbers::link() {
  Parts parts = {{"link_bandwidth", number("host.link_bandwidth", machine_.host.linkGBps)}};
  if (!has("host.links"))
    return node("link", machine_.host.linkGBps, "GB/s", "link_bandwidth", Arithmetic::kReal, std::move(parts));
  parts.push_back({"links", number("host.links")});
  return node("link", machine_.host.linkGBps, "GB/s", "link_bandwidth * links", Arithmetic::kReal, std::move(parts),
              "all links between host and device together");
}

DerivationPtr MachineNumbers::operand(const std::string &symbol, const Operand &o, Arithmetic how) {
  const Value value = how == Arithmetic::kInteger || o.path.empty() ? Value(o.integer) : Value(o.real);
  const std::string unit = o.unit == "count" ? "" : std::string(o.unit);
  if (o.path == "link") return link();
  if (!o.path.empty() && has(std::string(o.path))) return number(std::string(o.path));
  return leaf(o.path.empty() ? symbol : std::string(o.path), value, unit, std::string(o.about));
}

DerivationPtr MachineNumbers::term(std::string name, std::string unit, const Term &t, Arithmetic how,
                                   std::string whenEmpty) {
  if (t.formula == nullptr) return leaf(std::move(name), t.value, std::move(unit), std::move(whenEmpty));
  Parts parts;
  for (std::size_t i = 0; i < t.formula->operands().size(); ++i) {
    const std::string &symbol = t.formula->operands()[i];
    parts.push_back({symbol, operand(symbol, t.operands[i], how)});
  }
  return node(std::move(name), t.value, std::move(unit), t.formula->text(), how, std::move(parts));
}

}  // namespace pimento::evaluate
