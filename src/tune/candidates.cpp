#include "pimento/tune/candidates.h"

#include <utility>

#include "pimento/evaluate/proposals.h"

namespace pimento::tune {

Candidates::Candidates(const Problem &problem)
    : problem_(problem),
      space_(problem.kernel(), *problem.machine, problem.choices.chunks),
      order_(problem.choices.orders.size()) {
  if (!problem.hasAllFactors)
    proposals_ = std::make_unique<evaluate::Proposals>(*problem.target, problem.all(), *problem.machine, problem.part,
                                                       problem.tools, problem.choices.chunks);
  if (!problem.rules) return;
  sets_ = mapping::dimensionSetsOf(*problem.graph);
  rules_.emplace(sets_, mapping::draftHardware(*problem.machine), *problem.rules);
  unitLevel_ = mapping::coreLevel(*problem.machine);
}

Candidates::~Candidates() = default;

bool Candidates::next() {
  if (order_ < problem_.choices.orders.size()) {
    current_.order = problem_.choices.orders[order_++];
    return true;
  }
  if (!nextMapping()) return false;
  if (proposals_ == nullptr || !proposals_->areOwn()) order_ = 0;
  return true;
}

bool Candidates::nextMapping() {
  while (std::optional<mapping::Mapping> m = proposals_ != nullptr ? proposals_->next() : space_.next()) {
    ++counts_.all;
    if (const int rule = droppedBy(*m); rule > 0) {
      ++(rule == 1 ? counts_.rule1 : rule == 2 ? counts_.rule2 : counts_.rule3);
      continue;
    }
    current_ = std::move(*m);
    return true;
  }
  return false;
}

/// The first rule that drops what a set takes.
int Candidates::droppedBy(const mapping::Mapping &m) const {
  int first = 0;
  if (!rules_ || m.subspaces.size() != 1) return first;
  const std::vector<std::vector<std::int64_t>> &factors = m.subspaces.front().factors;
  for (std::size_t s = 0; s < sets_.sets.size(); ++s) {
    const auto dim = static_cast<std::size_t>(sets_.sets[s].variables.front().dim);
    std::int64_t groups = 1;
    for (std::size_t l = 0; l < unitLevel_; ++l) groups *= factors[l][dim];
    const int rule = rules_->droppedBy(s, groups, factors[unitLevel_][dim]);
    if (rule > 0 && (first == 0 || rule < first)) first = rule;
  }
  return first;
}

std::string Candidates::text() const {
  return mapping::print(current_);
}

}  // namespace pimento::tune
