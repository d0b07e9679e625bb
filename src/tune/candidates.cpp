#include "pimento/tune/candidates.h"

#include "pimento/evaluate/target.h"

namespace pimento::tune {

Candidates::Candidates(const Problem &problem)
    : problem_(problem),
      own_(problem.hasAllFactors
               ? std::vector<mapping::Mapping>()
               : problem.target->mappings(problem.all(), *problem.machine, problem.part, problem.tools)),
      space_(problem.kernel(), *problem.machine, problem.choices.chunks),
      order_(problem.choices.orders.size()) {}

std::optional<std::string> Candidates::next() {
  if (!own_.empty()) return nextOwn_ < own_.size() ? std::optional(own_[nextOwn_++].text) : std::nullopt;
  if (order_ < problem_.choices.orders.size()) {
    current_.order = problem_.choices.orders[order_++];
    return mapping::print(current_);
  }
  std::optional<mapping::Mapping> m = space_.next();
  if (!m) return std::nullopt;
  current_ = std::move(*m);
  order_ = 0;
  return current_.text;
}

}  // namespace pimento::tune
