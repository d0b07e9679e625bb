// How the costs of all mappings are spread.
//
// Of explorations that ruled nothing out: what is bounded has no cost, and a spread without it would be that of the
// best.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "pimento/tune/exploration.h"

namespace pimento::tune {

struct Distribution {
  static constexpr std::array<double, 7> kShares = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
  using Quantiles = std::array<Cycles, kShares.size()>;

  std::int64_t mappings = 0;
  /// The mapping that so large a share of the others lies below (nearest rank): of the device kernel, and in total.
  Quantiles kernel{}, total{};
};

/// Nothing where mappings are bounded.
std::optional<Distribution> distributionOf(const Exploration &exploration);

}  // namespace pimento::tune
