// Runs a lowered region on data: arrays of the program into wordlines, commands in the arrays, streams beside them.
//
// Streams compute what they do on elements, in the order of their patterns; stores of streams come at the end, so that
// all see arrays as they were. Not here: time.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/lower/l3_sram/region.h"
#include "pimento/targets/l3_sram/residency.h"
#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::targets::l3_sram {

/// What a run needs to know of a region.
struct RegionPlan {
  const tdfg::Program *program = nullptr;
  const tdfg::Instance *instance = nullptr;
  const tdfg::Schedule *schedule = nullptr;
  const lower::l3_sram::Layout *layout = nullptr;
};

/// Bits of each kConst node's value; elements come from `residency` (null: 0). `names[array]` is the array's number
/// there.
std::vector<std::uint64_t> constantsOf(const tdfg::Instance &instance, const std::vector<int> &names,
                                       Residency *residency);

/// Changes what `residency` holds as the region does. Diagnostics: index-out-of-range, sram-operation.
Status runRegion(const RegionPlan &plan, const lower::l3_sram::RegionCode &code, const std::vector<int> &names,
                 Residency &residency);
/// Same, by the region's streams alone.
Status runStreams(const tdfg::Program &program, int region, const tdfg::Values &values, const std::vector<int> &names,
                  Residency &residency);

}  // namespace pimento::targets::l3_sram
