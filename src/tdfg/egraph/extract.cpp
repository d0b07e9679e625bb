#include "pimento/tdfg/egraph/extract.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>

namespace pimento::tdfg::egraph {

namespace {

/// Classes that roots reach, numbered, with the nodes that may be taken.
struct Problem {
  struct Choice {
    NodeId node;
    std::int64_t cost;
    std::vector<int> arguments;  ///< sorted, each once
  };
  std::vector<ClassId> classes;
  std::vector<std::vector<Choice>> choices;
  std::vector<int> roots;

  Problem(const EGraph &graph, std::span<const ClassId> wanted, const CostOf &cost) {
    std::unordered_map<ClassId, int> numbers;
    const auto numberOf = [&](ClassId c) {
      const auto [at, isNew] = numbers.try_emplace(c, static_cast<int>(classes.size()));
      if (isNew) classes.push_back(c);
      return at->second;
    };
    for (const ClassId c : wanted) roots.push_back(numberOf(graph.find(c)));
    std::ranges::sort(roots);
    roots.erase(std::ranges::unique(roots).begin(), roots.end());
    for (std::size_t k = 0; k < classes.size(); ++k) {
      choices.emplace_back();
      graph.forEachNode(classes[k], [&](NodeId n) {
        Choice choice{n, cost(n), {}};
        if (choice.cost == kNever) return;
        bool isLoop = false;
        for (int a = 0; a < graph.arity(n); ++a) {
          isLoop |= graph.argument(n, a) == classes[k];
          choice.arguments.push_back(numberOf(graph.argument(n, a)));
        }
        if (isLoop) return;
        std::ranges::sort(choice.arguments);
        choice.arguments.erase(std::ranges::unique(choice.arguments).begin(), choice.arguments.end());
        choices[k].push_back(std::move(choice));
      });
      // In an order that hangs on the graph alone, not on how it was made.
      std::ranges::sort(choices[k], [](const Choice &a, const Choice &b) {
        return std::tie(a.cost, a.arguments, a.node) < std::tie(b.cost, b.arguments, b.node);
      });
    }
  }
  std::size_t size() const { return classes.size(); }
};

using Taken = std::vector<int>;  ///< by class, a number of its choices; -1: none

/// Costs of what roots reach by `taken`; kNever: something has no choice, or needs itself.
class Sum {
 public:
  explicit Sum(const Problem &problem) : problem_(problem), state_(problem.size()) {}
  std::int64_t of(const Taken &taken) {
    ++run_;
    std::int64_t cost = 0;
    for (const int root : problem_.roots)
      if (!visit(root, taken, cost)) return kNever;
    return cost;
  }
  bool isReached(int c) const { return state_[static_cast<std::size_t>(c)].run == run_; }

