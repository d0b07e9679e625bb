#include "pimento/tdfg/optimise.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "pimento/tdfg/egraph/explain.h"
#include "pimento/tdfg/egraph/extract.h"
#include "pimento/tdfg/equations.h"
#include "pimento/tdfg/graph_terms.h"
#include "pimento/tdfg/hints.h"

namespace pimento::tdfg {

using egraph::EGraph;
using egraph::NodeId;
using egraph::Terms;

namespace {

/// Steps of an explanation.
constexpr std::size_t kMostSteps = 20'000;
/// More than any node costs.
constexpr std::int64_t kDear = std::int64_t{1} << 40;

/// Puts a term into an e-graph: its class.
egraph::ClassId addTo(EGraph &graph, const Terms &terms, egraph::Term t,
                      std::map<egraph::Term, egraph::ClassId> &done) {
  if (const auto known = done.find(t); known != done.end()) return known->second;
  std::vector<egraph::ClassId> arguments;
  for (const egraph::Term a : terms.arguments(t)) arguments.push_back(addTo(graph, terms, a, done));
  return done[t] = graph.add(terms.op(t), arguments);
}

class Optimiser {
 public:
  Optimiser(const Program &program, Region &region, const NodeCost &cost, const OptimiserOptions &options)
      : program_(program), region_(region), cost_(cost), options_(options), vocabulary_(program, region) {}

  OptimiserReport run() {
    const egraph::Term first = vocabulary_.encode(terms_);
    report_.before = report_.after = costOf(terms_, first);
    const egraph::Term boxed = widened(first);
    const egraph::Term last = cheapest(boxed);
    report_.contradictions = vocabulary_.contradictions();
    const std::int64_t after = costOf(terms_, last);
    if (after >= report_.before) {
      report_.unchanged = "nothing cheaper was found";
      report_.steps.clear();
      return report_;
    }
    Region better = region_;
    vocabulary_.decode(terms_, last, better);
    if (boundsOf(better) != boundsOf(region_)) {
      report_.unchanged = "an array that the lattice has its size from would go";
      report_.steps.clear();
      return report_;
    }
    addHints(program_, better);
    report_.after = after;
    region_ = std::move(better);
    return report_;
  }

 private:
  /// What the lattice has its size from: forms, and where these are not known, arrays.
  std::pair<std::vector<std::optional<Range>>, std::set<int>> boundsOf(const Region &region) const {
    std::pair<std::vector<std::optional<Range>>, std::set<int>> bounds{Always(program_, region).bounding(), {}};
    if (std::ranges::any_of(bounds.first, [](const auto &range) { return !range; }))
      for (const Node &node : region.nodes)
        if (node.kind == NodeKind::kTensor) bounds.second.insert(node.array);
    return bounds;
  }

  /// By array, the box around its tensors; empty: not known for all sizes.
  std::vector<Box> widest() const {
    std::vector<Box> boxes(program_.arrays.size());
    std::vector<char> isKnown(boxes.size(), 1);
    for (const Node &node : region_.nodes) {
      if (node.kind != NodeKind::kTensor) continue;
      const auto a = static_cast<std::size_t>(node.array);
      if (boxes[a].empty()) {
        boxes[a] = node.box;
        continue;
      }
      const auto both = vocabulary_.always().hull(boxes[a], node.box);
      if (both)
        boxes[a] = *both;
      else
        isKnown[a] = 0;
    }
    for (std::size_t a = 0; a < boxes.size(); ++a)
      if (isKnown[a] == 0) boxes[a].clear();
    return boxes;
  }

  egraph::Term widened(egraph::Term first) {
    const std::vector<Box> wide = widest();
    const std::vector<egraph::Rule> rules = boxRules(vocabulary_, wide);
    EGraph graph(vocabulary_.language(), {&vocabulary_, options_.explains});
    std::map<egraph::Term, egraph::ClassId> done;
    const egraph::ClassId root = addTo(graph, terms_, first, done);
    const egraph::Term start = options_.explains ? graph.termOf(root) : egraph::kNoTerm;
    (void)saturate(graph, egraph::RuleSet(rules), {.nodes = options_.nodes, .rounds = options_.rounds});
    // As few tensors as there can be, then as few boxes.
    const auto costOf = [&](NodeId n) -> std::int64_t {
      const std::optional<Node> node = nodeIn(graph, n);
      if (!node) return 0;
      if (node->kind == NodeKind::kTensor) {
        const Box &box = wide[static_cast<std::size_t>(node->array)];
        return box.empty() || vocabulary_.always().plain(box) == node->box ? 1 : kDear;
      }
      return node->kind == NodeKind::kShrink ? 1 : 2 + 2 * cost_(*node);
    };
    return taken(graph, root, start, extractGreedily(graph, std::array{root}, costOf), rules);
  }

  egraph::Term cheapest(egraph::Term boxed) {
    const std::vector<egraph::Rule> rules = operationRules(vocabulary_, options_.mayReassociate);
    const auto costOf = [&](const EGraph &graph) {
      return [&](NodeId n) -> std::int64_t {
        const std::optional<Node> node = nodeIn(graph, n);
        // Of equal ones the smaller graph.
        return node ? cost_(*node) * kScale + 1 : 0;
      };
    };
    const egraph::RuleSet set(rules);
    const egraph::Limits limits{.nodes = options_.nodes, .rounds = options_.rounds};
    EGraph graph(vocabulary_.language(), {&vocabulary_, false});
    std::map<egraph::Term, egraph::ClassId> done;
    const egraph::ClassId root = addTo(graph, terms_, boxed, done);
    const egraph::Outcome outcome = saturate(graph, set, limits);
    report_.stop = outcome.stop;
    report_.rounds = static_cast<int>(outcome.rounds.size());
    report_.nodes = graph.nodes();
    report_.classes = graph.classes();
    const egraph::Extraction best = extractBest(graph, std::array{root}, costOf(graph), options_.steps);
    report_.isProved = best.isProved;
    std::map<egraph::ClassId, egraph::Term> terms;
    const egraph::Term last = termIn(graph, graph.find(root), best.nodes, terms);
    if (options_.explains && last != boxed) explain(boxed, last, rules, set, limits);
    return last;
  }

