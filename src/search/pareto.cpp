#include "pimento/search/pareto.h"

#include <iterator>

namespace pimento::search {

std::optional<std::int64_t> Pareto::rulesOut(const Point &p) const {
  // Of the points that take no longer, the slowest has the least energy.
  auto at = byTime_.upper_bound(p.time);
  if (at == byTime_.begin()) return std::nullopt;
  --at;
  const Rest &rest = at->second;
  const bool isBetter = rest.energy < p.energy || (rest.energy == p.energy && at->first < p.time);
  const bool isEqual = rest.energy == p.energy && at->first == p.time;
  if (isBetter || (isEqual && rest.number < p.number)) return rest.number;
  return std::nullopt;
}

void Pareto::add(const Point &p) {
  if (rulesOut(p)) return;
  auto at = byTime_.lower_bound(p.time);
  while (at != byTime_.end() && at->second.energy >= p.energy) at = byTime_.erase(at);
  byTime_.emplace(p.time, Rest{p.energy, p.number});
}

std::vector<Pareto::Point> Pareto::front() const {
  std::vector<Point> out;
  for (const auto &[time, rest] : byTime_) out.push_back({time, rest.energy, rest.number});
  return out;
}

}  // namespace pimento::search
