// What the transfers of a compiled program take at least, whatever it computes: from the scheme alone, without a
// program.
#pragma once

#include "pimento/base/cache.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

/// What a tasklet that has so many values of each dim transfers at least.
struct TransfersOf {
  std::int64_t count = 0;
  std::int64_t stores = 0;                                ///< instructions that make what it writes
  double ticks = 0;                                       ///< for which they occupy the engine
  std::int64_t reads = 0, readBytes = 0, writeBytes = 0;  ///< of `count`, and what they move
};
TransfersOf transfersOf(const Scheme &scheme, const std::vector<std::int64_t> &sizes, const machine::Dpu &machine,
                        Cache &cache);

/// Cycles and instructions of the first DPU, which has most; the other counts stay 0. Tables of the machine are kept in
/// `cache`.
sim::dpu::RunResult leastByTransfers(const Scheme &scheme, const machine::Machine &machine, Cache &cache);

}  // namespace pimento::targets::upmem::compiled
