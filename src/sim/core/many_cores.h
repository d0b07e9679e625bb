// Cores that share a kernel: a thread on each, over one L3.
//
// The core that is furthest behind runs an iteration of its loop outside the innermost, so requests to what is shared
// come nearly in the order of time (uncore/shared_l3.h). All meet at a barrier in the end. Of a part of longer loops
// (LoopCode::from) caches are first brought to what the iterations before it leave there.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/core/core.h"
#include "pimento/sim/core/loop_code.h"
#include "pimento/sim/noc/network.h"
#include "pimento/sim/uncore/uncore.h"

namespace pimento::sim::core {

/// What a kernel on cores counts; all cores together.
struct ManyCoresTime {
  Tick cycles = 0;  ///< until the last core is at the barrier, and it is over
  std::int64_t instructions = 0, branches = 0, loads = 0, stores = 0, integers = 0, floats = 0, complexes = 0;
  std::int64_t l1Reads = 0, l1Writes = 0, l2Reads = 0, l2Writes = 0;
  std::int64_t l3Reads = 0, l3Writes = 0, l3Misses = 0;
  std::int64_t memoryReads = 0, memoryWrites = 0, activates = 0;
  std::array<std::int64_t, noc::kTraffics> flitHops{};
};

class ManyCores {
 public:
  /// The machine has sections core, caches, l3 and kernels, and outlives this.
  explicit ManyCores(const machine::Machine &machine) : machine_(machine) {}

  /// Thread t runs on the core of tile t, before an L3 of these slices. `present`: address ranges that are there
  /// already. `delay`: as Uncore's.
  ManyCoresTime run(const std::vector<LoopCode> &threads, const uncore::Slices &slices,
                    const std::vector<std::pair<std::uint64_t, std::uint64_t>> &present,
                    std::function<Tick(std::uint64_t address, Tick cycle)> delay = {}) const;

 private:
  const machine::Machine &machine_;
};

}  // namespace pimento::sim::core
