// The e-graph engine against counts that others measured, a plain engine, enumeration, and a checker of explanations.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "pimento/base/rng.h"
#include "pimento/tdfg/egraph/explain.h"
#include "pimento/tdfg/egraph/extract.h"
#include "pimento/tdfg/egraph/runner.h"
#include "test/support/cases.h"
#include "test/support/egraph_cases.h"

namespace pimento::tdfg::egraph {
namespace {

ClassId added(EGraph &graph, const std::string &text) {
  const Result<ClassId> c = addText(graph, text);
  EXPECT_TRUE(c) << text;
  return *c;
}

// ---- Counts ----

TEST(EGraph, HasTheCountsOfOthersAfterEveryRound) {
  for (const bool keepsProofs : {false, true}) {
    const std::size_t rounds = keepsProofs || test::isSanitized() ? 10 : 11;
    Language language;
    EGraph graph(language, {nullptr, keepsProofs});
    for (const char *term : test::kMathTerms) added(graph, term);
    EXPECT_EQ(graph.nodes(), test::kMathRounds[0][0]);
    EXPECT_EQ(graph.classes(), test::kMathRounds[0][1]);
    const RuleSet rules = test::rulesOf(test::kMathRules, language);
    const Outcome outcome = saturate(graph, rules, {.rounds = static_cast<int>(rounds)});
    EXPECT_EQ(outcome.stop, StopReason::kRounds);
    ASSERT_EQ(outcome.rounds.size(), rounds);
    for (std::size_t r = 0; r < rounds; ++r) {
      EXPECT_EQ(outcome.rounds[r].nodes, test::kMathRounds[r + 1][0]) << "round " << r + 1;
      EXPECT_EQ(outcome.rounds[r].classes, test::kMathRounds[r + 1][1]) << "round " << r + 1;
    }
  }
}

TEST(EGraph, SaturatesSumsWithTheCountsOfTheFormula) {
  for (int leaves = 6; leaves <= (test::isLongRun() ? 12 : 10); ++leaves) {
    Language language;
    EGraph graph(language);
    added(graph, test::sumOf(leaves));
    const Outcome outcome = saturate(graph, test::rulesOf(test::kSumRules, language), {});
    EXPECT_EQ(outcome.stop, StopReason::kSaturated);
    EXPECT_EQ(outcome.rounds.size(), test::kSumRounds[static_cast<std::size_t>(leaves - 6)]) << leaves;
    std::size_t threes = 1;
    for (int k = 0; k < leaves; ++k) threes *= 3;
    EXPECT_EQ(graph.nodes(), threes - (std::size_t{2} << leaves) + 1 + static_cast<std::size_t>(leaves));
    EXPECT_EQ(graph.classes(), (std::size_t{1} << leaves) - 1);
  }
}

// ---- A plain engine: nodes in a map, everything again in every round ----

class Plain {
 public:
  int find(int c) const {
    while (leader_[static_cast<std::size_t>(c)] != c) c = leader_[static_cast<std::size_t>(c)];
    return c;
  }
  int add(const std::vector<int> &node) {
    std::vector<int> key{node[0]};
    for (std::size_t k = 1; k < node.size(); ++k) key.push_back(find(node[k]));
    const auto [at, isNew] = nodes_.try_emplace(key, static_cast<int>(leader_.size()));
    if (isNew) leader_.push_back(at->second);
    return find(at->second);
  }
  void join(int a, int b) { leader_[static_cast<std::size_t>(find(a))] = find(b); }
  void rebuild() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      std::map<std::vector<int>, int> nodes;
      for (const auto &[node, c] : nodes_) {
        std::vector<int> key{node[0]};
        for (std::size_t k = 1; k < node.size(); ++k) key.push_back(find(node[k]));
        const auto [at, isNew] = nodes.try_emplace(key, find(c));
        if (!isNew && find(at->second) != find(c)) {
          join(at->second, c);
          isChanged = true;
        }
        isChanged |= key != node;
      }
      nodes_ = std::move(nodes);
    }
  }
  /// Every way in which `part` of the pattern is in class `c`.
  void match(const Pattern &p, int part, int c, std::map<int, int> bound, std::vector<std::map<int, int>> &out) const {
    const Pattern::Part &here = p.parts[static_cast<std::size_t>(part)];
    if (here.variable >= 0) {
      if (bound.try_emplace(here.variable, c).first->second == c) out.push_back(bound);
      return;
    }
    for (const auto &[node, in] : nodes_) {
      if (find(in) != c || node[0] != static_cast<int>(here.op)) continue;
      std::vector<std::map<int, int>> ways{bound};
      for (std::size_t k = 0; k < here.arguments.size(); ++k) {
        std::vector<std::map<int, int>> more;
        for (const auto &way : ways) match(p, here.arguments[k], node[k + 1], way, more);
        ways = std::move(more);
      }
      out.insert(out.end(), ways.begin(), ways.end());
    }
  }
  int build(const Pattern &p, int part, const std::map<int, int> &bound) {
    const Pattern::Part &here = p.parts[static_cast<std::size_t>(part)];
    if (here.variable >= 0) return bound.at(here.variable);
    std::vector<int> node{static_cast<int>(here.op)};
    for (const int a : here.arguments) node.push_back(build(p, a, bound));
    return add(node);
  }
  /// False: nothing changed.
  bool round(const std::vector<Rule> &rules) {
    const std::size_t nodes = nodes_.size(), classes = this->classes();
    std::vector<std::tuple<const Rule *, int, std::map<int, int>>> found;
    for (const Rule &rule : rules)
      for (int c = 0; c < static_cast<int>(leader_.size()); ++c) {
        if (find(c) != c) continue;
        std::vector<std::map<int, int>> ways;
        match(rule.left, static_cast<int>(rule.left.parts.size()) - 1, c, {}, ways);
        for (const auto &way : ways) found.emplace_back(&rule, c, way);
      }
    for (const auto &[rule, c, way] : found)
      join(build(rule->right, static_cast<int>(rule->right.parts.size()) - 1, way), c);
    rebuild();
    return nodes != nodes_.size() || classes != this->classes();
  }
  std::size_t nodes() const { return nodes_.size(); }
  std::size_t classes() const {
    std::size_t count = 0;
    for (int c = 0; c < static_cast<int>(leader_.size()); ++c) count += find(c) == c ? 1 : 0;
    return count;
  }

