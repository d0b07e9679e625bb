// Rewrite rules: a pattern, what stands in its place, and sometimes a computation that decides whether the rule holds
// and what its result's literals are. In text, one rule per line:
//
//   # (a + b) + c is a + (b + c)
//   associate: (+ ?a (+ ?b ?c)) -> (+ (+ ?a ?b) ?c)
//   distribute: (* ?a (+ ?b ?c)) <-> (+ (* ?a ?b) (* ?a ?c))
//   square: (pow ?x 2) -> (* ?x ?x)
//
// Names with a question mark are variables; all others are operators, of as many arguments as stand there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/tdfg/egraph/egraph.h"

namespace pimento::tdfg::egraph {

/// Operators and variables; the last entry is the whole.
struct Pattern {
  struct Part {
    int variable = -1;  ///< a number of the rule's variables; -1: an operator
    Op op = 0;
    std::vector<int> arguments{};  ///< parts
  };
  std::vector<Part> parts;
};

/// What a rule's variables are bound to, for its computation: in an e-graph, or in a term that a checker rewrites.
class Bindings {
 public:
  virtual ~Bindings() = default;
  /// The literal that the variable is, if it is one.
  virtual std::optional<Op> literal(int variable) const = 0;
  /// What the analysis says of it.
  virtual Fact fact(int variable) const = 0;
  /// Binds a variable that stands on the right side alone.
  virtual void bind(int variable, Op literal) = 0;
};
/// False: the rule does not hold there. Must hang on what Bindings gives alone.
using Computation = std::function<bool(Bindings &)>;

struct Rule {
  std::string name;
  Pattern left, right;
  std::vector<std::string> variables;  ///< with their question marks; those of the left side first
  int leftVariables = 0;
  Computation computation{};  ///< null: it always holds

  int variable(std::string_view name) const;
};

/// Diagnostic: "rule-invalid" with its place.
Result<std::vector<Rule>> readRules(std::string_view text, Language &language, const std::string &file = "<rules>");
/// A rule of ours: `text` as in a line of the text form, with one direction.
Rule makeRule(std::string_view text, Language &language, Computation computation = nullptr);
/// A term in the same writing, without variables. Diagnostic: "rule-invalid".
Result<ClassId> addText(EGraph &graph, std::string_view text);

}  // namespace pimento::tdfg::egraph
