// Graphs of a kernel made cheaper before they are scheduled, by what their nodes cost in the arrays of a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/tdfg/optimise.h"
#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::targets::l3_sram {

/// Cycles of nodes of region number `region` at these sizes in a tile (by lattice dim; empty: the published
/// heuristic's): operations in one bank, moves and broadcasts of a whole lattice lowered and timed. The arguments
/// outlive it.
tdfg::NodeCost nodeCosts(const tdfg::Program &program, int region, const tdfg::Values &values,
                         const std::vector<std::int64_t> &tile, const machine::Sram &sram);

struct Rewriting {
  std::vector<std::string> sentences;  ///< what changed, for reports
  bool isReordered = false;            ///< floating-point sums or products may be in another order
};

/// Every region's graph, as Sram::rewrite says, by nodeCosts() in this tile; a graph whose schedule would spill more
/// stays as it is. `explains`: the sentences have each rewrite, too.
Rewriting rewriteGraphs(tdfg::Program &program, const tdfg::Values &values, const std::vector<std::int64_t> &tile,
                        const tdfg::ArraySize &size, const tdfg::Homes *homes, const machine::Sram &sram,
                        bool explains = false);

/// Rewrites that changed the cost, and by how many cycles; of the others how many there are, and by which equations.
std::vector<std::string> stepsOf(const tdfg::OptimiserReport &report);

/// A program with other graphs: each the cheapest in one of several tiles at these sizes; those that differ from it and
/// from each other.
std::vector<tdfg::Program> versionsOf(const tdfg::Program &program, const tdfg::Values &values,
                                      const machine::Sram &sram);

}  // namespace pimento::targets::l3_sram
