// Equality saturation: rounds of rules on an e-graph until nothing changes or a limit is reached. In a round all rules
// see the e-graph as it was when the round began, so its result hangs on no order (unless a limit cuts it short). From
// the second round on, only matches with something new in them are looked for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/tdfg/egraph/rule_set.h"

namespace pimento::tdfg::egraph {

struct Limits {
  std::size_t nodes = 10'000'000;
  int rounds = 1'000;
  double seconds = 0;  ///< 0: none. A limit of time makes results hang on the machine's speed
};

enum class StopReason : std::uint8_t { kSaturated, kNodes, kRounds, kTime };
/// "saturated", "limit of nodes", "limit of rounds", "limit of time".
std::string_view name(StopReason reason);

struct RuleStatistics {
  std::int64_t matches = 0, nodes = 0, joins = 0;
};
struct Round {
  std::size_t nodes = 0, classes = 0;  ///< after it
  std::int64_t matches = 0;
};
struct Outcome {
  StopReason stop = StopReason::kSaturated;
  std::vector<Round> rounds;
  std::vector<RuleStatistics> rules;
};

/// `graph`: rebuilt.
Outcome saturate(EGraph &graph, const RuleSet &rules, const Limits &limits);

}  // namespace pimento::tdfg::egraph
