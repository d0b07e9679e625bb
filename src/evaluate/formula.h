// Formulas over named operands, as text that is both computed and shown: "ceil((bytes / link + latency) * clock)".
//
// The host's part of a run is priced by these (price.h) and explained by them (explain.h), so a number and its
// explanation cannot differ. Operators + - * /, parentheses, max(...), min(...), ceil(x), numbers and names, which may
// hold dots. Evaluated in doubles, in the order written, or in 64-bit integers, where / rounds towards zero as in
// machine files (machine::Expression reads those, with places for its messages; what it takes is taken here too).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::evaluate {

class Formula {
 public:
  /// Nothing if `text` is no formula, or nests too deep.
  static std::optional<Formula> parse(std::string_view text);

  const std::string &text() const { return text_; }
  /// Names in order of first appearance, each once: operands are given in this order.
  const std::vector<std::string> &names() const { return names_; }

  double evaluate(std::span<const double> operands) const;
  /// Nothing on division by zero, on overflow, and where the formula has fractions or rounds.
  std::optional<std::int64_t> evaluateInteger(std::span<const std::int64_t> operands) const;

  /// The text with `values` (one per name) in place of the names.
  std::string substitute(const std::vector<std::string> &values) const;

 private:
  friend class FormulaParser;
  enum class Op : std::uint8_t { kNumber, kName, kNegate, kAdd, kSubtract, kMultiply, kDivide, kMax, kMin, kCeil };
  struct Step {
    Op op = Op::kNumber;
    double number = 0;               ///< kNumber
    std::int64_t integer = 0;        ///< kNumber without a fraction; kName: which; kMax, kMin: how many arguments
    bool isInteger = false;          ///< kNumber
    std::size_t begin = 0, end = 0;  ///< kName: place in the text
  };
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;  // reverse Polish
};

}  // namespace pimento::evaluate
