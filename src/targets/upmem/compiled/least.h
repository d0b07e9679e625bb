// What a DPU with a compiled program does at least, and what it takes most likely, from short runs of the program.
//
// What a tasklet of these programs issues and transfers hangs on how many values it has of each dim, not on time. Every
// whole tile costs the same, so counts are multilinear in the numbers of whole tiles of the dims: runs on two and on
// three tiles of each give them for any number (the first tile differs), and a run on four says whether that holds. The
// time of the tasklet alone, without refreshes, is the least that it takes in company. What tasklets merge when all are
// done is left out, and so are failed attempts at the lock of that barrier. Not for programs with guards or bounds from
// data, prefix sums, or rows that do not begin at whole units: these have no count here.
//
// Where data decide the time, the short runs are on zeros, and runs on random data say what a point takes more. That
// holds of integer sums and maps of independent operands, whose points all have the same mean: a bound from the lower
// end of an interval around it (isSampled). Elsewhere it is a guess, and there is no bound here.
#pragma once

#include <memory>
#include <optional>

#include "pimento/base/cache.h"
#include "pimento/kernel/data.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/compiled/layout.h"

namespace pimento::targets::upmem::compiled {

struct LeastRun {
  Cycles cycles;
  sim::dpu::Counts counts;  ///< idle cycles and attempts left out
  bool isSampled = false;   ///< data decide the time: a bound by the mean of many points, not a proof
};

/// What is known of operands that decide the time.
struct KnownValues {
  std::optional<double> constant = {};        ///< of all
  const kernel::DataSpec *random = nullptr;  ///< else how they are made; null: not known
};

/// DPU number `dpu`; nothing where short runs do not tell. Short runs are kept in `cache`.
std::optional<LeastRun> leastRun(const Plan &plan, const std::shared_ptr<const sim::dpu::Image> &image,
                                 const machine::Dpu &machine, std::int64_t dpu, Cache &cache,
                                 const KnownValues &values = {});

/// A guess at what the first DPU takes, in company and with what its tasklets merge. `image` may be of the program for
/// another number of tasklets. Nothing where short runs do not tell.
std::optional<Cycles> likelyCycles(const Plan &plan, const std::shared_ptr<const sim::dpu::Image> &image,
                                   const machine::Dpu &machine, Cache &cache, const KnownValues &values);

}  // namespace pimento::targets::upmem::compiled
