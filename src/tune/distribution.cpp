#include "pimento/tune/distribution.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pimento::tune {

namespace {

Distribution::Quantiles quantilesOf(std::vector<Cycles> values) {
  std::sort(values.begin(), values.end());
  Distribution::Quantiles out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = values[static_cast<std::size_t>(
        std::llround(Distribution::kShares[i] * static_cast<double>(values.size() - 1)))];
  return out;
}

}  // namespace

std::optional<Distribution> distributionOf(const Exploration &exploration) {
  if (exploration.bounded > 0) return std::nullopt;
  std::vector<Cycles> kernel, total;
  for (const Row &r : exploration.rows) {
    if (r.how != search::Fate::kEstimated && r.how != search::Fate::kEqual) continue;
    kernel.push_back(r.cost.kernel);
    total.push_back(r.cost.total);
  }
  if (kernel.empty()) return std::nullopt;
  return Distribution{static_cast<std::int64_t>(kernel.size()), quantilesOf(std::move(kernel)),
                      quantilesOf(std::move(total))};
}

}  // namespace pimento::tune
