// Integer formulas of machine files: "RL + BL/2 + tRTRS - WL", "max(tRTPL, tCCDL)", "organization.channels".
//
// Operators + - * / (rounds towards zero), parentheses, max(a, b, ...), min(a, b, ...), integers (decimal or 0x) and
// names, which may hold dots. All arithmetic is on 64-bit integers and checked. Not here: what names mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::machine {

class Expression {
 public:
  /// The value of a name; empty if there is no such name.
  using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;

  /// Diagnostic "bad-formula": not of the grammar above; nests too deep.
  static Result<Expression> parse(std::string_view text, const Location &where);

  /// Diagnostics: "unknown-name" (with the nearest of `choices`), "bad-formula" (division by zero, overflow).
  Result<std::int64_t> evaluate(const Lookup &lookup, const std::vector<std::string> &choices) const;

  /// Whether it never falls when a name's value rises, values being non-negative: no minus, no division.
  bool isMonotone() const;

  /// Names used, in order of appearance, repeated ones too.
  std::vector<std::string> names() const;

 private:
  friend class ExpressionParser;
  enum class Op : std::uint8_t { kNumber, kName, kNegate, kAdd, kSubtract, kMultiply, kDivide, kMax, kMin };
  struct Step {
    Op op = Op::kNumber;
    std::int64_t number = 0;  ///< kNumber: value; kMax, kMin: number of arguments
    std::string name;
    Location where;
  };
  std::vector<Step> steps_;  // reverse Polish, so evaluation needs no recursion
};

}  // namespace pimento::machine