  /// Once more with proofs, the result being there from the start.
  void explain(egraph::Term boxed, egraph::Term last, const std::vector<egraph::Rule> &rules,
               const egraph::RuleSet &set, const egraph::Limits &limits) {
    EGraph graph(vocabulary_.language(), {&vocabulary_, true});
    std::map<egraph::Term, egraph::Term> done;
    const egraph::Term from = proved(graph, boxed, done), to = proved(graph, last, done);
    for (int round = 0; round < limits.rounds && graph.classOfTerm(from) != graph.classOfTerm(to); ++round) {
      const egraph::Outcome outcome = saturate(graph, set, {.nodes = limits.nodes, .rounds = 1});
      if (outcome.stop != egraph::StopReason::kRounds) break;
    }
    isExplained_ = graph.classOfTerm(from) == graph.classOfTerm(to);
    if (isExplained_) keep(egraph::explain(graph, from, to, kMostSteps), rules);
  }
  egraph::Term proved(EGraph &graph, egraph::Term t, std::map<egraph::Term, egraph::Term> &done) {
    if (const auto known = done.find(t); known != done.end()) return known->second;
    std::vector<egraph::Term> arguments;
    for (const egraph::Term a : terms_.arguments(t)) arguments.push_back(proved(graph, a, done));
    return done[t] = graph.addTerm(terms_.op(t), arguments);
  }

  /// What an extraction takes, as a term of ours.
  egraph::Term termIn(const EGraph &graph, egraph::ClassId c, const std::vector<NodeId> &nodes,
                      std::map<egraph::ClassId, egraph::Term> &done) {
    if (const auto known = done.find(c); known != done.end()) return known->second;
    const NodeId n = nodes[c];
    std::vector<egraph::Term> arguments;
    for (int k = 0; k < graph.arity(n); ++k) arguments.push_back(termIn(graph, graph.argument(n, k), nodes, done));
    return done[c] = terms_.add(graph.op(n), arguments).first;
  }

  egraph::Term taken(EGraph &graph, egraph::ClassId root, egraph::Term start, const egraph::Extraction &best,
                     const std::vector<egraph::Rule> &rules) {
    std::map<egraph::ClassId, egraph::Term> done;
    const egraph::Term last = termIn(graph, graph.find(root), best.nodes, done);
    if (start != egraph::kNoTerm)
      keep(egraph::explain(graph, start, termOf(graph, root, best.nodes), kMostSteps), rules);
    return last;
  }

  void keep(const egraph::Explanation &why, const std::vector<egraph::Rule> &rules) {
    isReplayed_ = isReplayed_ && egraph::replay(why, rules, &vocabulary_).ok();
    report_.isReplayed = isReplayed_ && isExplained_;
    for (const egraph::Rewrite &step : why.steps) {
      const auto rule = static_cast<std::size_t>(step.rule);
      report_.steps.push_back({rules[rule].name, step.isForward, costOf(why.terms, step.whole)});
    }
  }

  /// Nodes that several use count once.
  std::int64_t costOf(const Terms &terms, egraph::Term root) {
    std::set<egraph::Term> seen;
    std::vector<egraph::Term> open{root};
    std::int64_t cost = 0;
    while (!open.empty()) {
      const egraph::Term t = open.back();
      open.pop_back();
      if (!seen.insert(t).second) continue;
      if (const std::optional<Node> node = vocabulary_.nodeOf(terms, t)) cost += cost_(*node);
      for (const egraph::Term a : terms.arguments(t)) open.push_back(a);
    }
    return cost;
  }

  /// As nodeOf(), of a class's node: literals are in its arguments' classes.
  std::optional<Node> nodeIn(const EGraph &graph, NodeId n) {
    Terms terms;
    std::vector<egraph::Term> arguments;
    for (int k = 0; k < graph.arity(n); ++k) {
      egraph::Op literal = unknown_;
      graph.forEachNode(graph.argument(n, k), [&](NodeId other) {
        if (graph.arity(other) == 0) literal = graph.op(other);
      });
      arguments.push_back(terms.add(literal, {}).first);
    }
    return vocabulary_.nodeOf(terms, terms.add(graph.op(n), arguments).first);
  }

  static constexpr std::int64_t kScale = 1024;

  const Program &program_;
  Region &region_;
  const NodeCost &cost_;
  const OptimiserOptions &options_;
  GraphTerms vocabulary_;
  egraph::Op unknown_ = vocabulary_.language().intern("unknown", 0);
  Terms terms_;
  OptimiserReport report_;
  bool isReplayed_ = true, isExplained_ = true;
};

}  // namespace

OptimiserReport optimise(const Program &program, Region &region, const NodeCost &cost,
                         const OptimiserOptions &options) {
  OptimiserReport report;
  if (region.nodes.empty()) {
    report.unchanged = "streams do it all";
    return report;
  }
  return Optimiser(program, region, cost, options).run();
}

}  // namespace pimento::tdfg
