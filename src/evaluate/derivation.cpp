#include "pimento/evaluate/derivation.h"

#include <algorithm>
#include <limits>

#include "pimento/base/integer.h"
#include "pimento/base/text.h"
#include "pimento/machine/expression.h"

namespace pimento::evaluate {

namespace {

using Value = std::variant<std::int64_t, double>;

const Derivation *partNamed(const Derivation &node, const std::string &symbol) {
  const auto at = std::find_if(node.parts.begin(), node.parts.end(), [&](const auto &p) { return p.symbol == symbol; });
  return at == node.parts.end() ? nullptr : at->node.get();
}

Value sumOf(const Derivation &node) {
  if (node.arithmetic == Derivation::Arithmetic::kInteger) {
    std::int64_t sum = 0;
    for (const Derivation::Part &p : node.parts) sum = addSaturated(sum, p.node->integer());
    return sum;
  }
  double sum = 0;
  for (const Derivation::Part &p : node.parts) sum += p.node->real();
  return sum;
}

}  // namespace

std::int64_t Derivation::integer() const {
  PIMENTO_CHECK(isInteger());
  return std::get<0>(value);
}

double Derivation::real() const {
  return isInteger() ? static_cast<double>(std::get<0>(value)) : std::get<1>(value);
}

std::optional<Value> Derivation::recompute() const {
  if (isLeaf()) return value;
  if (formula == kSum) return sumOf(*this);
  const Result<machine::Expression> parsed = machine::Expression::parseReal(formula);
  if (!parsed) return std::nullopt;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  for (const std::string &symbol : parsed->operands()) {
    const Derivation *part = partNamed(*this, symbol);
    if (part == nullptr || (arithmetic == Arithmetic::kInteger && !part->isInteger())) return std::nullopt;
    reals.push_back(part->real());
    if (part->isInteger()) integers.push_back(part->integer());
  }
  if (arithmetic == Arithmetic::kInteger)
    return parsed->evaluateInteger(integers).value_or(std::numeric_limits<std::int64_t>::max());
  const double x = parsed->evaluateReal(reals);
  if (isInteger()) return static_cast<std::int64_t>(x);
  return x;
}

std::string Derivation::substituted() const {
  if (isLeaf() || formula == kSum) return {};
  const Result<machine::Expression> parsed = machine::Expression::parseReal(formula);
  if (!parsed) return {};
  std::vector<std::string> values;
  for (const std::string &symbol : parsed->operands()) {
    const Derivation *part = partNamed(*this, symbol);
    values.push_back(part == nullptr ? symbol : valueText(*part));
  }
  return parsed->substitute(values);
}

std::string valueText(const Derivation &node) {
  return node.isInteger() ? std::to_string(node.integer()) : numberText(node.real());
}

}  // namespace pimento::evaluate