 private:
  std::map<std::vector<int>, int> nodes_;
  std::vector<int> leader_;
};

std::string randomTerm(Rng &rng, int depth, const std::vector<std::string> &variables) {
  if (depth == 0 || rng.below(4) == 0) {
    if (!variables.empty() && rng.below(5) != 0) return variables[rng.below(variables.size())];
    return std::string(1, static_cast<char>('a' + rng.below(3)));
  }
  static constexpr std::array<const char *, 3> kOps{"f", "g", "h"};
  const auto op = rng.below(kOps.size());
  std::string text = std::string("(") + kOps[op];
  for (std::uint64_t k = 0; k < (op == 0 ? 1 : op == 1 ? 2 : 3); ++k)
    text += " " + randomTerm(rng, depth - 1, variables);
  return text + ")";
}

std::string randomRules(Rng &rng) {
  std::string text;
  for (auto n = 1 + rng.below(4); n > 0; --n) {
    const std::string left = randomTerm(rng, 2, {"?x", "?y", "?z"});
    std::vector<std::string> used;
    for (const char *v : {"?x", "?y", "?z"})
      if (left.find(v) != std::string::npos) used.emplace_back(v);
    text += "r" + std::to_string(n) + ": " + left + " -> " + randomTerm(rng, 2, used) + "\n";
  }
  return text;
}

