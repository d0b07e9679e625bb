#include "pimento/evaluate/derivation.h"

#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/machine/expression.h"

namespace pimento::evaluate {

namespace {

const Derivation *partNamed(const Derivation &node, const std::string &symbol) {
  const auto at = std::find_if(node.parts.begin(), node.parts.end(), [&](const auto &p) { return p.symbol == symbol; });
  return at == node.parts.end() ? nullptr : at->node.get();
}

}  // namespace

std::int64_t Derivation::integer() const {
  PIMENTO_CHECK(isInteger());
  return std::get<0>(value);
}

double Derivation::real() const {
  return isInteger() ? static_cast<double>(std::get<0>(value)) : std::get<1>(value);
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
