// A number with the formula it comes from, down to counts of the run and numbers of the machine file.
//
// Nodes are shared and never change, so a tree of a whole report is small. A node's formula is no decoration: applied
// to the values of the parts it gives the node's value (test/unit/driver/explain_test.cpp). Sums of integers stay at
// the largest number where they overflow, as counts do; reals that stand as integers are truncated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::evaluate {

struct Derivation;
using DerivationPtr = std::shared_ptr<const Derivation>;

struct Derivation {
  /// Formulas: the sum of all parts, in order; no name needed for each of them.
  static constexpr const char *kSum = "sum of parts";
  enum class Arithmetic : std::uint8_t { kInteger, kReal };
  /// An operand, by the name it has in the formula; sums need none.
  struct Part {
    std::string symbol;
    DerivationPtr node;
  };

  std::string name;  ///< key of the report ("breakdown.merge"), path of the machine file ("timing.tRP"), or words
  std::variant<std::int64_t, double> value = std::int64_t{0};
  std::string unit;
  std::string formula;  ///< kSum, or of machine/expression.h over the parts' symbols; empty: a leaf
  Arithmetic arithmetic = Arithmetic::kInteger;
  std::vector<Part> parts;
  std::vector<DerivationPtr> beside;  ///< other views of the same number, not part of the formula
  std::string source, confidence;     ///< numbers of the machine file
  std::string note;

  bool isLeaf() const { return formula.empty(); }
  bool isInteger() const { return value.index() == 0; }
  std::int64_t integer() const;
  double real() const;
  /// The formula with numbers put in; empty for leaves and sums.
  std::string substituted() const;
};

/// "1234", "0.5": the value as it stands in JSON.
std::string valueText(const Derivation &node);

}  // namespace pimento::evaluate
