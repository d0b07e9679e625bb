// Pieces of a program for DPUs (evaluate/slices.h): its tasklets go through fewer steps of their loops.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "pimento/evaluate/slices.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem {

/// One loop over the share of a tasklet: how far a step goes, and how far all of them go.
struct ShareLoop {
  std::int64_t step = 1, range = 1;
};

/// Of a program for DPUs: the tasklets of the first one go through fewer steps of these loops. The others do the same.
/// `loops`: innermost first. `load` makes a DPU that is ready to run with so many points of each loop.
struct ShareSlices {
  std::vector<ShareLoop> loops;
  std::function<Result<sim::dpu::Dpu>(const std::vector<std::int64_t> &points)> load;
  std::function<Result<evaluate::DeviceRun>()> whole;
  const machine::Machine *machine = nullptr;
  std::int64_t dpus = 1, ranks = 1;
  std::int64_t fullDpus = 1;  ///< DPUs with as much to do as the first that do what all do
};
std::unique_ptr<evaluate::Slices> dpuSlices(ShareSlices share);

}  // namespace pimento::targets::upmem
