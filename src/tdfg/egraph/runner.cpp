#include "pimento/tdfg/egraph/runner.h"

#include <array>
#include <chrono>

namespace pimento::tdfg::egraph {

namespace {

using Clock = std::chrono::steady_clock;

/// How often limits are looked at: after so many changed nodes.
constexpr std::size_t kBetweenLooks = 64;
/// Matches whose right sides are built together.
constexpr std::size_t kBlock = 64;
/// Words of matches that are kept until all are found.
constexpr std::size_t kMostStored = std::size_t{1} << 25;
/// Classes are joined while right sides are built: after so many, and a share of the nodes.
constexpr std::size_t kPending = 1024, kShare = 16;

/// Rounds.
class Matching {
 public:
  Matching(EGraph &graph, const RuleSet &rules, std::vector<RuleStatistics> &statistics)
      : graph_(graph), rules_(rules), statistics_(statistics), regs_(static_cast<std::size_t>(rules.registers)) {}

  /// `isFirst`: everything is new, so whole patterns are looked for from their roots. False: a limit was reached.
  template <typename Look>
  bool run(const std::vector<NodeId> &changed, bool isFirst, Look isOver) {
    const std::vector<std::vector<RuleSet::Plan>> &plans = isFirst ? rules_.fromRoot : rules_.fromAny;
    newest_ = graph_.round() - 1;
    oldest_ = isFirst ? newest_ : newest_ - 1;
    matches_ = 0;
    std::size_t done = 0;
    for (const NodeId n : changed) {
      if (++done % kBetweenLooks == 0 && isOver()) {
        applyStored(true);
        return false;
      }
      const Op op = graph_.op(n);
      if (op < plans.size())
        for (const RuleSet::Plan &plan : plans[op]) {
          if (!takes(plan.seed, n)) continue;
          regs_[static_cast<std::size_t>(plan.seed.result)] = graph_.classOf(n);
          follow(plan, 0);
        }
      for (const int rule : rules_.bare) {
        regs_[static_cast<std::size_t>(rules_.roots[static_cast<std::size_t>(rule)])] = graph_.classOf(n);
        apply(rule);
      }
    }
    applyStored(true);
    return true;
  }
  std::int64_t matches() const { return matches_; }

 private:
  ClassId &reg(int r) { return regs_[static_cast<std::size_t>(r)]; }

  bool takes(const RuleSet::Fields &fields, NodeId n) {
    for (const RuleSet::Fields::Argument &a : fields.arguments) {
      const ClassId c = graph_.argument(n, a.place);
      if (a.isNew)
        reg(a.reg) = c;
      else if (reg(a.reg) != c)
        return false;
    }
    return true;
  }

  void follow(const RuleSet::Plan &plan, std::size_t k) {
    if (k == plan.steps.size()) {
      apply(plan.rule);
      return;
    }
    const RuleSet::Step &step = plan.steps[k];
    const std::uint32_t limit = step.isOld ? oldest_ : newest_;
    const Op op = step.fields.op;
    if (step.kind == RuleSet::Step::Kind::kBelow) {
      for (NodeId n = graph_.firstNode(reg(step.fields.result)); n != EGraph::kNone; n = graph_.nextNode(n))
        if (graph_.op(n) == op && graph_.stamp(n) <= limit && takes(step.fields, n)) follow(plan, k + 1);
    } else if (step.kind == RuleSet::Step::Kind::kAbove) {
      for (std::uint32_t link = graph_.firstParent(reg(step.from)); link != EGraph::kNone;
           link = graph_.nextParent(link)) {
        const NodeId n = EGraph::nodeOf(link);
        if (EGraph::placeOf(link) != step.place || graph_.op(n) != op || graph_.stamp(n) > limit) continue;
        if (!takes(step.fields, n)) continue;
        reg(step.fields.result) = graph_.classOf(n);
        follow(plan, k + 1);
      }
    } else {
      std::array<ClassId, Language::kMostArguments> arguments;
      const std::size_t count = step.fields.arguments.size();
      for (std::size_t a = 0; a < count; ++a) arguments[a] = reg(step.fields.arguments[a].reg);
      const NodeId n = graph_.nodeIn(op, {arguments.data(), count});
      if (n == EGraph::kNone || graph_.stamp(n) > limit) return;
      if (step.isResultNew)
        reg(step.fields.result) = graph_.classOf(n);
      else if (reg(step.fields.result) != graph_.classOf(n))
        return;
      follow(plan, k + 1);
    }
  }

