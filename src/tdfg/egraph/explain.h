// Why two terms are equal, as a chain of rewrites of one term into the other, and a checker that believes none of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/tdfg/egraph/rules.h"

namespace pimento::tdfg::egraph {

struct Rewrite {
  int rule = 0;
  bool isForward = true;  ///< left side to right side; otherwise the other way round
  std::vector<int> at;    ///< numbers of arguments, from the whole down
  Term from, to;          ///< what stands there before and after
  Term whole;             ///< after it
};

struct Explanation {
  Terms terms;
  Term first = kNoTerm, last = kNoTerm;
  std::vector<Rewrite> steps;
  bool isWhole = true;  ///< false: there are more than `limit` steps
};

/// `graph`: with proofs. `a` and `b`: terms of one class, joined by rules alone. A term that is used in several places
/// is rewritten in each of them.
Explanation explain(const EGraph &graph, Term a, Term b, std::size_t limit);

/// Does every step rewrite what stands there by its rule, and do the steps lead from the first term to the last? Knows
/// rules and terms, and nothing of e-graphs. Diagnostic: "wrong-explanation" with the first step that fails.
Status replay(const Explanation &explanation, const std::vector<Rule> &rules, Analysis *analysis);

/// The term that an extraction takes for class `c`; `graph`: with proofs.
Term termOf(EGraph &graph, ClassId c, const std::vector<NodeId> &nodes);

}  // namespace pimento::tdfg::egraph
