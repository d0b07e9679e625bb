// Formulas over named numbers: "RL + BL/2 + tRTRS - WL", "max(tRTPL, tCCDL)", "ceil((bytes / link + latency) * clock)".
//
// Operators + - * /, parentheses, max(a, b, ...), min(a, b, ...), numbers and names, which may hold dots. Formulas of
// machine files are in 64-bit integers (decimal or 0x; / rounds towards zero), checked, with places for messages. Those
// by which costs are computed and explained (evaluate/price.h) take fractions and ceil(x) as well: they are computed in
// doubles, in the order written, or in integers where they have neither. Not here: what names mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::machine {

class Expression {
 public:
  /// The value of a name; empty if there is no such name.
  using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;

  /// In integers. Diagnostic "bad-formula": not of the grammar above; nests too deep.
  static Result<Expression> parse(std::string_view text, const Location &where);
  /// With fractions and ceil(x) too. Diagnostic: the same.
  static Result<Expression> parseReal(std::string_view text);

  const std::string &text() const { return text_; }
  /// Names used, in order of appearance, repeated ones too.
  std::vector<std::string> names() const;
  /// The same, each once: values are given in this order.
  const std::vector<std::string> &operands() const { return operands_; }

  /// Diagnostics: "unknown-name" (with the nearest of `choices`), "bad-formula" (division by zero, overflow).
  Result<std::int64_t> evaluate(const Lookup &lookup, const std::vector<std::string> &choices) const;
  /// Nothing on division by zero, on overflow, and where the formula has fractions or rounds.
  std::optional<std::int64_t> evaluateInteger(std::span<const std::int64_t> operands) const;
  double evaluateReal(std::span<const double> operands) const;

  /// Whether it never falls when a name's value rises, values being non-negative: no minus, no division.
  bool isMonotone() const;

  /// The text with `values` (one per operand) in place of the names.
  std::string substitute(const std::vector<std::string> &values) const;

 private:
  friend class ExpressionParser;
  enum class Op : std::uint8_t { kNumber, kName, kNegate, kCeil, kAdd, kSubtract, kMultiply, kDivide, kMax, kMin };
  struct Step {
    Op op = Op::kNumber;
    std::size_t count = 0;                ///< kName: which operand; else how many arguments
    std::optional<std::int64_t> integer;  ///< kNumber without a fraction
    double real = 0;                      ///< kNumber
    std::size_t begin = 0, end = 0;       ///< kName: place in the text
    Location where;
  };
  static bool apply(Op op, std::int64_t &a, std::int64_t b);
  static bool apply(Op op, double &a, double b);
  template <typename T, typename Load, typename Join>
  std::optional<T> run(Load &&load, Join &&join) const;

  std::string text_;
  std::vector<std::string> operands_;
  std::vector<Step> steps_;  // reverse Polish, so evaluation needs no recursion
};

}  // namespace pimento::machine
