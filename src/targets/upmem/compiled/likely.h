// A guess at the time of a compiled program, in a few additions once the first mappings of its structure are guessed.
//
// Instructions of a tile are multilinear in how many values it has of each dim, so a few short runs with 8 and 16 of
// them (fewer where there are fewer) give those of any tile; every tile is taken to cost the same. Mappings of one
// structure share the runs of the first that asks. What data add to a point is the mean of some random ones. Transfers
// are those of transfers.h. The DPU takes what its instructions, its slowest tasklet or its engine take, whichever is
// most, and what tasklets merge. Never a bound.
#pragma once

#include "pimento/targets/upmem/compiled/short_runs.h"

namespace pimento::targets::upmem::compiled {

struct LikelyRun {
  Cycles cycles;
  sim::dpu::Counts counts;
};

/// Of the first DPU: cycles, and of the counts instructions, idle cycles and transfers. `image` may be of the program
/// for another number of tasklets. `shared`: of runs with the same values; what it holds depends on who asks first, so
/// callers ask one after the other. Nothing where short runs do not tell.
std::optional<LikelyRun> likelyRun(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine,
                                   const KnownValues &values, Cache &shared);

}  // namespace pimento::targets::upmem::compiled
