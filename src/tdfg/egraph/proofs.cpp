#include "pimento/tdfg/egraph/proofs.h"

#include <algorithm>

#include "pimento/base/diagnostics.h"

namespace pimento::tdfg::egraph {

Proofs::Up &Proofs::up(Term t) {
  if (up_.size() <= t) up_.resize(std::max<std::size_t>(terms_.size(), std::size_t{t} + 1));
  return up_[t];
}

void Proofs::makeRoot(Term t) {
  // Every edge of the way to the root is turned round.
  Up above = up(t);
  up(t) = {};
  Term child = t;
  while (above.to != kNoTerm) {
    const Term here = above.to;
    const Up next = up(here);
    up(here) = {child, above.rule, !above.isForward};
    child = here;
    above = next;
  }
}

void Proofs::connect(Term a, Term b, int rule) {
  makeRoot(a);
  up(a) = {b, rule, true};
}

std::vector<Proofs::Edge> Proofs::way(Term a, Term b) const {
  const auto above = [&](Term t) { return t < up_.size() ? up_[t] : Up(); };
  const auto toRoot = [&](Term t) {
    std::vector<Term> way{t};
    while (above(way.back()).to != kNoTerm) way.push_back(above(way.back()).to);
    return way;
  };
  std::vector<Term> fromA = toRoot(a), fromB = toRoot(b);
  PIMENTO_CHECK(fromA.back() == fromB.back());
  while (fromA.size() > 1 && fromB.size() > 1 && fromA[fromA.size() - 2] == fromB[fromB.size() - 2]) {
    fromA.pop_back();
    fromB.pop_back();
  }
  std::vector<Edge> edges;
  for (std::size_t k = 0; k + 1 < fromA.size(); ++k) {
    const Up &u = up_[fromA[k]];
    edges.push_back({fromA[k], u.to, u.rule, u.isForward});
  }
  for (std::size_t k = fromB.size() - 1; k-- > 0;) {
    const Up &u = up_[fromB[k]];
    edges.push_back({fromB[k + 1], fromB[k], u.rule, !u.isForward});
  }
  return edges;
}

}  // namespace pimento::tdfg::egraph
