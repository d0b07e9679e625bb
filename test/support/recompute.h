// The value that a derivation's formula gives for the values of its parts: it must be the derivation's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/evaluate/derivation.h"
#include "pimento/machine/expression.h"

namespace pimento::test {

using Value = std::variant<std::int64_t, double>;

inline Value sumOfParts(const evaluate::Derivation &node) {
  std::int64_t integer = 0;
  double real = 0;
  const bool isInteger = node.arithmetic == evaluate::Derivation::Arithmetic::kInteger;
  for (const evaluate::Derivation::Part &p : node.parts) {
    if (isInteger) integer = addSaturated(integer, p.node->integer());
    real += p.node->real();
  }
  return isInteger ? Value(integer) : Value(real);
}

/// A leaf's own value. Nothing if the formula cannot be computed.
inline std::optional<Value> recompute(const evaluate::Derivation &node) {
  using Derivation = evaluate::Derivation;
  if (node.isLeaf()) return node.value;
  if (node.formula == Derivation::kSum) return sumOfParts(node);
  const Result<machine::Expression> parsed = machine::Expression::parseReal(node.formula);
  if (!parsed) return std::nullopt;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  for (const std::string &symbol : parsed->operands()) {
    const auto part = std::find_if(node.parts.begin(), node.parts.end(), [&](auto &p) { return p.symbol == symbol; });
    if (part == node.parts.end()) return std::nullopt;
    const Derivation &d = *part->node;
    if (node.arithmetic == Derivation::Arithmetic::kInteger && !d.isInteger()) return std::nullopt;
    reals.push_back(d.real());
    if (d.isInteger()) integers.push_back(d.integer());
  }
  if (node.arithmetic == Derivation::Arithmetic::kInteger)
    return parsed->evaluateInteger(integers).value_or(std::numeric_limits<std::int64_t>::max());
  const double x = parsed->evaluateReal(reals);
  if (node.isInteger()) return static_cast<std::int64_t>(x);
  return x;
}

}  // namespace pimento::test
