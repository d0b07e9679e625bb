// Which node to take of every class. A class that several others use is paid for once: costs are those of graphs, not
// of trees.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "pimento/tdfg/egraph/egraph.h"

namespace pimento::tdfg::egraph {

/// What a node costs itself, 0 or more; kNever: it is not to be taken.
using CostOf = std::function<std::int64_t(NodeId)>;
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Extraction {
  std::vector<NodeId> nodes;   ///< by class; kNone: not reached from the roots
  std::int64_t cost = kNever;  ///< of all nodes that are reached; kNever: there is no term
  bool isProved = false;       ///< nothing is cheaper
  std::int64_t steps = 0;      ///< of the search
};

/// Without search: every class takes the node whose graph is cheapest by itself, what it shares counted once; then
/// classes change their nodes one by one for as long as the whole gets cheaper.
Extraction extractGreedily(const EGraph &graph, std::span<const ClassId> roots, const CostOf &cost);
/// Branch and bound from the greedy one on; after `steps` choices the best found so far stands, without proof.
Extraction extractBest(const EGraph &graph, std::span<const ClassId> roots, const CostOf &cost, std::int64_t steps);

}  // namespace pimento::tdfg::egraph
