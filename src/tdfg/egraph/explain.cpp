#include "pimento/tdfg/egraph/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pimento::tdfg::egraph {

namespace {

/// `whole` with `to` in place of what is at `path`.
Term replaced(Terms &terms, Term whole, std::span<const int> path, Term to) {
  if (path.empty()) return to;
  std::vector<Term> arguments(terms.arguments(whole).begin(), terms.arguments(whole).end());
  Term &argument = arguments[static_cast<std::size_t>(path.front())];
  argument = replaced(terms, argument, path.subspan(1), to);
  return terms.add(terms.op(whole), arguments).first;
}

class Writer {
 public:
  Writer(const EGraph &graph, std::size_t limit, Explanation &out)
      : proofs_(*graph.proofs()), limit_(limit), out_(out) {}

  void write(Term a, Term b) {
    for (const Proofs::Edge &edge : proofs_.way(a, b)) {
      if (edge.rule == kCongruent) {
        const std::vector<Term> from(argumentsOf(edge.from)), to(argumentsOf(edge.to));
        for (std::size_t k = 0; k < from.size() && out_.isWhole; ++k) {
          if (from[k] == to[k]) continue;
          path_.push_back(static_cast<int>(k));
          write(from[k], to[k]);
          path_.pop_back();
        }
      } else if (out_.steps.size() == limit_) {
        out_.isWhole = false;
      } else {
        whole_ = replaced(out_.terms, whole_, path_, edge.to);
        out_.steps.push_back({edge.rule, edge.isForward, path_, edge.from, edge.to, whole_});
      }
      if (!out_.isWhole) return;
    }
  }
  void start(Term a) { whole_ = a; }

 private:
  std::vector<Term> argumentsOf(Term t) const {
    const std::span<const Term> arguments = proofs_.terms().arguments(t);
    return {arguments.begin(), arguments.end()};
  }
  const Proofs &proofs_;
  std::size_t limit_;
  Explanation &out_;
  std::vector<int> path_;
  Term whole_ = kNoTerm;
};

/// A rule on terms.
class Checker {
 public:
  Checker(const Explanation &explanation, const std::vector<Rule> &rules, Analysis *analysis)
      : terms_(explanation.terms), rules_(rules), analysis_(analysis) {}

  /// Does the rule rewrite `from` to `to`, left to right?
  bool rewrites(int r, Term from, Term to) {
    if (r < 0 || r >= static_cast<int>(rules_.size())) return false;
    const Rule &rule = rules_[static_cast<std::size_t>(r)];
    std::vector<Term> variables(rule.variables.size(), kNoTerm);
    if (!matches(rule.left, static_cast<int>(rule.left.parts.size()) - 1, from, variables)) return false;
    if (rule.computation) {
      TermBindings bindings(*this, variables);
      if (!rule.computation(bindings)) return false;
    }
    return built(rule.right, static_cast<int>(rule.right.parts.size()) - 1, variables) == to;
  }
  Terms &terms() { return terms_; }

 private:
  bool matches(const Pattern &pattern, int at, Term t, std::vector<Term> &variables) {
    const Pattern::Part &part = pattern.parts[static_cast<std::size_t>(at)];
    if (part.variable >= 0) {
      Term &bound = variables[static_cast<std::size_t>(part.variable)];
      if (bound == kNoTerm) bound = t;
      return bound == t;
    }
    if (terms_.op(t) != part.op) return false;
    for (std::size_t k = 0; k < part.arguments.size(); ++k)
      if (!matches(pattern, part.arguments[k], terms_.arguments(t)[k], variables)) return false;
    return true;
  }
  Term built(const Pattern &pattern, int at, const std::vector<Term> &variables) {
    const Pattern::Part &part = pattern.parts[static_cast<std::size_t>(at)];
    if (part.variable >= 0) return variables[static_cast<std::size_t>(part.variable)];
    std::vector<Term> arguments;
    for (const int a : part.arguments) arguments.push_back(built(pattern, a, variables));
    return terms_.add(part.op, arguments).first;
  }
  Fact factOf(Term t) {
    if (const auto known = facts_.find(t); known != facts_.end()) return known->second;
    std::vector<Fact> facts;
    const std::vector<Term> arguments(terms_.arguments(t).begin(), terms_.arguments(t).end());
    for (const Term a : arguments) facts.push_back(factOf(a));
    return facts_[t] = analysis_->of(terms_.op(t), facts);
  }