  void apply(int r) {
    const auto at = static_cast<std::size_t>(r);
    const Rule &rule = rules_.rules()[at];
    ++matches_;
    RuleStatistics &statistics = statistics_[at];
    ++statistics.matches;
    if (rule.computation) {
      ClassBindings bindings(*this);
      if (!rule.computation(bindings)) return;
    }
    if (graph_.proofs() != nullptr) {
      applyToTerms(r);
      return;
    }
    stored_.push_back(static_cast<std::uint32_t>(r));
    for (const int reg : rules_.kept[at]) stored_.push_back(this->reg(reg));
    if (stored_.size() > kMostStored) applyStored(false);
  }

  /// `mayJoin`: all matches are found, so that the e-graph may change under the rest of them. Joining while right sides
  /// are built makes fewer nodes that turn out to be equal.
  void applyStored(bool mayJoin) {
    for (std::size_t at = 0; at < stored_.size();) {
      while (at < stored_.size() && found_.size() < kBlock) {
        const std::uint32_t rule = stored_[at++];
        bindings_.resize((found_.size() + 1) * regs_.size());
        for (const int reg : rules_.kept[rule]) bound(found_.size(), reg) = graph_.find(stored_[at++]);
        found_.push_back(static_cast<int>(rule));
      }
      applyFound();
      if (mayJoin && graph_.pending() > kPending + graph_.nodes() / kShare) graph_.rebuild();
    }
    stored_.clear();
  }

  /// Puts right sides into the e-graph, for many matches at a time: memory comes while others are looked at.
  void applyFound() {
    std::array<std::uint32_t, kBlock> hashes;
    for (std::size_t level = 0, more = 1; more != 0; ++level) {
      more = 0;
      const auto forEach = [&](auto f) {
        std::array<ClassId, Language::kMostArguments> arguments;
        for (std::size_t k = 0; k < found_.size(); ++k) {
          const std::vector<RuleSet::Build> &builds = rules_.builds[static_cast<std::size_t>(found_[k])];
          if (level >= builds.size()) continue;
          const RuleSet::Build &build = builds[level];
          for (std::size_t a = 0; a < build.arguments.size(); ++a) arguments[a] = bound(k, build.arguments[a]);
          f(k, build, std::span<const ClassId>(arguments.data(), build.arguments.size()));
          ++more;
        }
      };
      forEach([&](std::size_t k, const RuleSet::Build &build, std::span<const ClassId> arguments) {
        hashes[k] = EGraph::hashOf(build.op, arguments);
        graph_.fetch(hashes[k]);
      });
      if (more == 0) break;
      for (std::size_t k = 0; k < found_.size(); ++k)
        if (level < rules_.builds[static_cast<std::size_t>(found_[k])].size()) graph_.fetchNode(hashes[k]);
      forEach([&](std::size_t k, const RuleSet::Build &build, std::span<const ClassId> arguments) {
        const auto rule = static_cast<std::size_t>(found_[k]);
        const bool isWhole = level + 1 == rules_.builds[rule].size();
        const std::size_t was = graph_.nodes();
        bound(k, build.result) = graph_.addHashed(hashes[k], build.op, arguments,
                                                  isWhole ? bound(k, rules_.roots[rule]) : EGraph::kNewClass);
        statistics_[rule].nodes += static_cast<std::int64_t>(graph_.nodes() - was);
      });
    }
    for (std::size_t k = 0; k < found_.size(); ++k) {
      const auto rule = static_cast<std::size_t>(found_[k]);
      const ClassId root = bound(k, rules_.roots[rule]), made = bound(k, rules_.results[rule]);
      if (made == root) continue;
      graph_.joinLater(root, made);
      ++statistics_[rule].joins;
    }
    found_.clear();
    bindings_.clear();
  }
  ClassId &bound(std::size_t match, int r) { return bindings_[match * regs_.size() + static_cast<std::size_t>(r)]; }

