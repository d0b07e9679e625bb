// What a DPU with a compiled program does at least, from short runs of the program (short_runs.h).
//
// What a tasklet of these programs issues and transfers hangs on how many values it has of each dim, not on time. Every
// whole tile costs the same, so counts are multilinear in the numbers of whole tiles of the dims: runs on two and on
// three tiles of each give them for any number (the first tile differs), and a run on four says whether that holds. The
// time of the tasklet alone, without refreshes, is the least that it takes in company. What tasklets merge when all are
// done is left out, and so are failed attempts at the lock of that barrier. Not for programs with guards or bounds from
// data, prefix sums, or rows that do not begin at whole units: these have no count here.
//
// Where data decide the time, the short runs are on zeros, and runs on random data say what a point takes more. That
// gives a bound for integer sums and maps of independent operands, whose points all have the same mean: from the lower
// end of an interval around it (isSampled). Elsewhere there is none here.
#pragma once

#include <memory>
#include <optional>

#include "pimento/targets/upmem/compiled/short_runs.h"

namespace pimento::targets::upmem::compiled {

struct LeastRun {
  Cycles cycles;
  sim::dpu::Counts counts;  ///< idle cycles and attempts left out
  bool isSampled = false;   ///< data decide the time: a bound by the mean of many points, not a proof
};

/// DPU number `dpu`; nothing where short runs do not tell. Short runs are kept in `cache`.
std::optional<LeastRun> leastRun(const Plan &plan, const std::shared_ptr<const sim::dpu::Image> &image,
                                 const machine::Dpu &machine, std::int64_t dpu, Cache &cache,
                                 const KnownValues &values = {});

}  // namespace pimento::targets::upmem::compiled