TEST(EGraph, EqualsAPlainEngineOnRandomRules) {
  Rng rng(1);
  int bare = 0, saturated = 0;
  for (std::int64_t n = test::caseCount(1000); n > 0; --n) {
    Language language;
    const bool keepsProofs = n % 3 == 0;
    EGraph graph(language, {nullptr, keepsProofs});
    Plain plain;
    const std::string text = randomRules(rng);
    const Result<std::vector<Rule>> rules = readRules(text, language);
    ASSERT_TRUE(rules) << text;
    bare += std::ranges::any_of(*rules, [](const Rule &r) { return r.left.parts.back().variable >= 0; }) ? 1 : 0;
    for (int k = 0; k < 3; ++k) {
      const std::string term = randomTerm(rng, 3, {});
      added(graph, term);
      const Result<std::vector<Rule>> rule = readRules("t: " + term + " -> " + term, language);
      plain.build(rule->front().left, static_cast<int>(rule->front().left.parts.size()) - 1, {});
    }
    const RuleSet set(*rules);
    // Each call begins with whole patterns; later rounds of one look for what is new.
    const Outcome outcome = saturate(graph, set, {.nodes = 300, .rounds = 4});
    for (const Round &round : outcome.rounds) {
      if (outcome.stop == StopReason::kNodes && &round == &outcome.rounds.back()) break;
      const bool isChanged = plain.round(*rules);
      ASSERT_EQ(round.nodes, plain.nodes()) << text;
      ASSERT_EQ(round.classes, plain.classes()) << text;
      if (!isChanged) {
        EXPECT_EQ(&round, &outcome.rounds.back()) << text;
        EXPECT_EQ(outcome.stop, StopReason::kSaturated) << text;
        ++saturated;
      }
    }
  }
  EXPECT_GT(bare, 0);
  EXPECT_GT(saturated, 0);
}

// ---- Facts ----

/// The least depth of a class's terms.
class Depth final : public Analysis {
 public:
  Fact of(Op, std::span<const Fact> arguments) override {
    Fact most = 0;
    for (const Fact a : arguments) most = std::max(most, a + 1);
    return most;
  }
  Fact merge(Fact a, Fact b) override { return std::min(a, b); }
};

TEST(EGraph, KeepsFactsOfAllTermsOfAClass) {
  Rng rng(2);
  for (std::int64_t n = test::caseCount(300); n > 0; --n) {
    Language language;
    Depth depth;
    EGraph graph(language, {&depth, n % 2 == 0});
    for (int k = 0; k < 3; ++k) added(graph, randomTerm(rng, 4, {}));
    (void)saturate(graph, RuleSet(*readRules(randomRules(rng), language)), {.nodes = 300, .rounds = 3});
    // Least fixed point by plain iteration.
    std::map<ClassId, Fact> least;
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      graph.forEachNode([&](NodeId node) {
        Fact most = 0;
        for (int k = 0; k < graph.arity(node); ++k) {
          const auto known = least.find(graph.argument(node, k));
          most = std::max(most, known == least.end() ? 1000 : known->second + 1);
        }
        const auto [at, isNew] = least.try_emplace(graph.classOf(node), 1000);
        isChanged |= most < at->second;
        at->second = std::min(at->second, most);
      });
    }
    for (const auto &[c, fact] : least) ASSERT_EQ(graph.fact(c), fact);
  }
}

// ---- Which term ----

/// Costs of all ways to take one node of each class, without cycles.
void enumerate(const EGraph &graph, std::vector<ClassId> needed, std::map<ClassId, NodeId> &taken, std::int64_t cost,
               const CostOf &costOf, std::int64_t &best) {
  while (!needed.empty() && taken.contains(needed.back())) needed.pop_back();
  if (needed.empty()) {
    const auto isLoop = [&](auto &&self, ClassId c, std::set<ClassId> open) -> bool {
      if (!open.insert(c).second) return true;
      const NodeId n = taken.at(c);
      for (int k = 0; k < graph.arity(n); ++k)
        if (self(self, graph.argument(n, k), open)) return true;
      return false;
    };
    for (const auto &[c, n] : taken)
      if (isLoop(isLoop, c, {})) return;
    best = std::min(best, cost);
    return;
  }
  const ClassId c = needed.back();
  needed.pop_back();
  graph.forEachNode(c, [&](NodeId n) {
    std::vector<ClassId> more = needed;
    for (int k = 0; k < graph.arity(n); ++k) more.push_back(graph.argument(n, k));
    taken[c] = n;
    enumerate(graph, more, taken, cost + costOf(n), costOf, best);
    taken.erase(c);
  });
}

