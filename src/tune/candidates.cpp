#include "pimento/tune/candidates.h"

#include <utility>

#include "pimento/evaluate/proposals.h"
#include "pimento/mapping/borders.h"

namespace pimento::tune {

Candidates::Candidates(const Problem &problem)
    : problem_(problem),
      space_(problem.kernel(), *problem.machine, problem.choices.chunks),
      order_(problem.choices.orders.size()) {
  if (!problem.hasAllFactors)
    proposals_ = std::make_unique<evaluate::Proposals>(*problem.target, problem.all(), *problem.machine, problem.part,
                                                       problem.tools, problem.choices.chunks);
  // Published streams take drafts of the loops alone.
  const mapping::ProgramKind program = problem.part.mapping.program;
  if (problem.all().count == 1 && (program == mapping::ProgramKind::kAny || program == mapping::ProgramKind::kCompiled))
    borders_ = std::make_unique<mapping::BorderChoices>(*problem.graph, 0, *problem.machine);
  if (!problem.rules) return;
  sets_ = mapping::dimensionSetsOf(*problem.graph);
  rules_.emplace(sets_, mapping::draftHardware(*problem.machine), *problem.rules);
  unitLevel_ = mapping::coreLevel(*problem.machine);
}

Candidates::~Candidates() = default;

bool Candidates::areListed() const {
  return proposals_ != nullptr && proposals_->areOwn();
}

bool Candidates::next() {
  if (order_ < problem_.choices.orders.size()) {
    current_.order = problem_.choices.orders[order_++];
    return true;
  }
  if (!nextMapping()) return false;
  if (!areListed()) order_ = 0;
  return true;
}

std::optional<mapping::Mapping> Candidates::nextDraft() {
  if (nextDraft_ < drafts_.size()) return std::move(drafts_[nextDraft_++]);
  std::optional<mapping::Mapping> m = proposals_ != nullptr ? proposals_->next() : space_.next();
  if (m && borders_ != nullptr) drafts_ = borders_->of(*m);
  nextDraft_ = 0;
  return m;
}

bool Candidates::nextMapping() {
  while (std::optional<mapping::Mapping> m = nextDraft()) {
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
    const auto by = m.by.find(sets_.sets[s].name);
    const int rule = by == m.by.end() ? rules_->droppedBy(s, groups, factors[unitLevel_][dim])
                                      : rules_->droppedBy(s, groups, factors[unitLevel_][dim],
                                                          representativeOf(sets_.sets[s], by->second, *problem_.graph));
    if (rule > 0 && (first == 0 || rule < first)) first = rule;
  }
  return first;
}

std::string Candidates::text() const {
  return mapping::print(current_);
}

}  // namespace pimento::tune