 private:
  struct State {
    std::int64_t run = 0;
    bool isOpen = false;
  };
  bool visit(int c, const Taken &taken, std::int64_t &cost) {
    State &state = state_[static_cast<std::size_t>(c)];
    if (state.run == run_) return !state.isOpen;
    if (taken[static_cast<std::size_t>(c)] < 0) return false;
    state = {run_, true};
    const Problem::Choice &choice =
        problem_.choices[static_cast<std::size_t>(c)][static_cast<std::size_t>(taken[static_cast<std::size_t>(c)])];
    cost += choice.cost;
    for (const int a : choice.arguments)
      if (!visit(a, taken, cost)) return false;
    state_[static_cast<std::size_t>(c)].isOpen = false;
    return true;
  }
  const Problem &problem_;
  std::vector<State> state_;
  std::int64_t run_ = 0;
};

/// For every class the cheapest graph by itself. Sets of classes with what each costs there.
Taken cheapestAlone(const Problem &problem) {
  struct Best {
    std::int64_t cost = kNever;
    std::vector<std::pair<int, std::int64_t>> set;
  };
  std::vector<Best> best(problem.size());
  Taken taken(problem.size(), -1);
  std::vector<std::vector<int>> users(problem.size());
  for (std::size_t c = 0; c < problem.size(); ++c)
    for (const Problem::Choice &choice : problem.choices[c])
      for (const int a : choice.arguments)
        if (users[static_cast<std::size_t>(a)].empty() ||
            users[static_cast<std::size_t>(a)].back() != static_cast<int>(c))
          users[static_cast<std::size_t>(a)].push_back(static_cast<int>(c));
  std::vector<int> open(problem.size());
  std::vector<char> isOpen(problem.size(), 1);
  for (std::size_t k = 0; k < open.size(); ++k) open[k] = static_cast<int>(open.size() - 1 - k);
  std::vector<std::pair<int, std::int64_t>> set, merged;
  for (std::size_t at = 0; at < open.size(); ++at) {
    const int c = open[at];
    const auto index = static_cast<std::size_t>(c);
    isOpen[index] = 0;
    bool isBetter = false;
    for (std::size_t k = 0; k < problem.choices[index].size(); ++k) {
      const Problem::Choice &choice = problem.choices[index][k];
      set.assign(1, {c, choice.cost});
      bool can = choice.cost < best[index].cost;
      for (const int a : choice.arguments) {
        const Best &argument = best[static_cast<std::size_t>(a)];
        can = can && argument.cost != kNever &&
              !std::ranges::binary_search(argument.set, c, {}, &std::pair<int, std::int64_t>::first);
        if (!can) break;
        merged.clear();
        std::ranges::set_union(set, argument.set, std::back_inserter(merged), {}, &std::pair<int, std::int64_t>::first,
                               &std::pair<int, std::int64_t>::first);
        set.swap(merged);
      }
      if (!can) continue;
      std::int64_t cost = 0;
      for (const auto &[member, price] : set) cost += price;
      if (cost >= best[index].cost) continue;
      best[index] = {cost, set};
      taken[index] = static_cast<int>(k);
      isBetter = true;
    }
    if (!isBetter) continue;
    for (const int user : users[index])
      if (!isOpen[static_cast<std::size_t>(user)]) {
        isOpen[static_cast<std::size_t>(user)] = 1;
        open.push_back(user);
      }
  }
  return taken;
}

/// One class after the other takes the choice with which the whole is cheapest.
std::int64_t improve(const Problem &problem, Taken &taken) {
  Sum sum(problem);
  std::int64_t cost = sum.of(taken);
  for (bool isBetter = cost != kNever; isBetter;) {
    isBetter = false;
    std::vector<std::size_t> reached;
    (void)sum.of(taken);
    for (std::size_t c = 0; c < problem.size(); ++c)
      if (sum.isReached(static_cast<int>(c))) reached.push_back(c);
    for (const std::size_t c : reached) {
      int best = taken[c];
      for (std::size_t k = 0; k < problem.choices[c].size(); ++k) {
        taken[c] = static_cast<int>(k);
        const std::int64_t other = sum.of(taken);
        if (other >= cost) continue;
        cost = other;
        best = static_cast<int>(k);
        isBetter = true;
      }
      taken[c] = best;
    }
  }
  return cost;
}

class BranchAndBound {
 public:
  BranchAndBound(const Problem &problem, Taken greedy, std::int64_t cost, std::int64_t steps)
      : problem_(problem),
        best_(std::move(greedy)),
        bestCost_(cost),
        left_(steps),
        taken_(problem.size(), -1),
        isNeeded_(problem.size()),
        least_(problem.size()) {
    for (std::size_t c = 0; c < problem.size(); ++c) {
      // Choices are sorted by cost.
      least_[c] = problem.choices[c].empty() ? kNever : problem.choices[c].front().cost;
      order_.emplace_back(problem.choices[c].size());
      for (std::size_t k = 0; k < order_[c].size(); ++k) order_[c][k] = static_cast<int>(k);
      // The greedy choice first: good answers early cut the rest.
      const auto first = std::ranges::find(order_[c], best_[c]);
      if (first != order_[c].end()) std::rotate(order_[c].begin(), first, first + 1);
    }
  }
  /// False: out of steps.
  bool run() {
    std::int64_t bound = 0;
    for (const int root : problem_.roots) need(root, bound);
    return follow(0, bound);
  }
  const Taken &best() const { return best_; }
  std::int64_t bestCost() const { return bestCost_; }
  std::int64_t steps() const { return steps_; }

