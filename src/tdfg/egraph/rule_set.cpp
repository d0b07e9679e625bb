#include "pimento/tdfg/egraph/rule_set.h"

#include <algorithm>
#include <bitset>

namespace pimento::tdfg::egraph {

namespace {

/// Variables and inner nodes of one rule.
constexpr std::size_t kMostRegisters = 256;
using Bound = std::bitset<kMostRegisters>;

struct Atom {
  Op op = 0;
  int result = 0;
  std::vector<int> arguments;
};

/// Operators of a pattern, the whole first; registers of parts are appended to the variables'.
std::vector<Atom> atomsOf(const Pattern &pattern, int &registers) {
  std::vector<int> regs;
  std::vector<Atom> atoms;
  for (const Pattern::Part &part : pattern.parts) {
    regs.push_back(part.variable >= 0 ? part.variable : registers++);
    if (part.variable >= 0) continue;
    Atom atom{part.op, regs.back(), {}};
    for (const int a : part.arguments) atom.arguments.push_back(regs[static_cast<std::size_t>(a)]);
    atoms.push_back(std::move(atom));
  }
  std::ranges::reverse(atoms);
  return atoms;
}

/// Marks the atom's registers as bound. Known ones come first: what does not match is left early.
RuleSet::Fields fieldsOf(const Atom &atom, Bound &bound) {
  RuleSet::Fields fields{atom.op, atom.result, {}};
  for (int k = 0; k < static_cast<int>(atom.arguments.size()); ++k) {
    const int reg = atom.arguments[static_cast<std::size_t>(k)];
    fields.arguments.push_back({k, reg, !bound[static_cast<std::size_t>(reg)]});
    bound.set(static_cast<std::size_t>(reg));
  }
  bound.set(static_cast<std::size_t>(atom.result));
  return fields;
}

/// The next node to look for: the one that is known best.
RuleSet::Step stepTo(const Atom &atom, const Bound &bound) {
  RuleSet::Step step;
  const auto isBound = [&](int reg) { return bound[static_cast<std::size_t>(reg)]; };
  step.isResultNew = !isBound(atom.result);
  if (std::ranges::all_of(atom.arguments, isBound)) {
    step.kind = RuleSet::Step::Kind::kLookUp;
  } else if (!step.isResultNew) {
    step.kind = RuleSet::Step::Kind::kBelow;
  } else {
    const auto known = std::ranges::find_if(atom.arguments, isBound);
    step.kind = RuleSet::Step::Kind::kAbove;
    step.place = static_cast<int>(known - atom.arguments.begin());
    step.from = *known;
  }
  return step;
}

int knownOf(const Atom &atom, const Bound &bound) {
  const auto isBound = [&](int reg) { return bound[static_cast<std::size_t>(reg)]; };
  const auto arguments = static_cast<int>(std::ranges::count_if(atom.arguments, isBound));
  if (arguments == static_cast<int>(atom.arguments.size())) return 1000;
  if (isBound(atom.result)) return 10 + arguments;
  return arguments;
}

RuleSet::Plan planFrom(const std::vector<Atom> &atoms, std::size_t seed, int rule) {
  Bound bound;
  RuleSet::Plan plan{rule, fieldsOf(atoms[seed], bound), {}};
  std::vector<bool> isDone(atoms.size());
  isDone[seed] = true;
  for (std::size_t n = 1; n < atoms.size(); ++n) {
    std::size_t best = atoms.size();
    for (std::size_t k = 0; k < atoms.size(); ++k)
      if (!isDone[k] && (best == atoms.size() || knownOf(atoms[k], bound) > knownOf(atoms[best], bound))) best = k;
    RuleSet::Step step = stepTo(atoms[best], bound);
    step.isOld = best < seed;
    step.fields = fieldsOf(atoms[best], bound);
    plan.steps.push_back(std::move(step));
    isDone[best] = true;
  }
  return plan;
}

}  // namespace

RuleSet::RuleSet(std::vector<Rule> rules) : rules_(std::move(rules)) {
  const auto at = [](std::vector<std::vector<Plan>> &plans, Op op) -> std::vector<Plan> & {
    if (plans.size() <= op) plans.resize(op + 1);
    return plans[op];
  };
  for (int r = 0; r < static_cast<int>(rules_.size()); ++r) {
    const Rule &rule = rules_[static_cast<std::size_t>(r)];
    int regs = static_cast<int>(rule.variables.size());
    const std::vector<Atom> left = atomsOf(rule.left, regs);
    if (left.empty()) {
      bare.push_back(r);
      roots.push_back(rule.left.parts.back().variable);
    } else {
      roots.push_back(left.front().result);
      for (std::size_t k = 0; k < left.size(); ++k) at(fromAny, left[k].op).push_back(planFrom(left, k, r));
      at(fromRoot, left.front().op).push_back(planFrom(left, 0, r));
    }
    std::vector<Atom> right = atomsOf(rule.right, regs);
    std::ranges::reverse(right);
    std::vector<Build> nodes;
    for (const Atom &atom : right) nodes.push_back({atom.op, atom.result, atom.arguments});
    results.push_back(nodes.empty() ? rule.right.parts.back().variable : nodes.back().result);
    kept.emplace_back();
    for (int v = 0; v < static_cast<int>(rule.variables.size()); ++v)
      if (std::ranges::any_of(rule.right.parts, [&](const Pattern::Part &p) { return p.variable == v; }))
        kept.back().push_back(v);
    kept.back().push_back(roots.back());
    builds.push_back(std::move(nodes));
    registers = std::max(registers, regs);
  }
  PIMENTO_CHECK(registers <= static_cast<int>(kMostRegisters));
}

}  // namespace pimento::tdfg::egraph
