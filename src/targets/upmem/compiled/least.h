// What a DPU with a compiled program does at least, from short runs of the program.
//
// What a tasklet of these programs issues and transfers hangs on how many values it has of each dim, not on time. Every
// whole tile costs the same, so counts are multilinear in the numbers of whole tiles of the dims: runs on two and on
// three tiles of each give them for any number (the first tile differs), and a run on four says whether that holds. The
// time of the tasklet alone, without refreshes, is the least that it takes in company. What tasklets merge when all are
// done is left out, and so are failed attempts at the lock of that barrier. Not for programs whose data decide (their
// short runs decide nothing, constants aside), with guards or bounds from data, prefix sums, or rows that do not begin
// at whole units: these have no count here.
#pragma once

#include <memory>
#include <optional>

#include "pimento/base/cache.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/compiled/layout.h"

namespace pimento::targets::upmem::compiled {

struct LeastRun {
  Cycles cycles;
  sim::dpu::Counts counts;  ///< idle cycles and attempts left out
};

/// DPU number `dpu`; nothing where short runs do not tell. `constant`: what all operands hold, where that is known;
/// then the time of programs that products decide is known, too. Short runs are kept in `cache`.
std::optional<LeastRun> leastRun(const Plan &plan, const std::shared_ptr<const sim::dpu::Image> &image,
                                 const machine::Dpu &machine, std::int64_t dpu, Cache &cache,
                                 std::optional<double> constant = {});

}  // namespace pimento::targets::upmem::compiled