 private:
  bool need(int c, std::int64_t &bound) {
    const auto at = static_cast<std::size_t>(c);
    if (isNeeded_[at]++ != 0) return true;
    if (least_[at] == kNever) return false;
    bound += least_[at];
    needed_.push_back(c);
    return true;
  }
  /// Whether what is taken leads from `from` to `to`.
  bool reaches(int from, int to) {
    if (from == to) return true;
    const int k = taken_[static_cast<std::size_t>(from)];
    if (k < 0) return false;
    for (const int a : problem_.choices[static_cast<std::size_t>(from)][static_cast<std::size_t>(k)].arguments)
      if (reaches(a, to)) return true;
    return false;
  }

  /// `bound`: what is taken, and the least of what is needed and not taken yet. The classes from needed_[next] on.
  bool follow(std::size_t next, std::int64_t bound) {
    if (bound >= bestCost_) return true;
    if (next == needed_.size()) {
      best_ = taken_;
      bestCost_ = bound;
      return true;
    }
    // The class with the fewest choices.
    const auto fewest =
        std::ranges::min_element(needed_.begin() + static_cast<std::ptrdiff_t>(next), needed_.end(), {},
                                 [&](int c) { return problem_.choices[static_cast<std::size_t>(c)].size(); });
    const auto place = static_cast<std::size_t>(fewest - needed_.begin());
    std::swap(needed_[next], needed_[place]);
    const int c = needed_[next];
    const auto at = static_cast<std::size_t>(c);
    bool isWhole = true;
    for (const int k : order_[at]) {
      if (left_-- <= 0) {
        isWhole = false;
        break;
      }
      ++steps_;
      const Problem::Choice &choice = problem_.choices[at][static_cast<std::size_t>(k)];
      std::int64_t more = bound - least_[at] + choice.cost;
      if (more >= bestCost_) continue;
      if (std::ranges::any_of(choice.arguments, [&](int a) { return reaches(a, c); })) continue;
      taken_[at] = k;
      bool can = true;
      std::size_t asked = 0;
      for (; can && asked < choice.arguments.size(); ++asked) can = need(choice.arguments[asked], more);
      if (can) isWhole = follow(next + 1, more);
      for (std::size_t a = 0; a < asked; ++a) --isNeeded_[static_cast<std::size_t>(choice.arguments[a])];
      // Deeper levels have only exchanged the needed ones, and taken back what they added.
      std::erase_if(needed_, [&](int n) { return isNeeded_[static_cast<std::size_t>(n)] == 0; });
      taken_[at] = -1;
      if (!isWhole) break;
    }
    return isWhole;
  }

  const Problem &problem_;
  Taken best_;
  std::int64_t bestCost_, left_, steps_ = 0;
  Taken taken_;
  std::vector<int> isNeeded_, needed_;
  std::vector<std::int64_t> least_;
  std::vector<std::vector<int>> order_;
};

Extraction extractionOf(const EGraph &graph, const Problem &problem, const Taken &taken, std::int64_t cost) {
  Extraction out;
  out.nodes.assign(graph.endOfClasses(), EGraph::kNone);
  out.cost = cost;
  if (cost == kNever) return out;
  Sum sum(problem);
  (void)sum.of(taken);
  for (std::size_t c = 0; c < problem.size(); ++c)
    if (sum.isReached(static_cast<int>(c)))
      out.nodes[problem.classes[c]] = problem.choices[c][static_cast<std::size_t>(taken[c])].node;
  return out;
}

}  // namespace

Extraction extractGreedily(const EGraph &graph, std::span<const ClassId> roots, const CostOf &cost) {
  return extractBest(graph, roots, cost, 0);
}

Extraction extractBest(const EGraph &graph, std::span<const ClassId> roots, const CostOf &cost, std::int64_t steps) {
  const Problem problem(graph, roots, cost);
  Taken taken = cheapestAlone(problem);
  std::int64_t total = improve(problem, taken);
  if (steps <= 0 || total == kNever) return extractionOf(graph, problem, taken, total);
  BranchAndBound search(problem, taken, total, steps);
  const bool isProved = search.run();
  Extraction out = extractionOf(graph, problem, search.best(), search.bestCost());
  out.isProved = isProved;
  out.steps = search.steps();
  return out;
}

}  // namespace pimento::tdfg::egraph
