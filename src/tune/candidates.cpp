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
  std::optional<mapping::Mapping> m = proposals_ != nullptr ? proposals_->next() : space_.next();
  if (m) current_ = std::move(*m);
  return m.has_value();
}

std::string Candidates::text() const {
  return mapping::print(current_);
}

}  // namespace pimento::tune
