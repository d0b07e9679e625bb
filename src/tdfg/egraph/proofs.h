// Why terms of an e-graph are equal: a forest of terms, whose edges are justified by a rule, by congruence, or given.
// Between two terms of a tree there is one way, which later edges do not change. Nieuwenhuis and Oliveras,
// "Proof-producing congruence closure", RTA 2005.
//
// Terms are those that were really written, not classes: what a rule found, and what it put there.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/tdfg/egraph/language.h"
#include "pimento/tdfg/egraph/terms.h"

namespace pimento::tdfg::egraph {

/// Instead of a rule's number.
inline constexpr int kGiven = -1, kCongruent = -2;

class Proofs {
 public:
  Terms &terms() { return terms_; }
  const Terms &terms() const { return terms_; }
  /// `a` and `b` are of different trees. `rule`: rewrites `a` to `b`.
  void connect(Term a, Term b, int rule);

  struct Edge {
    Term from, to;
    int rule;
    bool isForward;  ///< the rule rewrites `from` to `to`; otherwise the other way round
  };
  /// From `a` to `b`, which are of one tree.
  std::vector<Edge> way(Term a, Term b) const;

 private:
  struct Up {
    Term to = kNoTerm;
    int rule = kGiven;
    bool isForward = true;
  };
  void makeRoot(Term t);
  Up &up(Term t);

  Terms terms_;
  std::vector<Up> up_;
};

}  // namespace pimento::tdfg::egraph