  class TermBindings final : public Bindings {
   public:
    TermBindings(Checker &checker, std::vector<Term> &variables) : checker_(checker), variables_(variables) {}
    std::optional<Op> literal(int variable) const override {
      const Term t = variables_[static_cast<std::size_t>(variable)];
      if (!checker_.terms_.arguments(t).empty()) return std::nullopt;
      return checker_.terms_.op(t);
    }
    Fact fact(int variable) const override { return checker_.factOf(variables_[static_cast<std::size_t>(variable)]); }
    void bind(int variable, Op literal) override {
      variables_[static_cast<std::size_t>(variable)] = checker_.terms_.add(literal, {}).first;
    }

   private:
    Checker &checker_;
    std::vector<Term> &variables_;
  };

  Terms terms_;
  const std::vector<Rule> &rules_;
  Analysis *analysis_;
  std::map<Term, Fact> facts_;
};

Term termOf(EGraph &graph, ClassId c, const std::vector<NodeId> &nodes, std::map<ClassId, Term> &done) {
  if (const auto known = done.find(c); known != done.end()) return known->second;
  const NodeId n = nodes[c];
  const Op op = graph.op(n);
  std::vector<ClassId> classes;
  for (int k = 0; k < graph.arity(n); ++k) classes.push_back(graph.argument(n, k));
  std::vector<Term> arguments;
  for (const ClassId a : classes) arguments.push_back(termOf(graph, a, nodes, done));
  return done[c] = graph.addTerm(op, arguments);
}

}  // namespace

Explanation explain(const EGraph &graph, Term a, Term b, std::size_t limit) {
  Explanation out{graph.proofs()->terms(), a, b, {}, true};
  Writer writer(graph, limit, out);
  writer.start(a);
  writer.write(a, b);
  return out;
}

Status replay(const Explanation &explanation, const std::vector<Rule> &rules, Analysis *analysis) {
  Checker checker(explanation, rules, analysis);
  Terms &terms = checker.terms();
  Term whole = explanation.first;
  const auto wrong = [](std::size_t step, const char *why) {
    return error(DiagnosticKind::kOurs, "wrong-explanation", {}, fmt::format("step {}: {}", step + 1, why));
  };
  for (std::size_t k = 0; k < explanation.steps.size(); ++k) {
    const Rewrite &step = explanation.steps[k];
    Term here = whole;
    for (const int a : step.at) {
      if (a < 0 || a >= static_cast<int>(terms.arguments(here).size())) return wrong(k, "there is no such argument");
      here = terms.arguments(here)[static_cast<std::size_t>(a)];
    }
    if (here != step.from) return wrong(k, "something else stands there");
    const Term left = step.isForward ? step.from : step.to, right = step.isForward ? step.to : step.from;
    if (!checker.rewrites(step.rule, left, right)) return wrong(k, "the rule does not say so");
    whole = replaced(terms, whole, step.at, step.to);
  }
  if (!explanation.isWhole) return wrong(explanation.steps.size(), "it was cut short");
  if (whole != explanation.last) return wrong(explanation.steps.size(), "it leads to another term");
  return okStatus();
}

Term termOf(EGraph &graph, ClassId c, const std::vector<NodeId> &nodes) {
  std::map<ClassId, Term> done;
  return termOf(graph, graph.find(c), nodes, done);
}

}  // namespace pimento::tdfg::egraph