  /// What the rule found and what it puts there, as terms.
  void applyToTerms(int r) {
    const auto at = static_cast<std::size_t>(r);
    const Rule &rule = rules_.rules()[at];
    RuleStatistics &statistics = statistics_[at];
    std::vector<Term> variables;
    for (std::size_t v = 0; v < rule.variables.size(); ++v) variables.push_back(termOf(regs_[v], rule));
    const std::size_t before = graph_.nodes();
    const auto built = [&](const Pattern &pattern, Term isEqualTo) {
      std::vector<Term> terms;
      for (const Pattern::Part &part : pattern.parts) {
        if (part.variable >= 0) {
          terms.push_back(variables[static_cast<std::size_t>(part.variable)]);
          continue;
        }
        std::vector<Term> arguments;
        for (const int a : part.arguments) arguments.push_back(terms[static_cast<std::size_t>(a)]);
        const bool isWhole = &part == &pattern.parts.back() && isEqualTo != kNoTerm;
        terms.push_back(isWhole ? graph_.addTermEqualTo(isEqualTo, r, part.op, arguments)
                                : graph_.addTerm(part.op, arguments));
      }
      return terms.back();
    };
    const Term from = built(rule.left, kNoTerm);
    const Term to = built(rule.right, from);
    statistics.nodes += static_cast<std::int64_t>(graph_.nodes() - before);
    if (graph_.classOfTerm(from) == graph_.classOfTerm(to)) return;
    graph_.join(from, to, r);
    ++statistics.joins;
  }

  /// Rules that compute want the literal itself.
  Term termOf(ClassId c, const Rule &rule) const {
    if (rule.computation)
      for (NodeId n = graph_.firstNode(c); n != EGraph::kNone; n = graph_.nextNode(n))
        if (graph_.isLive(n) && graph_.arity(n) == 0) return graph_.termOfNode(n);
    return graph_.termOf(c);
  }

  class ClassBindings final : public Bindings {
   public:
    explicit ClassBindings(Matching &search) : search_(search) {}
    std::optional<Op> literal(int variable) const override {
      const EGraph &graph = search_.graph_;
      for (NodeId n = graph.firstNode(search_.reg(variable)); n != EGraph::kNone; n = graph.nextNode(n))
        if (graph.isLive(n) && graph.arity(n) == 0) return graph.op(n);
      return std::nullopt;
    }
    Fact fact(int variable) const override { return search_.graph_.fact(search_.reg(variable)); }
    void bind(int variable, Op literal) override { search_.reg(variable) = search_.graph_.add(literal, {}); }

   private:
    Matching &search_;
  };

  EGraph &graph_;
  const RuleSet &rules_;
  std::vector<RuleStatistics> &statistics_;
  std::vector<ClassId> regs_;
  std::vector<std::uint32_t> stored_;  ///< matches: a rule, and what is kept of its registers
  std::vector<int> found_;             ///< the rules of some
  std::vector<ClassId> bindings_;      ///< their registers
  std::uint32_t newest_ = 0, oldest_ = 0;
  std::int64_t matches_ = 0;
};

}  // namespace

std::string_view name(StopReason reason) {
  static constexpr std::array<std::string_view, 4> kNames{"saturated", "limit of nodes", "limit of rounds",
                                                          "limit of time"};
  return kNames[static_cast<std::size_t>(reason)];
}

Outcome saturate(EGraph &graph, const RuleSet &rules, const Limits &limits) {
  const Clock::time_point start = Clock::now();
  Outcome outcome;
  outcome.rules.resize(rules.rules().size());
  std::vector<NodeId> changed;
  graph.rebuild();
  graph.takeChanged();
  graph.forEachNode([&](NodeId n) { changed.push_back(n); });
  Matching search(graph, rules, outcome.rules);
  for (bool isFirst = true; !changed.empty(); isFirst = false) {
    if (static_cast<int>(outcome.rounds.size()) >= limits.rounds) {
      outcome.stop = StopReason::kRounds;
      return outcome;
    }
    const bool isWhole = search.run(changed, isFirst, [&] {
      if (graph.nodes() > limits.nodes)
        outcome.stop = StopReason::kNodes;
      else if (limits.seconds > 0 && std::chrono::duration<double>(Clock::now() - start).count() > limits.seconds)
        outcome.stop = StopReason::kTime;
      return outcome.stop != StopReason::kSaturated;
    });
    graph.rebuild();
    changed = graph.takeChanged();
    outcome.rounds.push_back({graph.nodes(), graph.classes(), search.matches()});
    if (!isWhole) return outcome;
  }
  return outcome;
}

}  // namespace pimento::tdfg::egraph