TEST(Extraction, IsAsCheapAsTheCheapestOfAllTerms) {
  Rng rng(3);
  int proved = 0, better = 0;
  for (std::int64_t n = test::caseCount(400); n > 0; --n) {
    Language language;
    EGraph graph(language);
    std::vector<ClassId> roots;
    for (int k = 0; k < 2; ++k) roots.push_back(added(graph, randomTerm(rng, 3, {})));
    (void)saturate(graph, RuleSet(*readRules(randomRules(rng), language)), {.nodes = 14, .rounds = 3});
    std::size_t most = 0;
    for (ClassId c = 0; c < graph.endOfClasses(); ++c) {
      std::size_t count = 0;
      if (graph.isLeader(c)) graph.forEachNode(c, [&](NodeId) { ++count; });
      most = std::max(most, count);
    }
    if (graph.nodes() > 40 || most > 6) continue;
    const CostOf costOf = [&](NodeId node) { return std::int64_t{1} + (graph.op(node) * 7 + 3) % 5; };
    std::int64_t best = kNever;
    std::map<ClassId, NodeId> taken;
    for (ClassId &root : roots) root = graph.find(root);
    enumerate(graph, roots, taken, 0, costOf, best);
    const Extraction greedy = extractGreedily(graph, roots, costOf);
    const Extraction exact = extractBest(graph, roots, costOf, 100'000);
    EXPECT_EQ(exact.cost, best);
    EXPECT_TRUE(exact.isProved);
    EXPECT_FALSE(greedy.isProved);
    EXPECT_GE(greedy.cost, exact.cost);
    ++proved;
    better += greedy.cost > exact.cost ? 1 : 0;
  }
  EXPECT_GT(proved, 0);
  std::cout << better << " of " << proved << " greedy ones are dearer\n";
}

TEST(Extraction, PaysOnceForWhatIsSharedAndSaysWhenItHasNotProved) {
  Language language;
  EGraph graph(language);
  // (+ (f x) (f x)) costs one f; (* y z) costs two leaves.
  const ClassId sum = added(graph, "(+ (f (f x)) (f (f x)))"), product = added(graph, "(* y z)");
  graph.join(sum, product);
  graph.rebuild();
  const CostOf costOf = [&](NodeId n) { return language.name(graph.op(n)) == "y" ? 4 : 1; };
  const std::array<ClassId, 1> roots{sum};
  const Extraction best = extractBest(graph, roots, costOf, 1000);
  EXPECT_EQ(best.cost, 4) << "x, two f and a sum, not y, z and a product";
  EXPECT_TRUE(best.isProved);
  EXPECT_FALSE(extractBest(graph, roots, costOf, 1).isProved);
  const Extraction none = extractBest(graph, roots, [](NodeId) { return kNever; }, 1000);
  EXPECT_EQ(none.cost, kNever);
}

// ---- Why ----

TEST(Explanation, OfEveryPairReplaysAndAWrongOneDoesNot) {
  Rng rng(4);
  std::size_t steps = 0, wrong = 0;
  for (std::int64_t n = test::caseCount(200); n > 0; --n) {
    Language language;
    EGraph graph(language, {nullptr, true});
    std::vector<Term> first;
    for (int k = 0; k < 3; ++k) first.push_back(graph.termOf(added(graph, randomTerm(rng, 3, {}))));
    const std::vector<Rule> rules = *readRules(randomRules(rng), language);
    (void)saturate(graph, RuleSet(rules), {.nodes = 120, .rounds = 4});
    for (const Term t : first) {
      const Extraction other = extractGreedily(graph, std::array{graph.classOfTerm(t)}, [&](NodeId node) {
        return static_cast<std::int64_t>(1 + (node * 7919) % 13);
      });
      Explanation why = explain(graph, t, termOf(graph, graph.classOfTerm(t), other.nodes), 10'000);
      const Status status = replay(why, rules, nullptr);
      ASSERT_TRUE(status) << status.diagnostics().front().str();
      steps += why.steps.size();
      if (why.steps.empty()) continue;
      // A step left out, another rule, another place.
      Explanation less = why;
      less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(rng.below(less.steps.size())));
      const auto isClosed = [&] { return less.steps.empty() ? less.first == less.last : false; };
      wrong += !isClosed() && !replay(less, rules, nullptr) ? 1 : 0;
      Explanation elsewhere = why;
      elsewhere.steps.front().at.push_back(14);
      EXPECT_EQ(replay(elsewhere, rules, nullptr).diagnostics().front().code, "wrong-explanation");
      Explanation other2 = why;
      other2.steps.front().rule = static_cast<int>(rules.size());
      EXPECT_FALSE(replay(other2, rules, nullptr));
    }
  }
  EXPECT_GT(steps, 0U);
  EXPECT_GT(wrong, 0U);
  std::cout << steps << " steps\n";
}

TEST(Explanation, IsShortWhereTheWayIs) {
  Language language;
  EGraph graph(language, {nullptr, true});
  const Term a = graph.termOf(added(graph, "(+ x (+ y z))"));
  const std::vector<Rule> rules = *readRules(test::kSumRules, language);
  (void)saturate(graph, RuleSet(rules), {});
  // Of this very term, not of one that is equal to it.
  const auto leaf = [&](const char *name) { return graph.addTerm(language.intern(name, 0), {}); };
  const Op plus = language.intern("+", 2);
  const Term b = graph.addTerm(plus, std::array{graph.addTerm(plus, std::array{leaf("x"), leaf("y")}), leaf("z")});
  const Explanation why = explain(graph, a, b, 100);
  ASSERT_EQ(why.steps.size(), 1U);
  EXPECT_EQ(rules[static_cast<std::size_t>(why.steps[0].rule)].name, "associate");
  EXPECT_EQ(why.terms.text(why.steps[0].whole, language), "(+ (+ x y) z)");
  EXPECT_TRUE(replay(why, rules, nullptr));
}

// ---- Limits and texts ----

TEST(Saturation, StopsAtItsLimitsAndSaysSo) {
  const auto stop = [](const Limits &limits) {
    Language language;
    EGraph graph(language);
    added(graph, test::sumOf(9));
    const Outcome outcome = saturate(graph, test::rulesOf(test::kSumRules, language), limits);
    EXPECT_GT(graph.nodes(), 0U);
    return outcome.stop;
  };
  EXPECT_EQ(stop({.nodes = 1000}), StopReason::kNodes);
  EXPECT_EQ(stop({.rounds = 2}), StopReason::kRounds);
  EXPECT_EQ(stop({.seconds = 1e-9}), StopReason::kTime);
  EXPECT_EQ(stop({}), StopReason::kSaturated);
  EXPECT_EQ(name(StopReason::kNodes), "limit of nodes");
}

TEST(Rules, SayWhatIsWrongAndWhere) {
  Language language;
  const auto message = [&](const char *text) {
    const auto rules = readRules(text, language, "my.rules");
    return rules ? "" : rules.diagnostics().front().str();
  };
  EXPECT_EQ(message("# nothing\n\na: (+ ?x 0) -> ?x\nb: (+ ?x ?y) <-> (+ ?y ?x)"), "");
  for (const auto &[text, part] : std::initializer_list<std::pair<const char *, const char *>>{
           {"(+ ?x 0) -> ?x", "my.rules:1:1: error: expected 'NAME: LEFT -> RIGHT'"},
           {"a: (+ ?x 0)", "my.rules:1:12: error: expected '->' or '<->'"},
           {"ok: a -> b\na: (+ ?x 0 -> ?x", "my.rules:2"},
           {"a: ?x -> (f ?y)", "'?y' stands on the right side alone"},
           {"a: (f ?x ?y) <-> (g ?x)", "the same variables on both sides"},
           {"a: (?f x) -> x", "expected an operator"},
           {"a: (f x) -> x)", "expected the end of the line"},
           {"a: (f 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6) -> x", "more than 15 arguments"},
           {": a -> b", "the rule has no name"}})
    EXPECT_NE(message(text).find(part), std::string::npos) << text << "\n" << message(text);
  EGraph graph(language);
  EXPECT_EQ(addText(graph, "(f ?x)").diagnostics().front().code, "rule-invalid");
  EXPECT_FALSE(addText(graph, "(f"));
  std::string deep;
  for (int k = 0; k < 1000; ++k) deep += "(f ";
  EXPECT_FALSE(addText(graph, deep));
  std::string wide = "a: (f", more = " -> (f";
  for (int k = 0; k < 14; ++k) wide += " (g 1 2 3 4 5 6 7 8 9)", more += " (g 1 2 3 4 5 6 7 8 9)";
  EXPECT_NE(message((wide + ")" + more + ")").c_str()).find("more than 250"), std::string::npos);
}

}  // namespace
}  // namespace pimento::tdfg::egraph
