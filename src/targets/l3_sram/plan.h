// A kernel of a graph as a tensor graph with schedules, in the tiles of a mapping.
//
// The mapping gives the tile: what its levels inside the arrays have of each dim, for the lattice dim along which the
// dim's arrays lie.
#pragma once

#include <string>
#include <vector>

#include "pimento/evaluate/target.h"
#include "pimento/targets/l3_sram/rewriting.h"
#include "pimento/targets/l3_sram/rounds.h"
#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::targets::l3_sram {

struct Plan {
  tdfg::Program program;  ///< arrays: those of the kernel; regions that do not fit the wordlines are streams alone
  tdfg::Values values;
  std::vector<int> tensors;               ///< by array: tensor of the graph
  std::vector<tdfg::Schedule> schedules;  ///< by region
  std::vector<int> dimOf;                 ///< by lattice dim: dim of the kernel, or -1
  int elementBytes = 4;                   ///< of the smallest element of an array
  Rewriting rewriting;                    ///< of the graphs
};

/// The graphs alone, as they were extracted. Diagnostics: those of streams and tensor graphs.
Result<Plan> graphsOf(const evaluate::GraphPart &part, const machine::Machine &machine);
/// Rewritten for the tiles of a mapping, and scheduled. Diagnostics: likewise, and those of schedules.
Result<Plan> makePlan(const evaluate::GraphPart &part, const machine::Machine &machine,
                      const mapping::Mapping &mapping);

/// What rewriting its graphs did in the tiles of a mapping, step by step.
std::vector<std::string> rewritesOf(const evaluate::GraphPart &part, const machine::Machine &machine,
                                    const mapping::Mapping &mapping);

/// The tile that a mapping gives to a lattice of `dims` dims.
std::vector<std::int64_t> tileOf(const Plan &plan, const mapping::Mapping &mapping, std::size_t dims);

/// A tile, one extent per dim of the kernel that the lattice has.
using Tile = std::vector<std::int64_t>;
/// The tiles of a kernel, the published heuristic's first: powers of two that fill an array and are not longer than
/// the lattice. On chips one empty tile where the lattice is larger than all arrays. Parameters t0 and t1 leave those
/// with these extents along the first two dims, where the lattice has more than one. Diagnostics: capacity,
/// illegal-tile (there is none).
Result<std::vector<Tile>> tilesOf(const evaluate::GraphPart &part, const Plan &plan, const machine::Machine &machine,
                                  const evaluate::Parameters &wanted);
/// The mapping with this tile; `tile` is one of tilesOf() of this kernel, or of one with the same dims.
mapping::Mapping mappingIn(const Tile &tile, const evaluate::GraphPart &part, const Plan &plan,
                           const machine::Machine &machine, const mapping::MapSpec &spec);

/// The plan in the tiles of a mapping; both outlive it.
RegionProgram regionProgram(const Plan &plan, const mapping::Mapping &mapping, const machine::Machine &machine);

}  // namespace pimento::targets::l3_sram
