// Rewrites a region's tensor graph into a cheaper one that computes the same: equality saturation with the equations of
// Infinity Stream's appendix (section 3.2), then the cheapest graph of all that are equal.
//
// Two steps. First tensors of one array grow to the box around all of them, and boxes move outward, so that what is
// equal but for its box is one node; then operations, moves and broadcasts change places. What the rules find is
// decided by saturation and its limits; what is taken, by `cost`, which has to be 0 for tensors, constants and boxes.
//
// Not here: the engine (egraph/), and what a node costs on a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pimento/tdfg/egraph/runner.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Cycles of a node, whatever its domain.
using NodeCost = std::function<std::int64_t(const Node &)>;

struct OptimiserOptions {
  bool mayReassociate = false;  ///< sums and products of floating-point numbers in another order
  bool explains = false;        ///< with the rewrites: takes several times as long
  std::size_t nodes = 100'000;  ///< of an e-graph
  int rounds = 40;
  std::int64_t steps = 100'000;  ///< of the search for the cheapest graph
};

struct OptimiserReport {
  /// Empty, or why the region is as it was: "nothing cheaper was found", ...
  std::string unchanged;
  std::int64_t before = 0, after = 0;  ///< cost
  egraph::StopReason stop = egraph::StopReason::kSaturated;
  bool isProved = false;  ///< nothing cheaper is in the e-graph
  int rounds = 0;
  std::size_t nodes = 0, classes = 0;
  struct Step {
    std::string rule;
    bool isForward = true;
    std::int64_t cost = 0;  ///< of the whole graph after it
  };
  std::vector<Step> steps;  ///< with `explains`: from the first graph to the last
  bool isReplayed = false;  ///< these are all steps, and an independent checker went through them
  int contradictions = 0;   ///< classes whose terms have different domains: 0
};

/// `region` of `program`: its nodes, outputs and hints. It is left alone where nothing is cheaper.
OptimiserReport optimise(const Program &program, Region &region, const NodeCost &cost, const OptimiserOptions &options);

}  // namespace pimento::tdfg
